"""Allocations of a running mcsteady, a request, once it is warm: none on the hot path.

    hot_path_allocation_test.py MCSTEADY ALLOCATION_COUNT_LIBRARY
"""

import mmap
import struct
import sys
import tempfile
import unittest

import processes

HEADER = struct.Struct(">BBHBBHIIQ")  # of the binary protocol


def binary(opcode, key=b"", extras=b"", value=b"", status=None):
    """A request, or a reply without its CAS where there is a status."""
    magic = 0x80 if status is None else 0x81
    body_size = len(extras) + len(key) + len(value)
    return HEADER.pack(magic, opcode, len(key), len(extras), 0, status or 0, body_size, 0, 0) \
        + extras + key + value


def without_cas(replies):
    """The same binary replies, their CAS zeroed."""
    replies = bytearray(replies)
    begin = 0
    while begin + HEADER.size <= len(replies):
        body_size = HEADER.unpack_from(replies, begin)[6]
        replies[begin + 16:begin + 24] = bytes(8)
        begin += HEADER.size + body_size
    return bytes(replies)


REQUESTS = 10_000
CLIENTS = 8
PIPELINE = 10
# name, request, reply. A delete is followed by the set that makes the next one a hit again.
VALUE = b"v" * 100
STORE = b"set hot 0 0 100\r\n" + VALUE + b"\r\n"
CASES = [
    ("get, hit", b"get hot\r\n", b"VALUE hot 0 100\r\n" + VALUE + b"\r\nEND\r\n"),
    ("get, miss", b"get cold\r\n", b"END\r\n"),
    ("set", STORE, b"STORED\r\n"),
    ("set noreply, get", b"set hot 0 0 100 noreply\r\n" + VALUE + b"\r\nget cold\r\n", b"END\r\n"),
    ("delete, hit", b"delete hot\r\n" + STORE, b"DELETED\r\nSTORED\r\n"),
    ("delete, miss", b"delete cold\r\n", b"NOT_FOUND\r\n"),
    ("mg, hit", b"mg hot v\r\n", b"VA 100\r\n" + VALUE + b"\r\n"),
    ("mg, miss", b"mg cold v\r\n", b"EN\r\n"),
    ("ms", b"ms hot 100\r\n" + VALUE + b"\r\n", b"HD\r\n"),
    ("md, hit", b"md hot\r\n" + STORE, b"HD\r\nSTORED\r\n"),
    ("md, miss", b"md cold\r\n", b"NF\r\n"),
    ("binary get, hit", binary(0x00, b"hot"), binary(0x00, extras=bytes(4), value=VALUE, status=0)),
    ("binary getk, miss", binary(0x0C, b"cold"), binary(0x0C, b"cold", status=1)),
    ("binary set", binary(0x01, b"hot", bytes(8), VALUE), binary(0x01, status=0)),
    ("binary setq, noop", binary(0x11, b"hot", bytes(8), VALUE) + binary(0x0A), binary(0x0A, status=0)),
    ("binary delete, miss", binary(0x04, b"cold"), binary(0x04, value=b"Not found", status=1)),
]


class Counter:
    """The page that the preloaded library writes to."""

    def __init__(self, directory):
        self.path = f"{directory}/allocations"
        with open(self.path, "wb") as file:
            file.write(bytes(16))
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 16)

    def count(self):
        return struct.unpack_from("<Q", self.page)[0]

    def want_stacks(self, count):
        struct.pack_into("<q", self.page, 8, count)


def exchange(connection, requests, replies):
    connection.sendall(requests)
    have = b""
    while len(have) < len(replies):
        got = connection.recv(65536)
        if not got:
            raise EOFError("the connection was closed")
        have += got
    if requests[0] == 0x80:
        have = without_cas(have)
    if have != replies:
        raise ValueError(f"a wrong reply to {requests[:60]!r}: {have[:60]!r}")


class HotPath(unittest.TestCase):
    def test_a_request_allocates_nothing_once_the_proxy_is_warm(self):
        title = f"allocations of {REQUESTS} requests"
        print(f"\n{title:34} {'alone':>6} {'pipelined':>10}")
        for name, request, reply in CASES:
            with self.subTest(name):
                exchange(self.clients[0], STORE, b"STORED\r\n")
                alone = self.allocations(request, reply, 1)
                pipelined = self.allocations(request, reply, PIPELINE)
                print(f"{name:34} {alone:6} {pipelined:10}")
                self.assertEqual((alone, pipelined), (0, 0), self.stacks(request, reply))

    def allocations(self, request, reply, pipeline):
        self.run_requests(request, reply, pipeline, REQUESTS // 10)
        before = self.counter.count()
        self.run_requests(request, reply, pipeline, REQUESTS)
        return self.counter.count() - before

    def run_requests(self, request, reply, pipeline, count):
        clients = self.binary_clients if request[0] == 0x80 else self.clients
        for number in range(count // pipeline):
            exchange(clients[number % CLIENTS], request * pipeline, reply * pipeline)

    def stacks(self, request, reply):
        """Where the next allocations of this request are made, as the log has it then."""
        with open(f"{self.directory}/mcsteady.log") as log:
            log.seek(0, 2)
            self.counter.want_stacks(2)
            self.run_requests(request, reply, 1, REQUESTS)
            self.counter.want_stacks(0)
            return log.read()

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = scratch.name
        processes.open_to_others(cls.directory)
        places = processes.Places("unix", cls.directory)
        memcached = processes.start_memcached(places.next(), cls.directory)
        cls.addClassCleanup(memcached.stop)
        cls.counter = Counter(cls.directory)
        mcsteady = processes.start_mcsteady(
            cls.binary, [memcached.endpoint], places.next(), cls.directory,
            env={"LD_PRELOAD": cls.library, "MCSTEADY_ALLOCATION_COUNT": cls.counter.path})
        cls.addClassCleanup(mcsteady.stop)
        cls.clients = [processes.connect(mcsteady.endpoint) for _ in range(CLIENTS)]
        cls.binary_clients = [processes.connect(mcsteady.endpoint) for _ in range(CLIENTS)]
        for client in cls.clients + cls.binary_clients:
            cls.addClassCleanup(client.close)
        if cls.counter.count() == 0:
            raise RuntimeError("nothing was counted while it started: the library is not at work")


if __name__ == "__main__":
    HotPath.library = sys.argv.pop(2)
    HotPath.binary = sys.argv.pop(1)
    unittest.main()
