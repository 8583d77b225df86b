"""Each `on_down` of a pool, with one of three memcacheds killed and started again."""

import pytest

from faults import health, pool
from harness import wait_until

RETRY = 0.4
KEYS = [b"key-%d" % i for i in range(90)]


@pytest.fixture
def trio(start_memcached, start_proxy, connect):
    """trio(on_down, **pool) -> (proxy, client, memcacheds), filled, with each key on one of them."""
    def start(on_down, **options):
        memcacheds = [start_memcached() for _ in range(3)]
        proxy = start_proxy(memcacheds, pool={**pool(health=health(1, retry=RETRY)),
                                              "on_down": on_down, **options})
        client = connect(proxy)
        for key in KEYS:
            assert client.set(key, b"before") == b"STORED"
        return proxy, client, memcacheds
    return start


def keys_on(memcached):
    with memcached.client() as direct:
        return set(direct.get_many(KEYS))


def take_down(client, memcached, key):
    memcached.kill9()
    client.get(key)  # the incident that takes it down
    client.get(key)


@pytest.mark.parametrize("on_down, of_a_get", [("miss", b"END"), ("error", b"SERVER_ERROR ")])
def test_keys_of_a_dead_server_are_answered_by_us(trio, on_down, of_a_get):
    _, client, memcacheds = trio(on_down)
    lost = keys_on(memcacheds[1])
    memcacheds[1].kill9()

    for key in lost:
        assert client.command(b"get " + key).startswith(of_a_get)
        assert client.set(key, b"after").startswith(
            b"SERVER_ERROR %s: " % memcacheds[1].address.encode())
    assert client.get_many(sorted(set(KEYS) - lost)) == dict.fromkeys(set(KEYS) - lost, b"before")


@pytest.mark.parametrize("on_down, placement", [
    ("eject", "ketama"), ("eject", "mcsteady"), ("next", "ketama"),
    ("rehash", {"like": "dalli"}), ("rehash", {"like": "memcached-proxy"})])
def test_keys_of_a_dead_server_live_elsewhere_and_come_back(trio, on_down, placement):
    proxy, client, memcacheds = trio(on_down, placement=placement)
    lost = keys_on(memcacheds[1])
    kept = sorted(set(KEYS) - lost)
    assert lost and kept
    take_down(client, memcacheds[1], next(iter(lost)))

    for key in lost:
        assert client.get(key) is None
        assert client.set(key, b"meanwhile") == b"STORED"
        assert client.get(key) == b"meanwhile"
    hits = client.get_many(kept)
    # A table moves a few of the others' keys; a ring, a second hash and a neighbour move none.
    assert len(hits) >= len(kept) * (0.7 if placement == "mcsteady" else 1)

    memcacheds[1].restart()
    wait_until(lambda: client.set(min(lost), b"again") and keys_on(memcacheds[1]),
               what="it is used again")
    for key in lost:
        assert client.set(key, b"back") == b"STORED"
    assert keys_on(memcacheds[1]) == lost
    assert client.get_many(sorted(lost)) == dict.fromkeys(lost, b"back")
    assert proxy.server_stats()[memcacheds[1].address]["down_marks"] == 1


def test_a_server_marked_down_is_never_connected_to(start_memcached, start_proxy, connect):
    memcacheds = [start_memcached() for _ in range(3)]
    written = [memcacheds[0].address, {"address": memcacheds[1].address, "state": "down"},
               memcacheds[2].address]
    before = memcacheds[1].stats()["total_connections"]
    client = connect(start_proxy(written, pool={"on_down": "eject"}))

    for key in KEYS:
        assert client.set(key, b"v") == b"STORED"
    assert client.get_many(KEYS) == dict.fromkeys(KEYS, b"v")
    assert memcacheds[1].stats()["total_connections"] == before + 1  # our own look


def test_a_server_that_drains_keeps_nothing_new(start_memcached, start_proxy, connect):
    memcacheds = [start_memcached() for _ in range(3)]
    written = [memcacheds[0].address, {"address": memcacheds[1].address, "state": "drain"},
               memcacheds[2].address]
    client = connect(start_proxy(written))

    for key in KEYS:
        assert client.set(key, b"v") == b"STORED"
    assert memcacheds[1].item_count() == 0
    assert memcacheds[0].item_count() + memcacheds[2].item_count() == len(KEYS)
