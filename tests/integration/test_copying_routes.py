"""Routes that send one request to several places: replicate, migrate, shadow; over real memcacheds."""

import pytest

from faults import pool
from harness import Proxy, wait_until


@pytest.fixture
def memcacheds(start_memcached):
    return {"a": start_memcached(), "b": start_memcached()}


@pytest.fixture
def start_route(stack, memcacheds, connect):
    """start_route(route) -> (proxy, client), between the pools a and b of one memcached each."""
    def start(route):
        pools = {name: {"servers": [server.address], **pool()} for name, server in memcacheds.items()}
        proxy = stack.enter_context(
            Proxy({"listen": ["127.0.0.1:0"], "pools": pools, "route": route}))
        return proxy, connect(proxy)
    return start


def values(memcached, keys):
    with memcached.client() as client:
        return client.get_many(keys)


KEYS = [b"key-%d" % i for i in range(100)]


def test_replicas_are_written_together_and_stand_in_for_each_other(memcacheds, start_route):
    proxy, client = start_route({"replicate": ["a", "b"], "answer": "first"})
    large = b"x" * 300_000
    for key in KEYS:
        assert client.set(key, b"value of " + key) == b"STORED"
    assert client.set(b"large", large) == b"STORED"
    expected = {key: b"value of " + key for key in KEYS}
    wait_until(lambda: values(memcacheds["b"], KEYS) == expected, what="the second replica")
    assert values(memcacheds["a"], KEYS) == expected

    memcacheds["a"].kill9()

    assert client.get_many(KEYS) == expected
    assert client.get(b"large") == large
    assert client.set(b"later", b"1") == b"STORED"
    assert client.command(b"delete " + KEYS[0]) == b"DELETED"
    assert client.get(KEYS[0]) is None


def test_with_a_replica_down_a_write_that_wants_all_says_so(memcacheds, start_route):
    _, client = start_route({"replicate": ["a", "b"]})
    memcacheds["b"].kill9()

    assert client.set(b"key", b"value").startswith(b"SERVER_ERROR " + memcacheds["b"].address.encode())
    assert client.get(b"key") == b"value"  # the first has it, and is read


def test_a_migration_warms_the_new_pool_by_reading(memcacheds, start_route):
    with memcacheds["a"].client() as old:
        for key in KEYS:
            old.set(key, b"old " + key)
    proxy, client = start_route({"migrate": {"from": "a", "to": "b"}, "fill": "60s"})
    expected = {key: b"old " + key for key in KEYS}

    assert client.get_many(KEYS) == expected
    wait_until(lambda: values(memcacheds["b"], KEYS) == expected, what="the new pool is warm")

    assert client.set(KEYS[0], b"new") == b"STORED"
    assert client.command(b"delete " + KEYS[1]) == b"DELETED"
    memcacheds["a"].kill9()
    assert client.get(KEYS[0]) == b"new"
    assert client.get(KEYS[1]) is None
    assert client.get(KEYS[2]) == b"old " + KEYS[2]
    assert proxy.stats()["proxy_side_requests"] == len(KEYS)


def test_a_migration_is_over_at_its_date(memcacheds, start_route):
    with memcacheds["a"].client() as old:
        old.set(b"key", b"old")
    _, client = start_route({"migrate": {"from": "a", "to": "b"}, "until": "2020-01-01"})

    assert client.get(b"key") is None
    assert client.set(b"key", b"new") == b"STORED"
    assert values(memcacheds["a"], [b"key"]) == {b"key": b"old"}


def test_a_shadow_that_is_stopped_costs_no_client_anything(memcacheds, start_route):
    proxy, client = start_route({"shadow": "b", "share": "100%", "route": "a"})
    client.set(b"before", b"1")
    wait_until(lambda: values(memcacheds["b"], [b"before"]), what="the copy")

    memcacheds["b"].sigstop()
    try:
        for key in KEYS * 10:
            assert client.set(key, b"v") == b"STORED"
        assert client.get_many(KEYS) == dict.fromkeys(KEYS, b"v")
    finally:
        memcacheds["b"].sigcont()
    counted = proxy.stats()
    assert counted["proxy_side_requests"] + counted["proxy_side_requests_dropped"] == 1 + 1000 + 100
    assert counted["proxy_side_requests_dropped"] > 0
