"""A server that is killed and comes back, under clients that go on."""

import threading
import time

from faults import health, pool
from harness import wait_until

RETRY = 2.0
AWAY = 0.5


class Looper:
    """A client that sets and gets its own key for ever and knows which values may come back: the
    last one that was stored, those that may have been since, or none."""

    def __init__(self, proxy, number, over):
        self._proxy, self._key, self._over = proxy, b"looper-%d" % number, over
        self._possible = {None}
        self.errors, self.successes, self.wrong = [], [], []  # the first two: when
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        with self._proxy.client() as client:
            turn = 0
            while not self._over.is_set():
                turn += 1
                self._set(client, b"%s, turn %d" % (self._key, turn))
                self._get(client)
                time.sleep(0.005)

    def _set(self, client, value):
        answer = client.set(self._key, value)
        if answer == b"STORED":
            self._possible = {value, None}  # None: lost with the server
            self.successes.append(time.monotonic())
        elif answer.startswith(b"SERVER_ERROR "):
            self._possible.add(value)  # stored or not, there is no telling
            self.errors.append(time.monotonic())
        else:
            self.wrong.append(answer)

    def _get(self, client):
        client.send(b"get %s\r\n" % self._key)
        line = client.recv_line()
        if line.startswith(b"SERVER_ERROR "):
            self.errors.append(time.monotonic())
            return
        value = None
        if line != b"END":
            word, key, _, size = line.split()
            value = client.recv_exact(int(size) + 2)[:-2]
            if (word, key, client.recv_line()) != (b"VALUE", self._key, b"END"):
                self.wrong.append(line)
        if value not in self._possible:
            self.wrong.append((value, self._possible))


def test_a_killed_server_costs_errors_only_while_it_is_away(start_memcached, start_proxy):
    memcached = start_memcached()
    proxy = start_proxy([memcached], pool=pool(on_down="error", health=health(2, retry=RETRY)))
    over = threading.Event()
    loopers = [Looper(proxy, number, over) for number in range(50)]
    wait_until(lambda: all(len(looper.successes) > 5 for looper in loopers), what="traffic")

    killed = time.monotonic()
    memcached.kill9()
    time.sleep(AWAY)
    memcached.start()
    back = time.monotonic()
    wait_until(lambda: all(looper.successes[-1] > back for looper in loopers), what="traffic again")
    time.sleep(0.3)
    over.set()
    for looper in loopers:
        looper.thread.join(10)

    errors = sorted(at for looper in loopers for at in looper.errors)
    again = min(at for looper in loopers for at in looper.successes if at > back)
    assert not [wrong for looper in loopers for wrong in looper.wrong]
    assert errors and errors[0] > killed
    assert errors[-1] < killed + RETRY + 0.1 + 0.1
    assert again < back + RETRY + 0.1
    assert not any(looper.thread.is_alive() for looper in loopers)
    stats = proxy.stats()
    assert (stats["server_down_marks"], stats["server_probes"]) == (1, 1)
    assert proxy.server_stats()[memcached.address]["state"] == "up"


def test_a_quick_restart_is_no_outage_where_nothing_was_asked(start_memcached, start_proxy,
                                                               connect):
    """Its connections were idle: no error, no incident."""
    memcached = start_memcached()
    proxy = start_proxy([memcached], pool=pool(on_down="error"))
    client = connect(proxy)
    client.set(b"key", b"value")

    memcached.kill9()
    memcached.start()

    assert client.get(b"key") is None
    assert client.set(b"key", b"new") == b"STORED"
    assert client.get(b"key") == b"new"
    assert proxy.stats()["server_incidents"] == 0
