"""Keys and times to live that servers see otherwise than clients, over real memcacheds."""

import pytest

from faults import pool
from harness import Proxy


@pytest.fixture
def start_route(stack, connect):
    def start(servers, route):
        pools = {name: {"servers": [server.address], **pool()} for name, server in servers.items()}
        proxy = stack.enter_context(
            Proxy({"listen": ["127.0.0.1:0"], "pools": pools, "route": route}))
        return proxy, connect(proxy)
    return start


def test_another_prefix_for_each_of_two_applications_on_one_memcached(start_memcached, start_route):
    memcached = start_memcached()
    _, client = start_route({"main": memcached}, {"by_prefix": {
        "old:": {"rewrite": {"strip": "old:", "add": "new:"}, "route": "main"}, "": "main"}})
    values = {b"old:%d" % i: b"v%d" % i for i in range(50)} | {b"plain": b"p"}

    for key, value in values.items():
        assert client.set(key, value) == b"STORED"

    assert client.get_many(list(values)) == values
    assert client.command(b"mg old:7 k") == b"HD kold:7"
    assert client.command(b"mg b2xkOjc= k b").startswith(b"HD kb2xkOjc=")  # the same in base64
    with memcached.client() as direct:
        assert direct.get(b"new:7") == b"v7"
        assert direct.get(b"old:7") is None
        assert direct.get(b"plain") == b"p"


def test_what_goes_to_the_gutter_lives_shortly(start_memcached, start_route):
    main, gutter = start_memcached(), start_memcached()
    _, client = start_route({"main": main, "gutter": gutter},
                            {"failover": ["main", "gutter"], "ttl_max": "60s"})
    client.set(b"before", b"1")
    main.kill9()

    assert client.set(b"key", b"value") == b"STORED"

    with gutter.client() as direct:
        assert 55 <= int(direct.command(b"mg key t").split(b"t")[1]) <= 60
