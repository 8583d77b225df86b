"""A seeded generator of classic and meta requests, good, borderline and malformed.

What memcached itself answers by chance is kept out of the way, as the methods say: some
requests come first in their batch, when no reply is under way, and no item lives for seconds only.
What versions of memcached answer differently is left out of `sound` requests: all that is malformed."""

import base64
import random

SIZES = [0, 1, 2, 5, 100, 500, 2040, 2048, 8191, 8192, 8193, 16344, 16384, 16424, 32728, 32768, 32808,
         65535, 65536, 65537]
# About the 1 MiB that servers take; 1,048,400 or so is the border, by the length of the key.
LARGE_SIZES = [1047000, 1048350, 1048576, 1048577, 1100000]
KEYS = [b"k0", b"k1", b"k2", b"k3", b"K0", "schlüssel".encode(), "鍵".encode(), b"k" * 249, b"k" * 250,
        b"!", b"q", b"noreply", b"get", b"\xff\xfe\x80"]
BAD_KEYS = [b"b" * 251, b"b" * 300, "ü".encode() * 126]
NUMBER_KEYS = [b"n0", b"n1", b"n2"]
BINARY_KEYS = [base64.b64encode(key) for key in (b"a b", b"\0\1\2", b"k" * 180, b"x")]
FLAGS = [b"0", b"0", b"1", b"65535", b"4294967295"]
BAD_FLAGS = [b"4294967296", b"-1", b"abc", b"1x", b"18446744073709551616"]
EXPTIMES = [b"0", b"0", b"0", b"0", b"1000", b"2592000", b"2592001", b"-1", b"-2147483648", b"2147483647"]
BAD_EXPTIMES = [b"abc", b"1x", b"x1"]
NUMBERS = [b"0", b"1", b"9", b"10", b"99", b"100", b"4294967295", b"4294967296", b"9223372036854775807",
           b"9223372036854775808", b"18446744073709551615"]
BAD_NUMBERS = [b"abc", b"-1", b"18446744073709551616", b"1.5", b"1x"]
OPAQUES = [b"O0", b"O1234", b"Oabc-def", b"O" + b"x" * 31]
NO_UNIQUE = b"1152921504606846976"
VERBS_OF_STORAGE = [b"set", b"set", b"set", b"add", b"replace", b"append", b"prepend", b"cas"]

MALFORMED = [
    b"", b" ", b"a", b"ab", b"abc", b"get", b"gets", b"gat", b"gats", b"get ", b"GET k0",
    b"Get k0", b"SET k0 0 0 1", b"set", b"set k0", b"set k0 0", b"set k0 0 0", b"add k0 0 0",
    b"cas k0 0 0", b"append", b"incr", b"incr n0", b"decr", b"incr n0 1 noreply x", b"touch", b"touch k0",
    b"touch k0 abc", b"touch k0 abc noreply", b"delete", b"delete k0 5", b"delete k0 0 5",
    b"delete k0 0 noreply", b"delete k0 noreply x", b"bogus", b"bogus k0", b"bogus noreply",
    b"mg", b"ms", b"md", b"ma", b"mz k0", b"m", b"mgx k0", b"flush_all x", b"flush_all x noreply",
    b"verbosity", b"verbosity 1 2 3", b"getk0", b"gets\tk0", b"quit0", b"gat 0", b"gats 1000",
    b"incr n0 abc", b"incr n0 abc noreply",
    b"incr n0 -1", b"gat abc k0", b"gats abc k0", b"set k0 0 0 -1", b"set k0 0 0 -1 noreply",
]


class Request:
    """`first`: to be the first of its batch. `data` may name the unique of a key as `<cas:KEY>`."""

    def __init__(self, data, first=False):
        self.data = data
        self.first = first


class Generator:
    def __init__(self, seed, sound=False):
        self.rng = random.Random(seed)
        self.sound = sound
        self.kinds = [self.retrieval, self.multi_get, self.storage, self.refused_storage, self.number,
                      self.store_number, self.delete, self.touch, self.keyless, self.malformed,
                      self.meta_get, self.meta_set, self.meta_delete, self.meta_number, self.meta_other,
                      self.meta_malformed]
        self.weights = [12, 4, 14, 2, 6, 3, 4, 3, 2, 6, 16, 14, 5, 8, 3, 5]
        if sound:
            for kind in (self.refused_storage, self.malformed, self.meta_malformed):
                self.weights[self.kinds.index(kind)] = 0
        self.kept = None

    def batch(self, count_max=16):
        batch = [self.kept] if self.kept else []
        self.kept = None
        for _ in range(self.rng.randint(1, count_max)):
            request = self.rng.choices(self.kinds, self.weights)[0]()
            if request.first and batch:
                self.kept = request
                return batch
            batch.append(request)
        return batch

    # Words.

    def one_in(self, count):
        return self.rng.random() * count < 1

    def key(self):
        return self.rng.choice(NUMBER_KEYS if self.one_in(8) else KEYS)

    def noreply(self):
        return b" noreply" if self.one_in(5) else b""

    def value(self):
        """Never a number and never like a reply, so that replies can be searched."""
        size = self.rng.choice(LARGE_SIZES if self.one_in(150) else SIZES)
        return (b"x\r\ny\0\xffz" * (size // 7 + 1))[:size]

    def either(self, good, bad, one_in=40):
        return self.rng.choice(bad if self.slip(one_in) else good)

    def slip(self, one_in):
        """Whether to write something that memcached refuses."""
        return self.one_in(one_in) and not self.sound

    def unique(self, key):
        """The one last seen, mostly. No small number: one of the servers may have it."""
        return NO_UNIQUE if self.one_in(3) else b"<cas:%s>" % key

    # Classic.

    def retrieval(self):
        verb = self.rng.choice([b"get", b"gets", b"gat", b"gats"])
        exptime = b" " + self.rng.choice(EXPTIMES) if verb.startswith(b"gat") else b""
        return Request(b"%s%s %s\r\n" % (verb, exptime, self.key()))

    def multi_get(self):
        """memcached drops earlier replies of a pipeline for a bad key in a get, and hangs up on a gat
        of over 2,048 bytes, depending on how it arrives."""
        verb = self.rng.choice([b"get", b"gets", b"gat 0", b"gats 1000"])
        count = self.rng.choice([2, 3, 5, 20, 1000]) if self.one_in(8) else self.rng.randint(2, 12)
        short = [key for key in KEYS + NUMBER_KEYS if len(key) < 100]
        if verb.startswith(b"gat"):
            keys = [self.rng.choice(short) for _ in range(min(count, 100))]
        else:
            keys = [self.key() if count < 100 else self.either([b"miss%d" % n], short, 20)
                    for n in range(count)]
        bad = self.slip(15)
        if bad:
            # memcached has touched the keys before the bad one; the proxy refuses the line unsent.
            at = 0 if verb.startswith(b"gat") else self.rng.randrange(len(keys))
            keys[at] = self.rng.choice(BAD_KEYS)
        return Request(b"%s %s\r\n" % (verb, b" ".join(keys)), first=bad)

    def storage(self):
        verb = self.rng.choice(VERBS_OF_STORAGE)
        key, value = self.rng.choice(KEYS), self.value()
        unique = b""
        if verb == b"cas":
            unique = b" " + self.unique(key)
        # A bad data chunk. One that is too large as well has that told by memcached, this by the proxy.
        end = b"ab" if self.slip(50) and len(value) < 1000000 else b"\r\n"
        head = b"%s %s %s %s %d%s%s\r\n" % (verb, key, self.rng.choice(FLAGS), self.rng.choice(EXPTIMES),
                                           len(value), unique, self.noreply())
        if end != b"\r\n":
            return Request(head + value[:2000].ljust(len(value), b"x") + end + b"\r\n", first=True)
        return Request(head + value + end)

    def refused_storage(self):
        """Without a body: memcached 1.6.18 runs it as commands after some refusals."""
        key = self.rng.choice(KEYS)
        return self.rng.choice([
            Request(b"set %s 0 0 -%d\r\n" % (key, self.rng.randint(1, 99))),
            Request(b"set %s 0 0\r\n" % key),
            Request(b"set %s 0\r\n" % key),
            Request(b"cas %s 0 0 -1 5\r\n" % key),
        ])

    def number(self):
        """A decr may pad with blanks or not, by whether an earlier reply holds the item."""
        verb = self.rng.choice([b"incr", b"decr"])
        key = self.rng.choice(KEYS) if self.one_in(6) else self.rng.choice(NUMBER_KEYS)
        delta = self.either(NUMBERS, BAD_NUMBERS, 10)
        return Request(b"%s %s %s%s\r\n" % (verb, key, delta, self.noreply()), first=True)

    def store_number(self):
        key, value = self.rng.choice(NUMBER_KEYS), self.either(NUMBERS, BAD_NUMBERS, 8)
        verb = self.rng.choice([b"set", b"add", b"replace"])
        return Request(b"%s %s 0 0 %d%s\r\n%s\r\n" % (verb, key, len(value), self.noreply(), value))

    def delete(self):
        """Of the key "noreply": 1.6.18 answers, newer ones do not."""
        key = self.key()
        if self.sound and key == b"noreply":
            key = b"k0"
        return Request(b"delete %s%s%s\r\n" % (key, self.rng.choice([b"", b"", b" 0"]), self.noreply()))

    def touch(self):
        exptime = self.either(EXPTIMES, BAD_EXPTIMES, 20)
        return Request(b"touch %s %s%s\r\n" % (self.key(), exptime, self.noreply()))

    def keyless(self):
        """A delayed flush_all brings back what an earlier one left behind, unless the server has come
        across it meanwhile. So none is left."""
        if self.one_in(12):
            delayed = b"flush_all 3000%s\r\n" % self.noreply() if self.one_in(3) else b""
            return Request(delayed + b"flush_all%s%s\r\n" % (self.rng.choice([b"", b" 0"]), self.noreply()))
        return Request(self.rng.choice([b"verbosity 0\r\n", b"verbosity 0 noreply\r\n", b"mn\r\n"]))

    def malformed(self):
        line = self.rng.choice(MALFORMED)
        if self.one_in(4):
            lines = [b"incr %s 1", b"delete %s", b"touch %s 0", b"mg %s v", b"md %s", b"ma %s"]
            line = self.rng.choice(lines) % self.rng.choice(BAD_KEYS)
        return Request(line + self.rng.choice([b"\r\n", b"\n"]), first=True)

    # Meta.

    def meta_flags(self, flags, count_max=6):
        chosen = self.rng.sample(flags, self.rng.randint(0, min(count_max, len(flags))))
        return b"".join(b" " + flag for flag in chosen)

    def meta_key(self):
        """A key, and the b flag where it is one in base64."""
        if self.one_in(6):
            return self.rng.choice(BINARY_KEYS), b" b"
        return self.key(), b""

    def meta_get(self):
        key, binary = self.meta_key()
        # The mark that someone recaches is lost with the new item that an incr may make.
        marks = [b"N0", b"N1000", b"R30", b"R10000"] if key not in NUMBER_KEYS else []
        flags = [b"v", b"v", b"k", b"q", b"f", b"s", b"c", b"t", b"h", b"l", self.rng.choice(OPAQUES)]
        rare = [b"T" + self.rng.choice(EXPTIMES), *marks]
        flags = list(dict.fromkeys(flags)) + (rare if self.one_in(4) else [])
        return Request(b"mg %s%s%s\r\n" % (key, binary, self.one_of_each(flags)))

    def one_of_each(self, flags):
        """Some of them in any order, and seldom one twice."""
        chosen = {}
        for flag in self.rng.sample(flags, self.rng.randint(0, min(7, len(flags)))):
            chosen.setdefault(flag[:1], flag)
        words = list(chosen.values())
        if words and self.slip(60):
            words.append(words[0])
        return b"".join(b" " + word for word in words)

    def meta_set(self):
        """A number may have blanks behind it, and its new item is not stale: none is appended to, none is
        made stale."""
        key, binary = self.meta_key()
        number = key in NUMBER_KEYS
        value, modes = (self.rng.choice(NUMBERS), b"ERSers") if number else (self.value(), b"EAPRSeaprs")
        flags = [b"k", b"q", b"c", self.rng.choice(OPAQUES), b"F" + self.rng.choice(FLAGS),
                 b"T" + self.rng.choice(EXPTIMES), b"M%c" % self.rng.choice(modes)]
        if self.one_in(4):
            flags += [b"C" + self.unique(key)] + ([] if number else [b"I"])
        return Request(b"ms %s %d%s%s\r\n%s\r\n" % (key, len(value), binary, self.one_of_each(flags), value))

    def meta_delete(self):
        key, binary = self.meta_key()
        flags = [b"k", b"q", self.rng.choice(OPAQUES), b"T30", b"C" + self.unique(key)]
        flags += [] if key in NUMBER_KEYS else [b"I"]
        return Request(b"md %s%s%s\r\n" % (key, binary, self.one_of_each(flags)))

    def meta_number(self):
        """1.6.18 answers an `ma` that creates its number even with q, newer servers and the proxy do not.
        T is lost where the server makes a new item, which hangs on who holds the old one. The keys of
        other values stay without numbers."""
        other = self.one_in(8)
        key = self.rng.choice(KEYS if other else NUMBER_KEYS)
        quiet = [b"q"] if other or self.one_in(2) else [b"N0", b"N1000"]
        flags = [b"k", b"v", b"v", b"t", b"c", self.rng.choice(OPAQUES), *quiet,
                 b"D" + self.either(NUMBERS, BAD_NUMBERS, 12), b"J" + self.rng.choice(NUMBERS),
                 b"M" + self.rng.choice([b"I", b"D", b"i", b"d", b"+", b"-", b"INCR"])]
        return Request(b"ma %s%s\r\n" % (key, self.one_of_each(flags)), first=True)

    def meta_other(self):
        return Request(self.rng.choice([b"mn\r\n", b"me %s\r\n" % self.key(), b"me missing\r\n"]))

    def meta_malformed(self):
        key = self.rng.choice(KEYS)
        line = self.rng.choice([
            b"mg %s v v", b"mg %s k k", b"mg %s q q", b"mg %s v !", b"mg %s Z", b"mg %s W", b"mg %s X",
            b"mg %s O" + b"y" * 40, b"md %s k k", b"md %s Z", b"ma %s N1 N1", b"ma %s M", b"ma %s MX",
            b"ma %s Dabc", b"ma %s Jabc", b"mg %s Tabc", b"mg %s Nabc", b"mg %s Rabc",
            b"md %s Cabc", b"md %s Tabc", b"mg %s b",  # not base64, most of them
            b"mg %s " + b" ".join(b"%c" % c for c in b"abcdefghijklmnopqrstuv"),
        ]) % key
        return Request(line + b"\r\n", first=True)
