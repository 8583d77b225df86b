"""The harness itself, and the shortest way through the proxy."""

from harness import memcached_like


def test_a_value_goes_through_to_a_memcached_and_back(start_memcached, start_proxy, connect):
    server = start_memcached()
    proxy = start_proxy([server])
    client = connect(proxy)

    assert client.set(b"key", b"value") == b"STORED"

    assert client.get(b"key") == b"value"
    assert server.item_count() == 1
    assert proxy.stats()["get_hits"] == 1
    assert proxy.server_stats()[server.address]["answered"] == 2
    assert any("socket:" in target for target in proxy.fds().values())


def test_a_memcached_on_a_unix_socket_comes_back_at_its_address(start_memcached):
    server = start_memcached(unix=True)
    with server.client() as client:
        client.set(b"key", b"value")

    server.restart()

    with server.client() as client:
        assert client.get(b"key") is None


def test_a_fake_server_gets_the_bytes_of_the_proxy(start_fake, start_proxy, connect):
    seen = []

    def reply(_peer, words, body):
        seen.append((words, body))
        return b"STORED\r\n"

    proxy = start_proxy([start_fake(memcached_like(reply))])

    assert connect(proxy).set(b"key", b"value", flags=7) == b"STORED"

    assert seen == [([b"set", b"key", b"7", b"0", b"5"], b"value")]


def test_nothing_listens_to_the_blackhole(blackhole, start_proxy, connect):
    proxy = start_proxy([blackhole], pool={"timeouts": {"connect": "100ms"}})

    answer = connect(proxy).set(b"key", b"value")

    assert answer.startswith(b"SERVER_ERROR")
