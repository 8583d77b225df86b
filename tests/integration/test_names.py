"""Servers that are given by name, on a DNS server whose answers the test decides."""

import socket
import threading
import time

import pytest

from harness import FakeServer, NameServer, memcached_like, wait_until

QUICK = {"ttl_min": "50ms", "timeout": "300ms", "tries": 2}
SERVERS_MAX = 20


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Cache(FakeServer):
    """Keeps what it is given, and counts requests."""

    def __init__(self, host="127.0.0.1", port=0, reply=None, tls=None):
        self.items, self.requests = {}, 0
        super().__init__(memcached_like(reply or self.reply), host=host, port=port, tls=tls)

    def reply(self, _peer, words, body):
        self.requests += 1
        if words[0] == b"set":
            self.items[words[1]] = body
            return b"STORED\r\n"
        assert words[0] == b"get", words
        found = [(key, self.items[key]) for key in words[1:] if key in self.items]
        return b"".join(b"VALUE %s 0 %d\r\n%s\r\n" % (key, len(value), value)
                        for key, value in found) + b"END\r\n"


class Load:
    """Sets and gets many keys until it is over; every reply must be one that a server gives."""

    def __init__(self, proxy, threads=2):
        self._proxy, self._over = proxy, threading.Event()
        self.done, self.failed, self.slowest = 0, [], 0.0
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True)
                         for number in range(threads)]
        for thread in self._threads:
            thread.start()

    def _run(self, number):
        with self._proxy.client() as client:
            turn = 0
            while not self._over.is_set():
                turn += 1
                key = b"key-%d-%d" % (number, turn % 500)
                begun = time.monotonic()
                answer = client.set(key, b"value")
                if answer != b"STORED":
                    self.failed.append(answer)
                answer = client.command(b"get %s" % key)
                if answer == b"VALUE %s 0 5" % key:
                    client.recv_exact(len(b"value\r\nEND\r\n"))
                elif answer != b"END":
                    self.failed.append(answer)
                self.slowest = max(self.slowest, time.monotonic() - begun)
                self.done += 1

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        self._over.set()
        for thread in self._threads:
            thread.join(10)
        if failure is None:
            assert self.done > 0 and not self.failed, (self.done, self.failed[:5])


@pytest.fixture(name="names")
def name_server(stack):
    return stack.enter_context(NameServer())


@pytest.fixture(name="caches")
def start_caches(stack):
    """caches(count, one_port=True): on addresses of their own with one port, or the reverse."""
    def start(count, one_port=True):
        port = free_port() if one_port else 0
        return [stack.enter_context(Cache(f"127.0.1.{i + 1}" if one_port else "127.0.0.1", port))
                for i in range(count)]
    return start


def host(cache):
    return cache.address.rsplit(":", 1)[0]


def port(cache):
    return int(cache.address.rsplit(":", 1)[1])


def start(start_proxy, names, servers, resolver=None, **pool):
    return start_proxy([], pool={"servers": servers, **pool},
                       resolver={"servers": [names.address], **QUICK, **(resolver or {})})


def test_an_address_that_changes_under_load_fails_no_request(names, caches, start_proxy):
    old, new = caches(2)
    names.set("cache.test", [host(old)])
    proxy = start(start_proxy, names, [f"cache.test:{port(old)}"])
    with Load(proxy):
        for target in (new, old, new):
            before = target.requests
            names.set("cache.test", [host(target)])
            wait_until(lambda: target.requests > before + 20, what="requests to the new address")
        wait_until(lambda: old.open_connections == 0, what="the end of the old connection")
    stats = proxy.server_stats()[f"cache.test:{port(old)}"]
    assert stats["address"] == new.address
    assert stats["incidents"] == 0
    assert proxy.stats()["proxy_name_address_changes"] == 3
    assert "server has another address" in proxy.log()


def test_an_incident_has_the_name_looked_up_before_its_ttl_ends(names, caches, start_proxy):
    old, new = caches(2)
    names.ttl = 3600
    names.set("cache.test", [host(old)])
    proxy = start(start_proxy, names, [f"cache.test:{port(old)}"])
    with proxy.client() as client:
        assert client.set(b"a", b"1") == b"STORED"
        names.set("cache.test", [host(new)])
        old.close()
        wait_until(lambda: client.set(b"a", b"2") == b"STORED", timeout=5.0, what="the new address")
    assert new.items == {b"a": b"2"}


def test_a_resolver_that_hangs_or_fails_delays_nothing_and_keeps_what_is_known(
        names, caches, start_proxy):
    (cache,) = caches(1)
    names.set("cache.test", [host(cache)])
    proxy = start(start_proxy, names, [f"cache.test:{port(cache)}"])
    with Load(proxy) as load:
        names.hang = True
        asked = names.questions
        wait_until(lambda: names.questions > asked, what="a question")
        time.sleep(0.5)
        names.hang, names.fail = False, True
        wait_until(lambda: proxy.stats()["proxy_name_lookup_failures"] > 1, what="failures")
        names.remove("cache.test")
        names.fail = False
        asked = names.questions
        wait_until(lambda: names.questions > asked + 1, timeout=10.0, what="a question")
        assert load.slowest < 0.2
    assert proxy.server_stats()[f"cache.test:{port(cache)}"]["address"] == cache.address
    assert proxy.log().count("does not resolve") == 1, "once a minute"


def test_it_starts_while_no_name_resolves(names, caches, start_proxy):
    (cache,) = caches(1)
    names.hang = True
    proxy = start(start_proxy, names, {"dns": f"cache.test:{port(cache)}"}, on_down="error")
    with proxy.client() as client:
        begun = time.monotonic()
        assert client.command(b"get a") == (
            b"SERVER_ERROR dns:cache.test:%d: no server has been found yet" % port(cache))
        assert time.monotonic() - begun < 0.2
        names.set("cache.test", [host(cache)])
        names.hang = False
        wait_until(lambda: client.set(b"a", b"1") == b"STORED", timeout=10.0, what="the server")


def grow_and_shrink(proxy, show, caches_):
    """Shows the source 2 to 20 of the servers and back under load."""
    def count():
        return proxy.pool_stats()["main"]["servers"]

    with Load(proxy):
        for size in (5, SERVERS_MAX, 11, 2):
            show(caches_[:size])
            wait_until(lambda: count() == size, timeout=10.0, what=f"{size} servers: {proxy.log()}")
            before = [cache.requests for cache in caches_]
            wait_until(lambda: all(cache.requests > seen for cache, seen
                                   in zip(caches_[:size], before)), what="requests to each")
        gone = caches_[2:]
        wait_until(lambda: all(cache.open_connections == 0 for cache in gone), what="their end")
        before = [cache.requests for cache in caches_]
        wait_until(lambda: sum(cache.requests for cache in caches_) > sum(before) + 200)
        assert [cache.requests for cache in gone] == before[2:], "nothing goes to those that left"
    stats = proxy.pool_stats()["main"]
    assert (stats["joined"], stats["left"]) == (SERVERS_MAX, SERVERS_MAX - 2)
    assert proxy.log().count("server joins its pool") == SERVERS_MAX
    assert proxy.log().count("server leaves its pool") == SERVERS_MAX - 2
    assert proxy.stats()["proxy_unavailable"] == 0


def test_a_headless_service_grows_and_shrinks(names, caches, start_proxy):
    servers = caches(SERVERS_MAX)

    def show(some):
        names.set("cache.test", [host(cache) for cache in some])

    show(servers[:2])
    names.truncate = True  # 20 addresses are not to depend on the size of a datagram
    proxy = start(start_proxy, names,
                  {"dns": f"cache.test:{port(servers[0])}", "hold_down": "100ms"})
    grow_and_shrink(proxy, show, servers)
    assert names.by_tcp > 0


def test_srv_records_grow_and_shrink(names, caches, start_proxy):
    servers = caches(SERVERS_MAX, one_port=False)
    names.set("node.test", ["127.0.0.1"])

    def show(some):
        weight = 100 // len(some)  # as CoreDNS has it: all change together
        names.set("_memcache._tcp.cache.test", services=[
            *((10, weight, port(cache), "node.test") for cache in some), (20, 1, 9, "spare.test")])

    show(servers[:2])
    proxy = start(start_proxy, names,
                  {"srv": "_memcache._tcp.cache.test", "hold_down": "100ms"})
    grow_and_shrink(proxy, show, servers)
    assert not any("spare" in server for server in proxy.server_stats())


@pytest.mark.parametrize("old_form", [False, True])
def test_an_elasticache_cluster_grows_and_shrinks(old_form, names, stack, caches, start_proxy):
    servers = caches(SERVERS_MAX, one_port=False)
    shown, version = [], 0

    def show(some):
        nonlocal shown, version
        shown, version = list(some), version + 1

    def reply(_peer, words, _body):
        if words[:2] == ([b"get", b"AmazonElastiCache:cluster"] if old_form
                         else [b"config", b"get"]):
            nodes = " ".join(f"node{port(cache)}.test|127.0.0.1|{port(cache)}" for cache in shown)
            payload = f"{version}\n{nodes}\n".encode()
            head = b"VALUE AmazonElastiCache:cluster" if old_form else b"CONFIG cluster"
            return head + b" 0 %d\r\n%s\r\nEND\r\n" % (len(payload), payload)
        return b"ERROR\r\n"

    show(servers[:2])
    endpoint = stack.enter_context(Cache(reply=reply))
    names.set("cluster.test", ["127.0.0.1"])
    proxy = start(start_proxy, names,
                  {"elasticache": f"cluster.test:{port(endpoint)}", "poll": "100ms"})
    grow_and_shrink(proxy, show, servers)
    assert f"evidence=\"version {version}\"" in proxy.log()


def test_a_cluster_with_tls_is_asked_over_tls(names, stack, start_proxy, authority, connect):
    def cache(**options):
        return stack.enter_context(Cache(tls=tls, **options))

    tls = authority.server_context("cluster", san="DNS:*.cluster.test")
    servers = [cache() for _ in range(3)]
    nodes = " ".join(f"node{i}.cluster.test|127.0.0.1|{port(server)}"
                     for i, server in enumerate(servers))
    payload = f"7\n{nodes}\n".encode()
    endpoint = cache(reply=lambda _peer, words, _body: b"CONFIG cluster 0 %d\r\n%s\r\nEND\r\n" % (
        len(payload), payload) if words[0] == b"config" else b"ERROR\r\n")
    stranger = stack.enter_context(Cache(tls=authority.server_context("other", san="DNS:other.test")))
    for name, its in (("cfg.cluster.test", endpoint), ("bad.cluster.test", stranger)):
        names.set(name, ["127.0.0.1"])
        proxy = start(start_proxy, names, {"elasticache": f"{name}:{port(its)}", "poll": "100ms"},
                      tls={"ca": authority.ca})
        client = connect(proxy)
        if its is endpoint:
            wait_until(lambda c=client: c.set(b"k", b"v") == b"STORED", what="the cluster is known")
            assert client.get(b"k") == b"v"
            assert proxy.pool_stats()["main"]["servers"] == 3
        else:
            proxy.process.wait_for_log("certificate of another name")
            assert client.get(b"k") is None
            assert stranger.requests == 0


def test_an_empty_answer_empties_no_pool(names, caches, start_proxy):
    servers = caches(2)
    names.set("cache.test", [host(cache) for cache in servers])
    proxy = start(start_proxy, names, {"dns": f"cache.test:{port(servers[0])}", "hold_down": "0s"})
    with Load(proxy):
        names.set("cache.test", [])
        wait_until(lambda: proxy.pool_stats()["main"]["listing_failures"] > 1, what="empty answers")
        assert proxy.pool_stats()["main"]["servers"] == 2


def test_a_server_that_is_missing_for_a_moment_stays(names, caches, start_proxy):
    servers = caches(2)
    names.set("cache.test", [host(cache) for cache in servers])
    proxy = start(start_proxy, names, {"dns": f"cache.test:{port(servers[0])}", "hold_down": "30s"})
    names.set("cache.test", [host(servers[0])])
    wait_until(lambda: proxy.pool_stats()["main"]["held"] == 1, what="a server that is held")
    names.set("cache.test", [host(cache) for cache in servers])
    wait_until(lambda: proxy.pool_stats()["main"]["held"] == 0, what="its return")
    assert proxy.pool_stats()["main"]["left"] == 0
