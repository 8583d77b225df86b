"""Sends batches of requests to two sides and holds their answers against each other."""

import itertools
import random
import re
import select

from differential.generator import NO_UNIQUE
from harness.text_client import connect

CAS_PLACE = re.compile(rb"<cas:([^>]+)>")
UNIQUE_OF_VALUE = re.compile(rb"VALUE (\S+) \d+ \d+ (\d+)\r\n")
META_LINE = re.compile(rb"^(?:HD|EN|NF|NS|EX|VA \d+)(?: [^\r\n]*)?\r\n", re.MULTILINE)
META_TIMES = re.compile(rb" ([tlch])\d+(?=[ \r])")
CLASSIC_NUMBER = re.compile(rb"(VALUE n\d \d+ )\d+((?: #)?\r\n\d+) *\r\n")
META_NUMBER = re.compile(rb"^VA \d+((?: [^\r\n]*)?\r\n\d+) *\r\n", re.MULTILINE)
META_SIZE = re.compile(rb"(?<= )s\d+(?=[ \r][^\n]*\n\d)")
SIZE_OF_HEADER = re.compile(rb"^(HD[^\r\n]*) s\d+", re.MULTILINE)
DEBUG_LINE = re.compile(rb"^(ME \S+) [^\r\n]*\r\n", re.MULTILINE)


class Difference(AssertionError):
    """The two sides did not answer the same."""


def comparable(replies):
    """Without CAS numbers, times, and what `me` tells of a server's inside. And without what hangs on
    whether an earlier reply still held an item: an incr or decr then makes a new one, else it writes
    in place, pads with blanks, and leaves the mark of a hit. Nor do keys before a bad one in a get,
    which memcached marks, and the proxy never sends."""
    replies = UNIQUE_OF_VALUE.sub(lambda found: found[0][:found.start(2) - found.start()] + b"#\r\n", replies)
    replies = META_LINE.sub(lambda found: META_TIMES.sub(rb" \1#", found[0]), replies)
    replies = SIZE_OF_HEADER.sub(rb"\1 s#", META_SIZE.sub(b"s#", replies))
    replies = CLASSIC_NUMBER.sub(rb"\1#\2\r\n", META_NUMBER.sub(rb"VA #\1\r\n", replies))
    return DEBUG_LINE.sub(rb"\1 #\r\n", replies)


class Side:
    """One server, or proxy, and what it has told so far."""

    def __init__(self, address, timeout=10.0):
        self.address = address
        self.timeout = timeout
        self.uniques = {}
        self.socket = None
        self.ends = itertools.count(1)

    def _connect(self):
        if self.socket is None:
            self.socket = connect(self.address, self.timeout)
            self.socket.setblocking(False)

    def _bytes_of(self, request):
        return CAS_PLACE.sub(lambda found: self.uniques.get(found[1], NO_UNIQUE), request.data)

    def converse(self, batch, rng=None):
        """The answers to the requests, up to the end of the stream where it ends. `rng` cuts them at
        random places."""
        self._connect()
        number = next(self.ends)
        data = b"".join(map(self._bytes_of, batch)) + b"ms end 3 k O%d\r\nend\r\n" % number
        end = b"HD kend O%d\r\n" % number
        answers = bytearray()
        for piece in pieces(data, rng):
            self._send(piece, answers)
        while not answers.endswith(end):
            if not self._receive(answers):
                break
        self.uniques.update(UNIQUE_OF_VALUE.findall(answers))
        return bytes(answers.removesuffix(end))

    def _send(self, piece, answers):
        """Reads meanwhile, as who does not read is not read."""
        view = memoryview(piece)
        while view and self.socket is not None:
            try:
                view = view[self.socket.send(view):]
            except BlockingIOError:
                readable, writable, _ = select.select([self.socket], [self.socket], [], self.timeout)
                assert readable or writable, f"{self.address} takes no more"
                if readable:
                    self._receive(answers)
            except (BrokenPipeError, ConnectionResetError):
                return

    def _receive(self, answers):
        """False at the end of the stream."""
        readable, _, _ = select.select([self.socket], [], [], self.timeout)
        if not readable:
            raise Difference(f"{self.address} says no more behind {bytes(answers[-200:])!r}")
        try:
            got = self.socket.recv(1 << 20)
        except ConnectionResetError:
            got = b""
        answers += got
        if not got:
            self.close()
        return bool(got)

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def pieces(data, rng):
    if rng is None:
        return [data]
    reach = len(data) if rng.random() < 0.5 else min(len(data), 300)
    cuts = sorted(rng.randrange(reach + 1) for _ in range(rng.choice([0, 0, 1, 2, 5])))
    return [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)])]


def compare(generator, tested, oracle, requests):
    """Sends at least so many requests to both. Difference at the first batch that is answered
    differently."""
    rng = random.Random(generator.rng.random())
    count = 0
    while count < requests:
        batch = generator.batch()
        expected = comparable(oracle.converse(batch))
        found = comparable(tested.converse(batch, rng))
        if found != expected:
            raise Difference(explain(batch, found, expected, count))
        count += len(batch)
    return count


def explain(batch, found, expected, count):
    at = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
    lines = [f"behind {count} requests, at byte {at} of the answers:",
             f"  expected ...{expected[max(0, at - 60):at + 100]!r}",
             f"  found    ...{found[max(0, at - 60):at + 100]!r}", "to:"]
    lines += [f"  {request.data[:120]!r} ({len(request.data)} bytes)" for request in batch]
    return "\n".join(lines)
