"""What is not for a proxy gets a clear line, and the last line to a client reaches it."""

import pytest


def test_what_would_act_on_one_server_of_many_is_refused(proxy, connect):
    client = connect(proxy)

    for line in (b"shutdown", b"cache_memlimit 5", b"lru_crawler metadump all", b"watch", b"slabs reassign 1 2",
                 b"lru mode flat", b"refresh_certs"):
        client.send(line + b"\r\n")
        assert client.recv_line() == b"CLIENT_ERROR command not supported by proxy", line


def test_flush_all_and_verbosity_keep_their_delay_and_their_silence(proxy, connect):
    client = connect(proxy)
    client.set(b"key", b"value")

    client.send(b"flush_all 1000\r\nflush_all 1000 noreply\r\nverbosity 1\r\nverbosity 1 noreply\r\nget key\r\nmn\r\n")

    assert [client.recv_line() for _ in range(6)] == [b"OK", b"OK", b"VALUE key 0 5", b"value", b"END", b"MN"]
    client.send(b"flush_all noreply\r\nget key\r\n")
    assert client.recv_line() == b"END"


def test_the_reason_reaches_a_client_that_goes_on_sending(proxy, connect):
    client = connect(proxy)

    for _ in range(50):  # a reset would make it fail
        client.send(b"x" * 5000)

    assert client.recv_line() == b"CLIENT_ERROR line too long"
    with pytest.raises(EOFError):
        client.recv_line()


def test_the_version_of_servers_is_told_where_that_is_configured(servers, start_proxy, connect):
    proxy = start_proxy(servers, version="servers")

    answers = []
    for where in (proxy, servers[0]):
        client = connect(where)
        client.send(b"version\r\n")
        answers.append(client.recv_line())

    assert answers[0] == answers[1]
