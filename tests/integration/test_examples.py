"""Each of config/examples does what it says, with a real memcached for each server that it names."""

import pathlib
import re

import pytest

from harness import Proxy, wait_until

EXAMPLES = pathlib.Path(__file__).parents[2] / "config" / "examples"
ADDRESS = re.compile(r"10(?:\.\d+){3}:11211")


class Example:
    def __init__(self, proxy, client, memcacheds):
        self.proxy, self.client, self.memcacheds = proxy, client, memcacheds

    def on(self, prefix):
        """The memcacheds whose address in the file begins so."""
        return [memcached for address, memcached in self.memcacheds.items()
                if address.startswith(prefix)]

    def count(self, prefix, key):
        """How many of them have the key."""
        return sum(value_on(memcached, key) is not None for memcached in self.on(prefix))

    def gets(self, prefix):
        return sum(memcached.stats()["cmd_get"] for memcached in self.on(prefix))


def value_on(memcached, key):
    with memcached.client() as direct:
        return direct.get(key)


def ttl_on(memcached, key):
    with memcached.client() as direct:
        line = direct.command(b"mg %s t" % key)
    return int(line.split(b"t")[1]) if line.startswith(b"HD") else None


@pytest.fixture
def start_example(stack, start_memcached, connect):
    def start(name):
        text = (EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8")
        memcacheds = {address: start_memcached() for address in dict.fromkeys(ADDRESS.findall(text))}
        assert memcacheds
        text = ADDRESS.sub(lambda found: memcacheds[found[0]].address, text)
        proxy = stack.enter_context(Proxy(text + "\nlisten: [127.0.0.1:0]\n"))
        return Example(proxy, connect(proxy), memcacheds)
    return start


def test_every_example_is_tried():
    tried = {name.removeprefix("test_the_") for name in globals() if name.startswith("test_the_")}
    assert tried == {path.stem for path in EXAMPLES.glob("*.yaml")}


def test_the_by_prefix(start_example):
    example = start_example("by_prefix")
    client = example.client
    assert client.set(b"session:1", b"a") == client.set(b"session:guest:1", b"b") == b"STORED"
    assert client.set(b"other", b"c") == b"STORED"
    assert client.set(b"tmp:1", b"d") == b"NOT_STORED"

    assert example.count("10.0.1.", b"session:1") == 1
    assert example.count("10.0.0.", b"session:guest:1") == example.count("10.0.0.", b"other") == 1
    assert client.get_many([b"other", b"tmp:1", b"session:1", b"session:guest:1"]) == {
        b"other": b"c", b"session:1": b"a", b"session:guest:1": b"b"}


def test_the_by_command(start_example):
    example = start_example("by_command")
    client = example.client
    assert client.set(b"k", b"main") == b"STORED"
    for near in example.on("10.0.1.1"):
        near.client().set(b"k", b"near")
    for counters in example.on("10.0.0.9"):
        counters.client().set(b"n", b"5")

    assert client.get(b"k") == b"near"
    assert client.command(b"incr n 2") == b"7"
    assert client.command(b"delete k") == b"DELETED"
    assert client.get(b"k") == b"near"


def test_the_failover(start_example):
    example = start_example("failover")
    for main in example.on("10.0.0."):
        main.kill9()

    assert example.client.set(b"k", b"v") == b"STORED"
    assert example.client.get(b"k") == b"v"
    assert 590 <= ttl_on(example.on("10.0.9.1")[0], b"k") <= 600


def test_the_miss_failover(start_example):
    example = start_example("miss_failover")
    example.on("10.0.5.1")[0].client().set(b"k", b"old")

    assert example.client.get(b"k") == b"old"
    assert example.client.set(b"k", b"new") == b"STORED"
    assert example.client.get(b"k") == b"new"
    assert value_on(example.on("10.0.5.1")[0], b"k") == b"old"
    assert example.client.get_many([b"none", b"k"]) == {b"k": b"new"}


def test_the_deny(start_example):
    example = start_example("deny")
    client = example.client
    assert client.set(b"k", b"v") == b"STORED"

    refusal = b"SERVER_ERROR not through this proxy"
    assert client.command(b"flush_all") == refusal
    assert client.set(b"secret:1", b"v") == client.set(b"password:1", b"v") == refusal
    assert client.get(b"k") == b"v"
    client.send(b"mg secret:1 q\r\nmn\r\n")  # a quiet one finds nothing
    assert client.recv_line() == b"MN"


def test_the_allow(start_example):
    example = start_example("allow")
    for memcached in example.on("10.0.0."):
        memcached.client().set(b"shop:1", b"v")

    assert example.client.get(b"shop:1") == b"v"
    assert example.client.set(b"shop:1", b"w").startswith(b"SERVER_ERROR")
    assert example.client.command(b"get bank:1").startswith(b"SERVER_ERROR")


def test_the_named_routes(start_example):
    example = start_example("named_routes")
    client = example.client
    assert client.set(b"user:profile:1", b"a") == client.set(b"user:1", b"b") == b"STORED"

    assert example.count("10.0.1.1", b"user:profile:1") == 1
    assert example.count("10.0.0.", b"user:1") == 1
    assert client.command(b"flush_all") == b"SERVER_ERROR no flushing"
    assert client.get(b"user:1") == b"b"


def test_the_replicate(start_example):
    example = start_example("replicate")
    assert example.client.set(b"k", b"v") == b"STORED"
    wait_until(lambda: example.count("10.0.", b"k") == 2, what="both copies")
    for zone_a in example.on("10.0.1."):
        zone_a.kill9()

    assert example.client.get(b"k") == b"v"
    assert example.client.set(b"k", b"w") == b"STORED"
    assert example.client.get(b"k") == b"w"


def test_the_zones(start_example):
    example = start_example("zones")
    for i in range(20):
        assert example.client.set(b"k%d" % i, b"v") == b"STORED"
    for i in range(20):
        assert example.client.get(b"k%d" % i) == b"v"

    assert (example.gets("10.0.1."), example.gets("10.0.2.")) == (20, 0)
    for ours in example.on("10.0.1."):
        ours.kill9()
    assert example.client.get(b"k1") == b"v"


def test_the_hot_keys(start_example):
    example = start_example("hot_keys")
    client = example.client
    for i in range(20):
        assert client.set(b"hot:%d" % i, b"%d" % i) == b"STORED"
        assert client.set(b"cold:%d" % i, b"%d" % i) == b"STORED"
    for name in (b"hot:%d", b"copy1:hot:%d", b"copy2:hot:%d"):
        assert all(example.count("10.0.1.", name % i) == 1 for i in range(20))
    assert example.count("10.0.1.", b"copy1:cold:1") == 0

    def owners(i):
        return [next(m for m in example.on("10.0.1.") if value_on(m, name % i) is not None)
                for name in (b"hot:%d", b"copy1:hot:%d", b"copy2:hot:%d")]

    number, apart = next((i, owners(i)) for i in range(20) if len(set(owners(i))) == 3)
    before = [owner.stats()["cmd_get"] for owner in apart]
    for _ in range(9):
        assert client.get(b"hot:%d" % number) == b"%d" % number
    assert [owner.stats()["cmd_get"] for owner in apart] == [count + 3 for count in before]


def test_the_migrate(start_example):
    example = start_example("migrate")
    for old in example.on("10.0.1."):
        old.client().set(b"k", b"v")

    assert example.client.get(b"k") == b"v"
    wait_until(lambda: example.count("10.0.2.", b"k") == 1, what="the new pool has it")
    assert example.client.set(b"k", b"w") == b"STORED"
    assert example.client.get(b"k") == b"w"
    wait_until(lambda: b"w" in [value_on(old, b"k") for old in example.on("10.0.1.")],
               what="the old pool has it, too")


def test_the_rewrite(start_example):
    example = start_example("rewrite")
    assert example.client.set(b"k", b"v") == b"STORED"

    assert example.client.get_many([b"k"]) == {b"k": b"v"}
    assert example.count("10.0.1.", b"shop:k") == 1
    owner = next(m for m in example.on("10.0.1.") if value_on(m, b"shop:k") is not None)
    assert 86390 <= ttl_on(owner, b"shop:k") <= 86400


def test_the_rate_limit(start_example):
    example = start_example("rate_limit")
    client = example.client
    assert client.set(b"report:1", b"r") == client.set(b"page:1", b"p") == b"STORED"

    client.send(b"get report:1\r\n" * 5000)
    hits = sum(client.read_values() == {b"report:1": b"r"} for _ in range(5000))
    client.send(b"get page:1\r\n" * 5000)
    assert all(client.read_values() == {b"page:1": b"p"} for _ in range(5000))

    assert 400 < hits < 5000
    assert example.proxy.stats()["proxy_over_rate"] == 5000 - hits


def test_the_shadow(start_example):
    example = start_example("shadow")
    for i in range(1000):
        assert example.client.set(b"key-%d" % i, b"v") == b"STORED"

    candidate = example.on("10.0.9.1")[0]
    wait_until(lambda: candidate.item_count() > 50, what="the candidate has its share")
    assert candidate.item_count() < 200
    assert sum(memcached.item_count() for memcached in example.on("10.0.1.")) == 1000


def test_the_coalesce(start_example):
    example = start_example("coalesce")
    client = example.client
    for key in (b"front:1", b"other:1"):
        assert client.set(key, key) == b"STORED"
        assert client.get(key) == key

    client.send(b"get front:1\r\n" * 100)
    assert all(client.read_values() == {b"front:1": b"front:1"} for _ in range(100))
    assert example.proxy.stats()["proxy_coalesced_gets"] > 0
    before = example.proxy.stats()["proxy_coalesced_gets"]
    client.send(b"get other:1\r\n" * 100)
    assert all(client.read_values() == {b"other:1": b"other:1"} for _ in range(100))
    assert example.proxy.stats()["proxy_coalesced_gets"] == before
