"""Socket calls on server connections, an operation, against those of the reader that mcsteady's
follows (measured with memcached on a unix socket, as here).

    socket_calls_test.py MCSTEADY

Counts, not timings. What a busy machine adds is pieces: a value that comes in more of them takes
more receives. Hence the quietest of some rounds is held against the figure.
"""

import statistics
import sys
import tempfile
import unittest

import processes
from counters import SyscallTrace

KIB = 1024
# name, keys a get, bytes a value, at most so many calls an operation
CASES = [
    ("get 1 KB", 1, 1 * KIB, 2.0),
    ("get 16 KB", 1, 16 * KIB, 4.2),
    ("get 128 KB", 1, 128 * KIB, 5.6),
    ("get 512 KB", 1, 512 * KIB, 11.7),
    ("get 2 MB", 1, 2048 * KIB, 36.8),
    ("get_multi 40 x 4 KB", 40, 4 * KIB, 22.5),
    ("get_multi 40 x 12 KB", 40, 12 * KIB, 62.6),
    ("get_multi 20 x 64 KB", 20, 64 * KIB, 45.3),
]
ROUNDS = 5
OPERATIONS = 40  # a round


class Client:
    """Blocking: one request, then the whole of its reply."""

    def __init__(self, endpoint):
        self.socket = processes.connect(endpoint)
        self.buffer = bytearray(4 * KIB * KIB)

    def ask(self, command, reply):
        self.socket.sendall(command)
        view = memoryview(self.buffer)
        have = 0
        while have < len(reply):
            got = self.socket.recv_into(view[have:])
            if got == 0:
                raise EOFError("the connection was closed")
            have += got
        if view[:have] != reply:
            raise ValueError(f"a wrong reply to {command[:60]!r}: {bytes(view[:60])!r}")


def store_and_compose(client, keys, size):
    """The command that gets the stored values, and its reply."""
    value = bytes(i % 251 for i in range(size))
    names = [b"size%d:%d" % (size, i) for i in range(keys)]
    for name in names:
        client.ask(b"set %s 0 0 %d\r\n%s\r\n" % (name, size, value), b"STORED\r\n")
    items = [b"VALUE %s 0 %d\r\n%s\r\n" % (name, size, value) for name in names]
    return b"get " + b" ".join(names) + b"\r\n", b"".join(items) + b"END\r\n"


class SocketCalls(unittest.TestCase):
    def test_a_server_connection_is_called_no_oftener_than_the_readers_figures(self):
        print(f"\n{'socket calls an operation':26} {'at most':>8} {'mcsteady':>9} {'recv':>6} "
              f"{'send':>6} {'median':>7}")
        for name, keys, size, limit in CASES:
            with self.subTest(name):
                rounds = self.count(keys, size)
                calls, receives, sends = min(rounds)
                median = statistics.median(total for total, _, _ in rounds)
                print(f"{name:26} {limit:8.1f} {calls:9.2f} {receives:6.2f} {sends:6.2f} "
                      f"{median:7.2f}")
                self.assertLessEqual(calls, limit)

    def count(self, keys, size):
        """Of each round: calls, receives and sends an operation."""
        client = Client(self.mcsteady.endpoint)
        self.addCleanup(client.socket.close)
        command, reply = store_and_compose(client, keys, size)
        for _ in range(10):
            client.ask(command, reply)
        return [self.count_round(client, command, reply) for _ in range(ROUNDS)]

    def count_round(self, client, command, reply):
        with SyscallTrace(self.mcsteady.pid, self.mcsteady.endpoint, self.directory) as trace:
            for _ in range(OPERATIONS):
                client.ask(command, reply)
        receives, sends = trace.kinds["server recv"], trace.kinds["server send"]
        self.assertGreater(receives, 0, "no server connection was seen")
        return (receives + sends) / OPERATIONS, receives / OPERATIONS, sends / OPERATIONS

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = scratch.name
        processes.open_to_others(cls.directory)
        places = processes.Places("unix", cls.directory)
        memcached = processes.start_memcached(places.next(), cls.directory)
        cls.addClassCleanup(memcached.stop)
        cls.mcsteady = processes.start_mcsteady(cls.binary, [memcached.endpoint], places.next(),
                                                cls.directory)
        cls.addClassCleanup(cls.mcsteady.stop)


if __name__ == "__main__":
    SocketCalls.binary = sys.argv.pop(1)
    unittest.main()
