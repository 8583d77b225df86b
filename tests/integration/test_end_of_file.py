"""The server's end of a connection, closed or reset, in every place of a reply."""

import pytest

from faults import HandDrivenServer, assert_untroubled, body, failures, item, pool
from harness import wait_until

SMALL, LARGE = body(100), body(512 * 1024)
ENDINGS = ["close", "say_goodbye", "reset"]  # over TLS, close is a FIN without a close_notify


def end(peer, ending):
    getattr(peer, ending)()


@pytest.fixture(params=["tcp", "tls"])
def transport(request):
    return request.param


@pytest.fixture
def server(stack, transport, authority):
    tls = authority.server_context() if transport == "tls" else None
    return stack.enter_context(HandDrivenServer(tls=tls))


@pytest.fixture
def pool_tls(transport, authority):
    return {"tls": {"ca": authority.ca}} if transport == "tls" else {}


@pytest.fixture
def proxy(server, start_proxy, pool_tls):
    # The test is the server: its own stops are no part of it.
    return start_proxy([server], pool=pool(response=2.0, on_down="error", **pool_tls))


@pytest.fixture
def client(proxy, connect):
    return connect(proxy)


def serve(peer, request, reply):
    assert peer.recv_exact(len(request)) == request
    peer.send(reply)


def succeeds(client, server, peer=None):
    """The next request is answered, on `peer` or else on a fresh connection."""
    client.send(b"get next\r\n")
    peer = peer or server.next_peer()
    serve(peer, b"get next\r\n", item(b"next", b"right") + b"END\r\n")
    assert client.read_values() == {b"next": b"right"}
    return peer


# ---- where nothing is owed


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_end_of_an_idle_connection_costs_nothing(ending, proxy, server, client):
    end(succeeds(client, server), ending)
    wait_until(lambda: proxy.stats()["server_connections_closed_idle"] == 1, what="the end seen")

    succeeds(client, server)

    assert_untroubled(proxy, connections=2)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("request_line", [b"get key", b"mg key v", b"set key 0 0 1\r\nx"])
def test_a_request_that_crosses_the_end_is_sent_once_more(request_line, ending, proxy, server,
                                                          client):
    request = request_line + b"\r\n"
    idle = succeeds(client, server)
    client.send(request)
    assert idle.recv_exact(len(request)) == request  # it is on its way when the connection ends
    end(idle, ending)

    serve(server.next_peer(), request, b"HD\r\n" if request.startswith(b"mg") else b"END\r\n"
          if request.startswith(b"get") else b"STORED\r\n")

    assert client.recv_line() in (b"HD", b"END", b"STORED")
    assert_untroubled(proxy, connections=2)
    assert proxy.stats()["server_resends"] == 1


def test_a_stopped_proxy_finds_the_end_and_the_request_at_once(proxy, server, client):
    idle = succeeds(client, server)
    proxy.sigstop()
    client.send(b"get key\r\nget key\r\nget key\r\n")
    idle.close()
    proxy.sigcont()

    serve(server.next_peer(), b"get key key key\r\n", b"END\r\n")

    assert [client.recv_line() for _ in range(3)] == [b"END"] * 3
    assert_untroubled(proxy, connections=2)


def test_a_request_that_must_not_be_repeated_is_not(proxy, server, client):
    idle = succeeds(client, server)
    client.send(b"incr key 1\r\n")
    assert idle.recv_line() == b"incr key 1"
    idle.close()

    assert client.recv_line() == b"SERVER_ERROR %s: connection lost" % server.address.encode()

    succeeds(client, server)
    assert server.accepted == 2
    assert proxy.stats()["server_resends"] == 0


def test_a_request_is_not_sent_a_third_time(proxy, server, client):
    idle = succeeds(client, server)
    client.send(b"get key\r\n")
    assert idle.recv_line() == b"get key"
    idle.close()
    fresh = server.next_peer()
    assert fresh.recv_line() == b"get key"
    fresh.close()

    assert client.recv_line() == b"SERVER_ERROR %s: connection lost" % server.address.encode()

    succeeds(client, server)
    assert server.accepted == 3
    assert proxy.stats()["server_incidents"] == 1


# ---- in the middle of a reply

BROKEN = {  # name: (request, what comes of its reply)
    "a get's line": (b"get key\r\n", b"VALUE key 0 10"),
    "a get's line end": (b"get key\r\n", b"VALUE key 0 100\r"),
    "a small value": (b"get key\r\n", item(b"key", SMALL)[:60]),
    "a small value's line end": (b"get key\r\n", item(b"key", SMALL)[:-1]),
    "a large value": (b"get key\r\n", item(b"key", LARGE)[:300_000]),
    "a large value's last byte": (b"get key\r\n", item(b"key", LARGE)[:-3]),
    "a large value's line end": (b"get key\r\n", item(b"key", LARGE)[:-1]),
    "END of a miss": (b"get key\r\n", b"EN"),
    "a meta value": (b"mg key v\r\n", b"VA 100\r\n" + SMALL[:50]),
    "a large meta value": (b"mg key v\r\n", b"VA %d\r\n" % len(LARGE) + LARGE[:-10]),
    "a meta line": (b"mg key v\r\n", b"VA 1"),
    "STORED": (b"set key 0 0 1\r\nx\r\n", b"STORE"),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("where", BROKEN)
def test_a_reply_that_breaks_off_is_an_error_and_no_part_of_it_shows(where, ending, proxy, server,
                                                                     client):
    request, part = BROKEN[where]
    peer = succeeds(client, server)
    received = proxy.stats()["server_bytes_received"]
    client.send(request)
    serve(peer, request, part)
    wait_until(lambda: proxy.stats()["server_bytes_received"] == received + len(part),
               what="the part")
    end(peer, ending)

    assert client.recv_line() == b"SERVER_ERROR %s: connection lost" % server.address.encode()

    succeeds(client, server)
    stats = proxy.stats()
    assert stats["server_incidents"] == 1
    assert failures(stats) == {"server_failed_connection_lost": 1}


@pytest.mark.parametrize("on_down", ["miss", "error"])
@pytest.mark.parametrize("value", [SMALL, LARGE], ids=["small", "large"])
def test_of_several_keys_only_whole_values_show(value, on_down, server, start_proxy, connect, pool_tls):
    proxy = start_proxy([server], pool=pool(response=2.0, on_down=on_down, **pool_tls))
    client = connect(proxy)
    keys = [b"key-%d" % i for i in range(5)]
    request = b"get %s\r\n" % b" ".join(keys)
    whole = b"".join(item(key, value) for key in keys[:3])

    client.send(request)
    peer = server.next_peer()
    part = whole + item(keys[3], value)[:-20]
    serve(peer, request, part)
    wait_until(lambda: proxy.stats()["server_bytes_received"] == len(part), what="the part")
    peer.close()

    assert client.recv_exact(len(whole)) == whole
    ending = (b"END" if on_down == "miss"
              else b"SERVER_ERROR %s: connection lost" % server.address.encode())
    assert client.recv_line() == ending
    succeeds(client, server)


def test_requests_behind_a_broken_reply_fail_too_and_those_before_it_do_not(proxy, server, client):
    peer = succeeds(client, server)
    client.send(b"incr first 1\r\nget second\r\nincr third 1\r\n")
    serve(peer, b"incr first 1\r\nget second\r\nincr third 1\r\n", b"7\r\nVALUE second 0 5\r\nri")
    peer.close()

    answers = [client.recv_line() for _ in range(3)]

    lost = b"SERVER_ERROR %s: connection lost" % server.address.encode()
    assert answers == [b"7", lost, lost]
    succeeds(client, server)
    assert proxy.stats()["server_incidents"] == 1


# ---- behind a reply


@pytest.mark.parametrize("request_line, reply", [
    (b"get key", item(b"key", SMALL) + b"END\r\n"),
    (b"get key", item(b"key", LARGE) + b"END\r\n"),
    (b"set key 0 0 1\r\nx", b"STORED\r\n"),
    (b"incr key 1", b"7\r\n"),
    (b"mg key v", b"VA 100\r\n" + SMALL + b"\r\n"),
], ids=["get", "large get", "set", "incr", "mg"])
def test_a_whole_reply_before_the_end_is_delivered_once(request_line, reply, proxy, server, client):
    for _ in range(3):
        client.send(request_line + b"\r\n")
        peer = server.next_peer()
        serve(peer, request_line + b"\r\n", reply)
        peer.close()
        assert client.recv_exact(len(reply)) == reply
        wait_until(lambda: proxy.server_stats()[server.address]["connections"] == 0,
                   what="the end seen")

    client.expect_silence(0.05)
    succeeds(client, server)
    assert_untroubled(proxy, connections=4)
    assert server.accepted == 4


# ---- bytes that nobody asked for


@pytest.mark.parametrize("stray", [b"ERROR\r\n", item(b"next", b"wrong") + b"END\r\n", b"\0"])
def test_stray_bytes_on_an_idle_connection_discard_it(stray, proxy, server, client):
    peer = succeeds(client, server)
    peer.send(stray)
    assert peer.expect_eof() == b""

    succeeds(client, server)

    assert proxy.stats()["server_stray_bytes"] == 1
    assert_untroubled(proxy, connections=2)


@pytest.mark.parametrize("stray", [b"END\r\n", item(b"next", b"wrong") + b"END\r\n"])
def test_stray_bytes_behind_a_reply_are_no_reply_to_the_next_request(stray, proxy, server, client):
    peer = succeeds(client, server)
    client.send(b"get key\r\n")
    serve(peer, b"get key\r\n", item(b"key", SMALL) + b"END\r\n" + stray)

    assert client.read_values() == {b"key": SMALL}

    succeeds(client, server)
    assert proxy.stats()["server_stray_bytes"] == 1


def test_a_stopped_proxy_finds_stray_bytes_and_a_request_at_once(proxy, server, client):
    """The order in which it sees them must not matter."""
    peer = succeeds(client, server)
    proxy.sigstop()
    client.send(b"get next\r\n")
    peer.send(item(b"next", b"wrong") + b"END\r\n")
    proxy.sigcont()

    serve(server.next_peer(), b"get next\r\n", item(b"next", b"right") + b"END\r\n")

    assert client.read_values() == {b"next": b"right"}


@pytest.mark.parametrize("nonsense", [
    b"HELLO\r\n", b"VALUE key 0 -1\r\n", b"VALUE key 0 5\r\n1234567\r\n", b"STORED\r\n",
    b"\x81" * 24 + b"\r\n"])
def test_a_reply_that_is_none_is_an_error_and_the_end_of_its_connection(nonsense, proxy, server,
                                                                        client):
    peer = succeeds(client, server)
    client.send(b"get key\r\n")
    serve(peer, b"get key\r\n", nonsense)

    answer = client.recv_line()

    assert answer.startswith(b"SERVER_ERROR"), answer
    succeeds(client, server)
    assert server.accepted == 2
