"""The proxy is stopped, with SIGSTOP, while a reply is on its way: no server may pay for that.

A stopped epoll_wait comes back without events, so timers run first: what a busy event loop does to
itself now and then, each time."""

import random
import socket
import threading
import time

import pytest

from faults import (MiB, PATIENT, RESPONSE, HandDrivenServer, Load, assert_untroubled, body,
                    failures, item, pool)
from harness import Peer, wait_until

ROUNDS = 20
STOP = 3 * RESPONSE


class FromMemcached:
    """The reply comes from a memcached that is held while the request goes up. `request` and the
    `reply` to it are bytes."""

    def __init__(self, memcached, request, reply):
        self._memcached, self.request, self.reply = memcached, request, reply

    def hold(self):
        self._memcached.sigstop()

    def wait_for_request(self, sent_before, proxy):
        wait_until(lambda: proxy.stats()["server_bytes_sent"] > sent_before, what="the request up")

    def send_reply(self):
        self._memcached.sigcont()


class InHalves:
    """The first half of a large value comes before the stop, the second during it."""

    def __init__(self, server):
        self._server, self._peer = server, None
        value = body(2 * MiB)
        self.request = b"get large\r\n"
        self.reply = item(b"large", value) + b"END\r\n"

    def hold(self):
        pass

    def wait_for_request(self, _sent_before, proxy):
        received_before = proxy.stats()["server_bytes_received"]
        if self._peer is None:
            self._peer = self._server.next_peer()
        assert self._peer.recv_line() == b"get large"
        self._peer.send(self.reply[:MiB])
        wait_until(lambda: proxy.stats()["server_bytes_received"] == received_before + MiB,
                   what="the first half received")

    def send_reply(self):
        # Not all of it fits the socket's buffers, so the rest goes when the proxy reads again.
        threading.Thread(target=self._peer.send, args=(self.reply[MiB:],), daemon=True).start()


def stall_once(proxy, client, case):
    """True: the client got its reply though the proxy was stopped for three timeouts."""
    sent_before = proxy.stats()["server_bytes_sent"]
    case.hold()
    client.send(case.request)
    case.wait_for_request(sent_before, proxy)
    proxy.sigstop()
    case.send_reply()
    time.sleep(STOP)
    proxy.sigcont()
    line_end = client.recv_until(b"\r\n")
    if line_end != case.reply[:len(line_end)]:
        return False
    return client.recv_exact(len(case.reply) - len(line_end)) == case.reply[len(line_end):]


@pytest.fixture(params=["get", "set", "100 keys", "2 MB in halves"])
def case(request, stack, start_memcached):
    """(what to stall, its servers)"""
    if request.param == "2 MB in halves":
        server = stack.enter_context(HandDrivenServer())
        return InHalves(server), [server]
    memcached = start_memcached()
    keys = [b"key-%d" % i for i in range(100 if request.param == "100 keys" else 1)]
    with memcached.client() as direct:
        for key in keys:
            direct.set(key, body(1000))
    if request.param == "set":
        value = body(1000, salt=1)
        return FromMemcached(memcached, b"set key-0 0 0 1000\r\n%s\r\n" % value,
                             b"STORED\r\n"), [memcached]
    reply = b"".join(item(key, body(1000)) for key in keys) + b"END\r\n"
    return FromMemcached(memcached, b"get %s\r\n" % b" ".join(keys), reply), [memcached]


def test_a_reply_that_comes_while_we_are_stopped_is_delivered(case, start_proxy, connect):
    what, servers = case
    proxy = start_proxy(servers, pool=pool())
    client = connect(proxy)

    delivered = [stall_once(proxy, client, what) for _ in range(ROUNDS)]

    assert delivered == [True] * ROUNDS, proxy.log()
    assert_untroubled(proxy, connections=1)
    # Found by the look at the socket, and not only by a fresh wait.
    assert proxy.stats()["server_timeouts_recovered"] >= ROUNDS / 2


def test_without_the_recovery_the_same_stops_are_timeouts(case, start_proxy, connect):
    """The control: what the other test passes is no accident."""
    what, servers = case
    proxy = start_proxy(servers, pool=pool(timeout_recovery=False, on_down="error", health=PATIENT))

    delivered = stall_once(proxy, connect(proxy), what)

    assert not delivered
    assert failures(proxy.stats()) == {"server_failed_server_late": 1}
    assert proxy.stats()["server_incidents"] == 1


def test_a_stall_of_the_whole_host_grants_the_server_a_fresh_wait(start_memcached, start_proxy,
                                                                  connect):
    """Proxy and server are stopped together, and the reply comes a moment after both go on."""
    memcached = start_memcached()
    proxy = start_proxy([memcached], pool=pool(on_down="error"))
    client = connect(proxy)
    client.set(b"key", b"value")

    for _ in range(3):
        memcached.sigstop()
        client.send(b"get key\r\n")
        time.sleep(RESPONSE / 4)
        proxy.sigstop()
        time.sleep(STOP)
        proxy.sigcont()
        time.sleep(RESPONSE / 4)
        memcached.sigcont()
        assert client.read_values() == {b"key": b"value"}

    assert proxy.stats()["server_waits_granted"] == 3
    assert_untroubled(proxy, connections=1)


def test_a_stall_past_the_requests_own_limit_loses_no_reply_that_is_here(start_memcached,
                                                                         start_proxy, connect):
    memcached = start_memcached()
    proxy = start_proxy([memcached], pool=pool(request=1.5 * RESPONSE, connect=RESPONSE))
    client = connect(proxy)
    client.set(b"key", b"value")

    for _ in range(3):
        memcached.sigstop()
        client.send(b"get key\r\n")
        time.sleep(RESPONSE / 4)
        proxy.sigstop()
        memcached.sigcont()
        time.sleep(STOP)
        proxy.sigcont()
        assert client.read_values() == {b"key": b"value"}

    assert_untroubled(proxy, connections=1)


def test_a_connection_that_comes_about_while_we_are_stopped_is_used(start_proxy, connect):
    """The server's backlog is full at first. The kernel sends its SYN again after a second, past
    the connect timeout but within the stop."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, \
         socket.create_connection(listener.getsockname()):
        proxy = start_proxy(["127.0.0.1:%d" % listener.getsockname()[1]],
                            pool=pool(connect=0.5, on_down="error"))
        client = connect(proxy)
        client.send(b"get key\r\n")
        time.sleep(0.2)
        proxy.sigstop()
        listener.accept()[0].close()  # room for one more
        time.sleep(1.5)
        proxy.sigcont()

        listener.settimeout(5)
        with Peer(listener.accept()[0]) as server:
            assert server.recv_line() == b"get key"
            server.send(b"END\r\n")
            assert client.recv_line() == b"END"
        stats = proxy.stats()
        assert (stats["server_incidents"], stats["server_connections_opened"]) == (0, 1)


def test_five_millisecond_stops_under_load_trouble_nobody(start_memcached, start_proxy):
    """As a container that is throttled has them."""
    proxy = start_proxy([start_memcached()], pool=pool())
    chance = random.Random(5)

    with Load(proxy, clients=8) as load:
        wait_until(lambda: load.replies > 100, what="load")
        before, end = load.replies, time.monotonic() + 10
        while time.monotonic() < end:
            proxy.sigstop()
            time.sleep(0.005)
            proxy.sigcont()
            time.sleep(chance.uniform(0.001, 0.020))
        under_stops = load.replies - before

    assert under_stops > 1000
    assert_untroubled(proxy, connections=1)
