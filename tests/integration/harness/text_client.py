"""The text protocol by hand, with a deadline for everything."""

import socket
import time


def connect(address, timeout):
    """A socket to "host:port", "[v6]:port", or "unix:/path", which may be "/path" for short."""
    if address.startswith(("unix:", "/")):
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(timeout)
        try:
            made.connect(address.removeprefix("unix:"))
        except OSError:
            made.close()
            raise
        return made
    host, port = address.rsplit(":", 1)
    made = socket.create_connection((host.strip("[]"), int(port)), timeout)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def number_or_text(text):
    try:
        return int(text)
    except ValueError:
        return text


class TextClient:
    """One connection. Every call raises TimeoutError after `timeout` s, and EOFError at the end of
    the stream. Keys and values are bytes; lines come without their \\r\\n."""

    def __init__(self, address, timeout=5.0):
        self.timeout = timeout
        self.socket = connect(address, timeout)
        self._input = bytearray()

    # Bytes.

    def send(self, data):
        self.socket.settimeout(self.timeout)
        self.socket.sendall(data)

    def _receive(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"no more within {self.timeout} s behind {bytes(self._input[-200:])!r}")
        self.socket.settimeout(left)
        try:
            data = self.socket.recv(1 << 18)
        except socket.timeout:
            raise TimeoutError(
                f"no more within {self.timeout} s behind {bytes(self._input[-200:])!r}") from None
        if not data:
            raise EOFError(f"the connection ended behind {bytes(self._input[-200:])!r}")
        self._input += data

    def recv_until(self, token):
        """Everything up to and with `token`."""
        deadline = time.monotonic() + self.timeout
        searched = 0
        while (at := self._input.find(token, searched)) < 0:
            searched = max(0, len(self._input) - len(token) + 1)
            self._receive(deadline)
        return self._take(at + len(token))

    def recv_line(self):
        return self.recv_until(b"\r\n")[:-2]

    def recv_exact(self, count):
        deadline = time.monotonic() + self.timeout
        while len(self._input) < count:
            self._receive(deadline)
        return self._take(count)

    def _take(self, count):
        taken = bytes(self._input[:count])
        del self._input[:count]
        return taken

    def expect_eof(self):
        """Everything until the peer closes; a reset counts as the end."""
        deadline = time.monotonic() + self.timeout
        try:
            while True:
                self._receive(deadline)
        except (EOFError, ConnectionResetError):
            return self._take(len(self._input))

    def expect_silence(self, seconds):
        """AssertionError if anything, the end too, comes within `seconds`."""
        assert not self._input, f"unread: {bytes(self._input[:200])!r}"
        self.socket.settimeout(seconds)
        try:
            data = self.socket.recv(4096)
        except socket.timeout:
            return
        raise AssertionError(f"{data[:200]!r} came where silence was due")

    # Requests.

    def command(self, line):
        """Sends one line and returns the line that answers."""
        self.send(line + b"\r\n")
        return self.recv_line()

    def store(self, verb, key, value, flags=0, ttl=0, extra=b""):
        head = b"%s %s %d %d %d%s\r\n" % (verb, key, flags, ttl, len(value), extra)
        self.send(head + value + b"\r\n")
        return self.recv_line()

    def set(self, key, value, flags=0, ttl=0):
        return self.store(b"set", key, value, flags, ttl)

    def get(self, key):
        """The value, or None for a miss."""
        return self.get_many([key]).get(key)

    def get_many(self, keys):
        self.send(b"get " + b" ".join(keys) + b"\r\n")
        return self.read_values()

    def read_values(self):
        """{key: value} of one answer to get, up to its END. AssertionError for any other line."""
        values = {}
        while (line := self.recv_line()) != b"END":
            word, key, _, size = line.split()[:4]
            assert word == b"VALUE", line
            data = self.recv_exact(int(size) + 2)
            assert data.endswith(b"\r\n"), data[-20:]
            values[key] = data[:-2]
        return values

    def stats(self, arguments=""):
        self.send(f"stats {arguments}".rstrip().encode() + b"\r\n")
        found = {}
        while (line := self.recv_line()) != b"END":
            word, name, value = line.decode().split(" ", 2)
            assert word == "STAT", line
            found[name] = number_or_text(value)
        return found

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
