"""Ending, and what must not end it."""

import os
import signal
import struct
import socket
import threading
import time

import pytest

from harness import TextClient, memcached_like, wait_until

PATIENT = {"timeouts": {"connect": "1s", "response": "20s", "request": "30s"}}


class SlowServer:
    """Answers each get when it is told to."""

    def __init__(self, start_fake):
        self.asked = threading.Event()
        self.answer = threading.Event()
        self.server = start_fake(memcached_like(self._reply))

    def _reply(self, _peer, words, _body):
        self.asked.set()
        self.answer.wait(20)
        return b"VALUE %s 0 5\r\nvalue\r\nEND\r\n" % words[1] if words[0] == b"get" else b"STORED\r\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("workers", [1, 4])
def test_a_request_in_flight_is_answered_before_the_end(number, workers, start_fake, start_proxy, connect):
    slow = SlowServer(start_fake)
    proxy = start_proxy([slow.server], pool=PATIENT, workers=workers)
    client, idle = connect(proxy), connect(proxy)
    client.send(b"get key\r\n")
    assert slow.asked.wait(5)

    proxy.process.signal(number)
    proxy.process.wait_for_log("stopping")
    idle.expect_eof()
    with pytest.raises(OSError):
        TextClient(proxy.address)
    assert proxy.process.returncode is None
    slow.answer.set()

    assert client.read_values() == {b"key": b"value"}
    assert client.expect_eof() == b""
    assert proxy.process.wait() == 0


def test_a_request_that_is_never_answered_holds_it_for_the_drain_timeout_only(start_fake, start_proxy,
                                                                           connect):
    slow = SlowServer(start_fake)
    proxy = start_proxy([slow.server], pool=PATIENT, shutdown={"drain_timeout": "300ms"})
    client = connect(proxy)
    client.send(b"get key\r\n")
    assert slow.asked.wait(5)

    begin = time.monotonic()
    proxy.stop()
    took = time.monotonic() - begin
    slow.answer.set()

    assert 0.3 <= took < 1.5
    client.expect_eof()


def test_a_client_that_does_not_read_its_reply_holds_it_for_the_drain_timeout_only(
        start_memcached, start_proxy, connect):
    proxy = start_proxy([start_memcached()], shutdown={"drain_timeout": "300ms"})
    client = connect(proxy)
    client.set(b"key", b"x" * 4_000_000)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.send(b"get key key key\r\n")
    time.sleep(0.2)

    begin = time.monotonic()
    proxy.stop()

    assert time.monotonic() - begin < 1.5


def test_without_clients_it_ends_at_once(start_memcached, start_proxy):
    proxy = start_proxy([start_memcached()], workers=4)

    begin = time.monotonic()
    proxy.stop()

    assert time.monotonic() - begin < 1.0


def test_sighup_opens_a_log_file_again_that_was_moved_away(tmp_path, start_memcached, start_proxy, connect):
    log, moved = tmp_path / "mcsteady.log", tmp_path / "mcsteady.log.1"
    # Ready is said in the file, so the listener must be one whose address is known.
    proxy = start_proxy([start_memcached()], log={"file": str(log)}, ready=False,
                        listen=[f"unix:{tmp_path}/mcsteady.sock"])
    wait_until(lambda: log.exists() and "ready" in log.read_text(), what="ready in the log file")
    os.rename(log, moved)

    proxy.process.signal(signal.SIGHUP)
    wait_until(lambda: log.exists() and "log opened again" in log.read_text(), what="a new log file")
    proxy.stop()

    assert "stopped" in log.read_text()
    assert "stopped" not in moved.read_text()


def test_sighup_under_traffic_loses_nothing(start_memcached, start_proxy, connect):
    proxy = start_proxy([start_memcached()], workers=4)
    client = connect(proxy)

    for n in range(200):
        proxy.process.signal(signal.SIGHUP)
        assert client.set(b"key", b"%d" % n) == b"STORED"
        assert client.get(b"key") == b"%d" % n


def test_sigpipe_does_not_end_it(start_memcached, start_proxy, connect):
    proxy = start_proxy([start_memcached()], workers=2)
    client = connect(proxy)
    client.set(b"key", b"x" * 1_000_000)

    proxy.process.signal(signal.SIGPIPE)
    for _ in range(20):  # hang up, with a reset, in the middle of a reply
        with proxy.client() as gone:
            gone.send(b"get key key key key\r\n")
            gone.recv_exact(10)
            gone.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    assert len(client.get(b"key")) == 1_000_000
    assert proxy.process.returncode is None
    wait_until(lambda: client.stats()["curr_connections"] == 1, what="the clients' end")
