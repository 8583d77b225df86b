"""Routes and failure policies over real memcacheds that are killed and stopped."""

import collections
import itertools
import statistics
import threading
import time

import pytest

from faults import RESPONSE, health, pool
from harness import FakeServer, Proxy, wait_until

RETRY = 0.5


@pytest.fixture
def start_routes(stack):
    """start_routes(pools, route, **sections) -> Proxy. `pools`: {name: (servers, options)}"""
    def start(pools, route, **sections):
        written = {name: {"servers": [server.address for server in servers], **options}
                   for name, (servers, options) in pools.items()}
        return stack.enter_context(
            Proxy({"listen": ["127.0.0.1:0"], "pools": written, "route": route, **sections}))
    return start


def flushed(**options):
    return pool(health={**health(2, retry=RETRY), "flush_on_return": True}, **options)


def owners_of(memcacheds, keys):
    """{key: the memcached that has it}, asked of themselves."""
    owners = {}
    for memcached in memcacheds:
        with memcached.client() as client:
            owners |= dict.fromkeys(client.get_many(keys), memcached)
    return owners


# ---- failover

class Writer:
    """Sets its own key to ever higher numbers and gets each a few times: what is older than the last
    one that was acknowledged must never come."""

    def __init__(self, proxy, number, over):
        self._proxy, self._key, self._over = proxy, b"writer-%d" % number, over
        self._acknowledged = self._newest = 0
        self.acknowledged_at = []
        self.wrong = []
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        with self._proxy.client() as client:
            while not self._over.is_set():
                self._newest += 1
                answer = client.set(self._key, b"%d" % self._newest)
                if answer == b"STORED":
                    self._acknowledged = self._newest
                    self.acknowledged_at.append(time.monotonic())
                elif not answer.startswith(b"SERVER_ERROR "):
                    self.wrong.append(answer)
                for _ in range(10):  # most of the time it is gets that find the server back
                    self._check(client)
                    time.sleep(0.005)

    def _check(self, client):
        client.send(b"get %s\r\n" % self._key)
        line = client.recv_line()
        if line.startswith(b"VALUE "):
            found = int(client.recv_exact(int(line.split()[3]) + 2))
            client.recv_line()
            if not self._acknowledged <= found <= self._newest:
                self.wrong.append((found, self._acknowledged, self._newest))
        elif line != b"END" and not line.startswith(b"SERVER_ERROR "):
            self.wrong.append(line)


def run_writers_through(proxy, memcached, fault, cure):
    """Writers through an outage and for a while behind it: (the writers, when it began and ended)."""
    over = threading.Event()
    writers = [Writer(proxy, number, over) for number in range(10)]
    wait_until(lambda: all(len(writer.acknowledged_at) > 3 for writer in writers), what="traffic")
    began = time.monotonic()
    fault()
    wait_until(lambda: proxy.server_stats()[memcached.address]["state"] == "down", what="down")
    time.sleep(0.4)
    ended = time.monotonic()
    cure()
    wait_until(lambda: proxy.server_stats()[memcached.address]["state"] == "up", what="up")
    time.sleep(0.3)
    over.set()
    for writer in writers:
        writer.thread.join(5)
    return writers, began, ended


@pytest.mark.parametrize("outage", ["killed", "stopped"])
def test_failover_and_back_gives_nothing_older_than_the_last_acknowledged(outage, start_memcached,
                                                                          start_routes):
    main, gutter = start_memcached(), start_memcached()
    proxy = start_routes({"main": ([main], flushed()), "gutter": ([gutter], pool())},
                         {"failover": ["main", "gutter"]})
    fault, cure = {"killed": (main.kill9, main.start),
                   "stopped": (main.sigstop, main.sigcont)}[outage]

    writers, began, ended = run_writers_through(proxy, main, fault, cure)

    assert [wrong for writer in writers for wrong in writer.wrong] == []
    for writer in writers:  # the spare one took over while it was away
        assert any(began < at < ended for at in writer.acknowledged_at)
    assert gutter.item_count() == len(writers)
    assert main.item_count() == len(writers)
    assert main.stats()["cmd_flush"] == 1


def test_without_a_flush_older_values_come_back(start_memcached, start_routes, connect):
    """What `flush_on_return` is for, and that the test above would see it missing."""
    main, gutter = start_memcached(), start_memcached()
    proxy = start_routes({"main": ([main], pool(health=health(1, retry=RETRY))),
                          "gutter": ([gutter], pool())}, {"failover": ["main", "gutter"]})
    client = connect(proxy)
    client.set(b"key", b"old")

    main.sigstop()
    client.get(b"key")
    assert client.set(b"key", b"new") == b"STORED"
    assert client.get(b"key") == b"new"
    main.sigcont()
    wait_until(lambda: proxy.server_stats()[main.address]["state"] != "down", what="it is back")

    assert client.get(b"key") == b"old"


# ---- one server stopped, one killed

class Reader:
    """Gets one key over and over."""

    def __init__(self, proxy, key, over):
        self._proxy, self.key, self._over = proxy, key, over
        self.samples = []  # (when it was asked, seconds, answer)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        with self._proxy.client() as client:
            while not self._over.is_set():
                started = time.perf_counter()
                client.send(b"get %s\r\n" % self.key)
                line = client.recv_line()
                if line.startswith(b"VALUE "):
                    line = client.recv_exact(int(line.split()[3]) + 2)[:-2]
                    client.recv_line()
                self.samples.append((started, time.perf_counter() - started, line))
                time.sleep(0.02)


def one_key_each(memcacheds, proxy, each):
    """{key: memcached}, with so many keys for every memcached; a key's value is the key."""
    keys = [b"key-%d" % number for number in range(40 * each)]
    with proxy.client() as client:
        for key in keys:
            assert client.set(key, key) == b"STORED"
    owners, counts = {}, collections.Counter()
    for key, memcached in owners_of(memcacheds, keys).items():
        counts[memcached] += 1
        if counts[memcached] <= each:
            owners[key] = memcached
    assert len(owners) == each * len(memcacheds)
    return owners


def p99(seconds):
    return statistics.quantiles(seconds, n=100)[98]


def test_a_stopped_and_a_killed_server_touch_their_own_keys_alone(start_memcached, start_proxy,
                                                                  capsys):
    memcacheds = [start_memcached() for _ in range(5)]
    stopped, killed = memcacheds[1], memcacheds[3]
    proxy = start_proxy(memcacheds, workers=2,
                        pool=pool(on_down="error", health=health(2, retry=RETRY)))
    owners = one_key_each(memcacheds, proxy, each=10)
    over = threading.Event()
    readers = [Reader(proxy, key, over) for key in owners]
    time.sleep(1.5)
    fault = time.perf_counter()
    stopped.sigstop()
    killed.kill9()
    time.sleep(2.0)
    over.set()
    for reader in readers:
        reader.thread.join(5)
    stopped.sigcont()

    before, after = [], []
    for reader in readers:
        troubled = owners[reader.key] in (stopped, killed)
        answers = {line for at, _, line in reader.samples if at > fault}
        if troubled:
            wait = max(seconds for _, seconds, _ in reader.samples)
            assert wait < 2 * RESPONSE + 0.5, reader.key
            name = owners[reader.key].address.encode()
            errors = {line for line in answers if line.startswith(b"SERVER_ERROR ")}
            assert errors and all(name in line for line in errors), answers
            assert answers - errors <= {reader.key}
        else:
            assert answers == {reader.key}
            before += [seconds for at, seconds, _ in reader.samples if at < fault]
            after += [seconds for at, seconds, _ in reader.samples if at > fault]
    with capsys.disabled():
        print(f"\np99 of the other servers' keys: {p99(before) * 1e3:.2f} ms before, "
              f"{p99(after) * 1e3:.2f} ms with one server stopped and one killed")
    states = {server.address: proxy.server_stats()[server.address]["state"] for server in memcacheds}
    assert states[killed.address] == "down"
    assert all(states[server.address] == "up" for server in memcacheds
               if server not in (stopped, killed))


def test_a_server_that_is_down_is_connected_to_rarely_and_with_jitter(start_proxy):
    """Fifty clients of two workers: one probe at a time, each a random share early."""
    connects = []

    def hang_up(_):
        connects.append(time.monotonic())

    retry = 0.2
    limits = {**health(2, retry=retry), "down_retry_delay_max": "200ms"}
    with FakeServer(hang_up) as server:
        proxy = start_proxy([server], workers=2, pool=pool(on_down="error", health=limits))
        over = threading.Event()
        readers = [Reader(proxy, b"key-%d" % number, over) for number in range(50)]
        wait_until(lambda: proxy.server_stats()[server.address]["state"] == "down", what="down")
        down = time.monotonic()
        time.sleep(3.0)
        over.set()
        for reader in readers:
            reader.thread.join(5)

    probes = [at for at in connects if at > down]
    waits = [later - earlier for earlier, later in itertools.pairwise(probes)]
    assert 3.0 / retry * 0.4 < len(probes) <= 3.0 / (0.9 * retry) + 2
    assert min(waits) > 0.9 * retry - 0.02
    assert statistics.median(waits) < 0.98 * retry  # without jitter none would be early
    assert all(line.startswith(b"SERVER_ERROR ") for reader in readers
               for _, _, line in reader.samples)


# ---- quiet meta gets with one server down

def quiet_gets(client, keys):
    """{key: value} as Dalli 5 reads them: up to the MN, each with its key; nothing else may come."""
    client.send(b"".join(b"mg %s v f k q\r\n" % key for key in keys) + b"mn\r\n")
    found = {}
    while (line := client.recv_line()) != b"MN":
        word, size, *flags = line.split()
        assert word == b"VA", line
        key = next(flag[1:] for flag in flags if flag.startswith(b"k"))
        found[key] = client.recv_exact(int(size) + 2)[:-2]
    return found


@pytest.mark.parametrize("on_down", ["error", "miss"])
def test_quiet_meta_gets_with_a_server_down_are_misses_and_never_a_wrong_value(
        on_down, start_memcached, start_proxy, connect):
    memcacheds = [start_memcached() for _ in range(3)]
    proxy = start_proxy(memcacheds, workers=1,
                        pool=pool(on_down=on_down, health=health(2, retry=30.0)))
    client = connect(proxy)
    owners = one_key_each(memcacheds, proxy, each=20)
    alive = {key for key, owner in owners.items() if owner is not memcacheds[1]}
    assert quiet_gets(client, owners) == {key: key for key in owners}

    memcacheds[1].kill9()

    for _ in range(20):  # while it is found out, and when it is down
        assert quiet_gets(client, owners) == {key: key for key in alive}
        assert client.get(min(alive)) == min(alive)
    assert proxy.server_stats()[memcacheds[1].address]["state"] == "down"


def test_quiet_meta_gets_over_two_pools_keep_apart_what_is_down(start_memcached, start_routes,
                                                                connect):
    users, other = start_memcached(), start_memcached()
    options = pool(on_down="error", health=health(2, retry=30.0))
    proxy = start_routes({"users": ([users], options), "other": ([other], options)},
                         {"by_prefix": {"user:": "users", "": "other"}})
    client = connect(proxy)
    keys = [b"%s%d" % (prefix, number) for number in range(20) for prefix in (b"user:", b"item:")]
    for key in keys:
        assert client.set(key, key) == b"STORED"
    assert quiet_gets(client, keys) == {key: key for key in keys}
    assert (users.item_count(), other.item_count()) == (20, 20)

    users.kill9()

    for _ in range(10):
        assert quiet_gets(client, keys) == {key: key for key in keys if key.startswith(b"item:")}
