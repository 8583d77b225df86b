"""The binary front beside a memcached that speaks binary itself: the same random requests, cut at
random places, get the same replies, byte for byte but for the CAS, of which only whether there is
one. The memcacheds behind the proxy have binary switched off.

Left out is what memcached answers by chance: whether decr pads a number with blanks depends on what
else holds the item at the moment, so trailing blanks of numbers do not count. And what it does not do:
an ms that is refused as too large takes the old value away, whatever its mode, where in binary only a
set does; so only sets are too large here."""

import dataclasses
import os
import random
import struct

import pytest

from harness import BinaryClient, packet, wait_until

SEEDS = [int(seed) for seed in os.environ.get("MCSTEADY_SEEDS", "1 2 3 4").split()]
BATCHES = int(os.environ.get("MCSTEADY_BATCHES", "1000"))
REQUESTS_MAX = 16  # in a batch
LAST = 0xFFFFFFFF  # the opaque of the noop that ends a batch

TEXT_KEYS = [b"k0", b"k1", b"k2", "schlüssel".encode(), b"k" * 250, b"with blank", b"a\r\nb",
             bytes(range(186)), b"\x7f"]
NUMBER_KEYS = [b"n0", b"n1", b"n\t2"]
SIZES = [0, 1, 5, 100, 8191, 8192, 8193, 16344, 16384, 16424, 32768, 65535, 65537]
LARGE_SIZES = [1048000, 1048576, 1200000]  # about the servers' limit, both sides of it
FLAGS = [0, 1, 77, 0xFFFF, 0xFFFFFFFF]
EXPTIMES = [0, 0, 0, 1000, 2592000, 2592001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
NUMBERS = [0, 1, 2, 9, 10, 99, 2**32, 2**63, 2**64 - 1]


@dataclasses.dataclass
class Request:
    opcode: str
    key: bytes = b""
    extras: bytes = b""
    value: bytes = b""
    cas: str = "none"  # "right": the last one seen of the key; "wrong"

    def bytes(self, opaque, seen_cas):
        cas = {"none": 0, "wrong": 1 << 60, "right": seen_cas.get(self.key, 0)}[self.cas]
        return packet(self.opcode, self.key, self.extras, self.value, opaque, cas)


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def batch(self):
        requests = [self.request() for _ in range(self.rng.randint(1, REQUESTS_MAX))]
        if self.rng.random() < 0.01:
            requests.append(Request(self.quietly("flush")))
        return requests

    def quietly(self, name):
        return name + "q" if self.rng.random() < 0.4 else name

    def cas(self):
        return self.rng.choices(["none", "right", "wrong"], [6, 3, 1])[0]

    def value(self):
        """What is never a number, so that the keys of texts stay such."""
        sizes = LARGE_SIZES if self.rng.random() < 0.01 else SIZES
        size = self.rng.choice(sizes)
        text = self.rng.randbytes(min(size, 100)) * (max(size, 100) // 100 + 1)
        return (b"x" + text)[:size]

    def request(self):
        kinds = [self.get, self.touch, self.store, self.extend, self.count, self.store_number,
                 self.delete, self.keyless]
        return self.rng.choices(kinds, [5, 3, 5, 2, 4, 2, 2, 1])[0]()

    def any_key(self):
        return self.rng.choice(TEXT_KEYS + NUMBER_KEYS)

    def get(self):
        return Request(self.quietly(self.rng.choice(["get", "getk"])), self.any_key())

    def touch(self):
        name = self.rng.choice(["touch", "gat", "gatk", "gatq", "gatkq"])
        return Request(name, self.any_key(), struct.pack(">I", self.rng.choice(EXPTIMES)))

    def store(self):
        extras = struct.pack(">II", self.rng.choice(FLAGS), self.rng.choice(EXPTIMES))
        value = self.value()
        small = ["add", "replace"] if len(value) < min(LARGE_SIZES) else []
        return Request(self.quietly(self.rng.choice(["set", "set", *small])),
                       self.rng.choice(TEXT_KEYS), extras, value, self.cas())

    def extend(self):
        return Request(self.quietly(self.rng.choice(["append", "prepend"])),
                       self.rng.choice(TEXT_KEYS), b"", self.value()[:1000], self.cas())

    def store_number(self):
        extras = struct.pack(">II", self.rng.choice(FLAGS), 0)
        return Request(self.quietly(self.rng.choice(["set", "add", "replace"])),
                       self.rng.choice(NUMBER_KEYS), extras, str(self.rng.choice(NUMBERS)).encode(),
                       self.cas())

    def count(self):
        key = self.any_key()
        exptime = self.rng.choice([0, 1000, 0xFFFFFFFF]) if key in NUMBER_KEYS else 0xFFFFFFFF
        extras = struct.pack(">QQI", self.rng.choice(NUMBERS), self.rng.choice(NUMBERS), exptime)
        return Request(self.quietly(self.rng.choice(["incr", "decr"])), key, extras, b"", self.cas())

    def delete(self):
        return Request(self.quietly("delete"), self.any_key(), cas=self.cas())

    def keyless(self):
        return self.rng.choice([Request("noop"), Request("verbosity"), Request("sasl_list"),
                                Request(0x50)])


def comparable(reply):
    value = reply.value.rstrip(b" ") if reply.value[:1].isdigit() else reply.value
    return (reply.opcode, reply.status, reply.extras, reply.key, value, reply.opaque, reply.cas != 0)


class Side:
    """One of the two: its connection, and the CAS that it has told of each key."""

    def __init__(self, process):
        self.process = process
        self.client = BinaryClient(process.address, timeout=10.0)
        self._cas = {}

    def ask(self, requests, rng):
        data = b"".join(request.bytes(opaque, self._cas) for opaque, request in enumerate(requests))
        self.client.send_in_pieces(data + packet("noop", opaque=LAST), rng, rng.choice([0, 0, 1, 5]))
        replies = self.client.replies_until(LAST)
        for reply in replies:
            if reply.cas and reply.status == 0:
                self._cas[requests[reply.opaque].key] = reply.cas
        return replies


@pytest.fixture
def sides(start_memcached, start_proxy, stack):
    """A memcached, and a proxy before two that speak no binary."""
    limit = ["-I", "1m"]
    direct = start_memcached(arguments=limit)
    proxy = start_proxy([start_memcached(arguments=[*limit, "-B", "ascii"]) for _ in range(2)])
    made = [Side(each) for each in (direct, proxy)]
    for side in made:
        stack.callback(side.client.close)
    return made


def seen_in_text(client, key):
    """Flags, size and thousands of seconds to live, unless those are years, as a client of the meta
    protocol sees them."""
    code, flags, size, ttl = client.command(b"mg " + key + b" f s t").split()
    seconds = int(ttl[1:])
    return code, flags, size, "years" if seconds > 10**8 else round(seconds / 1000)


@pytest.mark.deadline(120)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_requests_get_the_replies_of_memcached(seed, sides):
    generator = Generator(seed)
    for number in range(BATCHES):
        requests = generator.batch()
        direct, proxied = [side.ask(requests, generator.rng) for side in sides]
        if list(map(comparable, direct)) == list(map(comparable, proxied)):
            continue
        wrong = next((pair for pair in zip(direct, proxied) if comparable(pair[0]) != comparable(pair[1])),
                     (direct[-1:], proxied[-1:]))
        summary = [(r.opcode, r.key[:20], r.extras, len(r.value), r.cas) for r in requests]
        pytest.fail(f"seed {seed}, batch {number}: {str(wrong)[:1500]}\nfor {summary}")


def test_text_clients_see_what_binary_ones_have_stored(sides):
    keys = [key for key in TEXT_KEYS if not any(byte <= 32 or byte == 127 for byte in key)]
    rng = random.Random(5)
    for side in sides:
        rng.seed(5)
        side.ask([Request("set", key, struct.pack(">II", rng.choice(FLAGS), rng.choice([0, 1000, 5000, LAST])),
                          b"x" * rng.randrange(100)) for key in keys], rng)

    seen = []
    for side in sides:
        with side.process.client() as client:
            seen.append([seen_in_text(client, key) for key in keys])
    assert seen[0] == seen[1]


MALFORMED = [
    pytest.param(packet("get"), id="get without a key"),
    pytest.param(packet("get", b"k", b"1234"), id="get with extras"),
    pytest.param(packet("get", b"k" * 251), id="key of 251 bytes"),
    pytest.param(packet("set", b"k", value=b"v"), id="set without extras"),
    pytest.param(packet("set", b"", b"12345678", b"v"), id="set without a key"),
    pytest.param(packet("append", b"k", b"1234", b"v"), id="append with extras"),
    pytest.param(packet("delete", b"k", b"1234"), id="delete with extras"),
    pytest.param(packet("incr", b"k", b"12345678"), id="incr with short extras"),
    pytest.param(packet("touch", b"k"), id="touch without extras"),
    pytest.param(packet("flush", extras=b"12"), id="flush with short extras"),
    pytest.param(packet("flush", b"k"), id="flush with a key"),
    pytest.param(packet("noop", b"k"), id="noop with a key"),
    pytest.param(packet("version", extras=b"1234"), id="version with extras"),
    pytest.param(packet("stat", extras=b"1234"), id="stat with extras"),
    pytest.param(packet("quit", b"k"), id="quit with a key"),
    pytest.param(packet("get", b"key", body_size=2), id="body shorter than the key"),
    pytest.param(packet("set", b"k", b"12345678", body_size=8), id="body shorter than extras and key"),
    pytest.param(packet("noop", magic=0x00), id="magic 0"),
    pytest.param(packet("noop", magic=0x81), id="the magic of a reply"),
    pytest.param(packet("sasl_list", b"k"), id="sasl list with a key"),
    pytest.param(packet("sasl_auth", b""), id="sasl auth without a key"),
    pytest.param(packet("quit", opaque=77), id="quit"),
    pytest.param(packet("quitq", opaque=77), id="quitq"),
]


@pytest.mark.parametrize("request_bytes", MALFORMED)
def test_what_ends_a_connection_ends_it_in_the_same_way(request_bytes, sides):
    seen = []
    for side in sides:
        side.client.socket.sendall(packet("noop", opaque=1) + request_bytes + packet("noop", opaque=2))
        seen.append(list(map(comparable, side.client.replies_until_end())))

    assert seen[0] == seen[1]


def test_unknown_stats_get_the_same_reply(sides):
    data = packet("stat", b"nonsense", opaque=5)

    replies = []
    for side in sides:
        side.client.socket.sendall(data)
        replies.append(comparable(side.client.reply()))

    assert replies[0] == replies[1]


def test_stats_end_with_an_empty_reply(sides):
    for side in sides:
        side.client.socket.sendall(packet("stat", opaque=5) + packet("noop", opaque=6))
        replies = side.client.replies_until(6)
        assert len(replies) > 10
        assert all(reply.key and reply.opaque == 5 for reply in replies[:-1])
        assert (replies[-1].key, replies[-1].value) == (b"", b"")


def test_expired_items_are_gone_for_both(sides):
    def get(side):
        side.client.socket.sendall(packet("get", b"key"))
        return side.client.reply().status
    for side in sides:
        side.client.socket.sendall(packet("set", b"key", struct.pack(">II", 0, 1), b"value"))
        assert side.client.reply().status == 0
        assert get(side) == 0

    for side in sides:
        wait_until(lambda each=side: get(each) == 1, timeout=5.0, every=0.1, what="expiry")
