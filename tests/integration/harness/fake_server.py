"""A server whose every byte the test decides."""

import os
import socket
import ssl
import struct
import tempfile
import threading

from harness.text_client import TextClient


class Peer(TextClient):
    """The server's end of one accepted connection."""

    def __init__(self, accepted, timeout=30.0):  # pylint: disable=super-init-not-called
        self.timeout = timeout
        self.socket = accepted
        self._input = bytearray()

    def say_goodbye(self):
        """Closes, over TLS with a close_notify, which close() does not send."""
        if isinstance(self.socket, ssl.SSLSocket):
            try:
                self.socket.settimeout(0.5)
                self.socket.unwrap()
            except OSError:
                pass  # the other side has closed without one
        self.close()

    def reset(self):
        """Closes with a RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


class FakeServer:
    """Calls `handler(peer)` in a thread of its own for each connection, and closes the connection
    when that returns. The end of the stream in a handler is no error; an AssertionError is raised
    again where the server is closed. `accepted` counts connections. `tls`: an ssl.SSLContext."""

    def __init__(self, handler, unix=False, backlog=1024, receive_buffer=None, host="127.0.0.1",
                 port=0, tls=None):
        self._tls = tls
        self._handler = handler
        self._dir = None
        if unix:
            self._dir = tempfile.TemporaryDirectory(prefix="mcsteady-fake-")
            self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._listener.bind(f"{self._dir.name}/socket")
            self.address = f"unix:{self._dir.name}/socket"
        else:
            self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            if receive_buffer:
                self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            self._listener.bind((host, port))
            self.address = "%s:%d" % self._listener.getsockname()
        self._listener.listen(backlog)
        self._lock = threading.Lock()
        self._peers = []
        self._threads = []
        self._closed = False
        self.accepted = 0
        self.failures = []
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def _accept(self):
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            if accepted.family == socket.AF_INET:
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer = Peer(accepted)
            thread = threading.Thread(target=self._serve, args=(peer,), daemon=True)
            with self._lock:
                if self._closed:
                    accepted.close()
                    return
                self.accepted += 1
                self._peers.append(peer)
                self._threads.append(thread)
            thread.start()

    def _serve(self, peer):
        try:
            if self._tls:
                peer.socket.settimeout(peer.timeout)
                peer.socket = self._tls.wrap_socket(peer.socket, server_side=True)
            self._handler(peer)
        except (EOFError, OSError):
            pass  # the proxy, or the test, closed it
        except Exception as failure:  # pylint: disable=broad-except
            self.failures.append(failure)
        finally:
            peer.close()
            with self._lock:
                self._peers.remove(peer)

    @property
    def open_connections(self):
        with self._lock:
            return len(self._peers)

    def close(self):
        with self._lock:
            self._closed = True
            peers, threads = list(self._peers), list(self._threads)
        try:
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept
        except OSError:
            pass
        self._listener.close()
        for peer in peers:
            try:
                peer.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._acceptor.join(5)
        for thread in threads:
            thread.join(5)
        if self._dir:
            self._dir.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        self.close()
        if failure is None and self.failures:
            raise self.failures[0]


def memcached_like(reply):
    """A handler that calls `reply(peer, words, body)` for each request, and answers what mcsteady
    asks on its own (`version`, `mn`) itself. `words` are the line's, `body` is None where the
    command has none. Bytes that `reply` returns are sent."""
    stores = {b"set", b"add", b"replace", b"append", b"prepend", b"cas"}

    def handler(peer):
        while True:
            words = peer.recv_line().split()
            body = None
            if words[0] in stores:
                body = peer.recv_exact(int(words[4]) + 2)[:-2]
            elif words[0] == b"ms":
                body = peer.recv_exact(int(words[2]) + 2)[:-2]
            if words[0] == b"version":
                answer = b"VERSION 1.6.18\r\n"
            elif words[0] == b"mn":
                answer = b"MN\r\n"
            else:
                answer = reply(peer, words, body)
            if answer:
                peer.send(answer)
    return handler
