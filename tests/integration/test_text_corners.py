"""Corners of classic and meta that random requests never come to: each line through the proxy and
straight to a memcached. Where the proxy differs, on purpose, both answers stand here."""

import pytest

from harness import TextClient

CLOSED = b"CLOSED"
ERROR = b"ERROR\r\n"
BAD_FORMAT = b"CLIENT_ERROR bad command line format\r\n"
BAD_EXPTIME = b"CLIENT_ERROR invalid exptime argument\r\n"
TOO_LONG = b"CLIENT_ERROR line too long\r\n"
NOT_PROXIED = b"CLIENT_ERROR command not supported by proxy\r\n"
LONG = b"b" * 251
FLAGS = b" ".join(b"%c" % flag for flag in b"abcdefghijklmnopqrstuv")

SAME = {
    "empty lines": [b"\r\n", b"\n", b" \r\n"],
    "short lines": [b"a\r\n", b"ab\r\n", b"abc\r\n", b"m\r\n", b"mg\r\n", b"me\r\n"],
    "upper-case commands": [b"GET k\r\n", b"Get k\r\n", b"SET k 0 0 1\r\n", b"MG k v\r\n", b"MN\r\n",
                            b"VERSION\r\n", b"QUIT\r\n", b"Flush_All\r\n"],
    "unknown commands": [b"bogus\r\n", b"bogus noreply\r\n", b"bogus k noreply\r\n"],
    "no key": [b"get\r\n", b"gets\r\n", b"get  \r\n", b"gat\r\n", b"gat 0\r\n", b"gats 0 \r\n", b"gat abc\r\n"],
    "HTTP hangs up": [b"GET / HTTP/1.1\r\nset k 0 0 1\r\nx\r\n", b"POST / HTTP/1.0\r\n\r\n",
                      b"OPTIONS * HTTP/1.1\r\n"],
    "HTTP in lower case": [b"get / HTTP/1.1\r\n"],
    "a long key among many": [b"get k " + LONG + b" k\r\n", b"gets " + LONG + b" k\r\n",
                              b"gat 0 " + LONG + b" k\r\n", b"get k k k " + LONG + b"\r\n"],
    "a long key": [b"set " + LONG + b" 0 0 -1\r\n", b"mg " + LONG + b" v\r\n", b"me " + LONG + b"\r\n"],
    "UTF-8": ["set ключ 0 0 1\r\nx\r\nget ключ\r\nmg ключ v k\r\n".encode()],
    "negative lengths": [b"set k 0 0 -1\r\n", b"set k 0 0 -1 noreply\r\n", b"ms k -1\r\n", b"ms k\r\n"],
    "a bad data chunk": [b"set k 0 0 1\r\nxyz\r\n", b"set k 0 0 3\r\nx\r\nget k\r\n"],
    "long lines": [b"mg k " + b" " * 1900 + b"v\r\n", b"get " + b"k " * 4000 + b"\r\n"],
    "exptimes": [b"set k 0 2147483647 1\r\nx\r\n", b"touch k -2147483648\r\n", b"mg k T2147483648\r\n",
                 b"mg k T4294967296\r\n", b"mg k T\r\n", b"flush_all abc\r\n", b"flush_all -1\r\n"],
    "unknown flags": [b"mg k !\r\n", b"mg k Z\r\n", b"mg k \xff\r\n", b"ms k 1 !\r\nx\r\n", b"md k !\r\n",
                      b"ma k !\r\n", b"md k v\r\n", b"ms k 1 v\r\nx\r\n", b"mg k P L\r\n",
                      b"mg k " + FLAGS + b"\r\n"],
    "duplicate flags": [b"mg k v v\r\n", b"mg k k q k\r\n", b"ms k 1 c c\r\nx\r\n", b"md k q q\r\n",
                        b"ma k N0 N0\r\n", b"mg k T1 T1\r\n"],
    "modes": [b"ms k 1 MX\r\nx\r\n", b"ms k 1 Mset\r\nx\r\n", b"ma k MX\r\n"],
    "opaque": [b"mg k O" + b"y" * 31 + b"\r\n", b"mg k O" + b"y" * 32 + b"\r\n"],
    # k is there, aw== is k in base64, no and bm8= are missing, n is a number.
    "meta flags of a hit": [b"mg k k O1 v q\r\n", b"mg aw== b k O1 v\r\n", b"mg k O1 k\r\n", b"mg k q\r\n",
                            b"ms k 1 k O1\r\nx\r\n", b"ms aw== 1 b k O1 q\r\nx\r\nmg k v\r\n",
                            b"md k k O1\r\n", b"md aw== q b k O1\r\nmg k v\r\n", b"ma n k O1 v\r\n",
                            b"ma n q k O1\r\n", b"ma bg== b k O1\r\n"],
    "meta flags of a miss": [b"mg no k O1 v q\r\n", b"mg bm8= b k O1 v\r\n", b"mg no k O1\r\n", b"mg no q\r\n",
                             b"ms no 1 MR k O1\r\nx\r\n", b"ms no 1 MR q k O1\r\nx\r\n", b"md no k O1\r\n",
                             b"md no q k O1\r\n", b"ma no k O1\r\n", b"ma no q\r\n", b"md bm8= b k O1\r\n"],
    "meta flags of an error": [b"ma k k O1\r\n", b"ma k q k O1\r\n", b"mg k k O1 q Tabc\r\n", b"md k q O1 !\r\n",
                               b"ms k 1 q O1 MX\r\nx\r\n", b"ms k 1 k O1 C0x\r\nx\r\n", b"mg !!! b k O1\r\n"],
    "uniques and staleness": [b"ms k 1 C1 k O1\r\nx\r\n", b"ms no 1 C1\r\nx\r\n", b"md k C1\r\n", b"md k I T30\r\nmg k v\r\n"
                              b"mg k v\r\n", b"ms k 1 E99\r\nx\r\nmg k c\r\n", b"ms k 1 I C1 T30\r\nx\r\nmg k v\r\n"],
    "modes of a set": [b"ms k 1 M%c\r\nx\r\nmg k v\r\n" % mode for mode in b"EARPSearps"]
                      + [b"ms no 1 M%c\r\nx\r\nmg no v\r\n" % mode for mode in b"EARPS"]
                      + [b"ms no 1 MA N60\r\nx\r\nmg no v\r\n"],
    "arithmetic that creates": [b"ma no N60 v\r\nma no v\r\n", b"ma no N60 J7 D2 v\r\nma no D2 v\r\n",
                                b"ma no N0 J18446744073709551615 v\r\nma no v\r\n", b"ma n MD D9 v\r\n"],
    "mn behind all": [b"mg k v q\r\nmg no v q\r\nms k 1 q\r\nx\r\nmn\r\n", b"mn\r\nmn\r\n", b"mn q\r\n"],
    "stats that are none": [b"stats bogus\r\n", b"stats noreply\r\n"],
    "words behind": [b"decr n 1 noreply x\r\n", b"delete k 0 noreply x\r\n", b" mn\r\n", b"verbosity\r\n"],
}

# What is said: by memcached 1.6.18, and by the proxy, which closes where the next request's place is
# unknown, takes no control bytes in keys, and no number that memcached would cut off.
DIFFERENT = {
    b"set k 0 0 abc\r\n": (BAD_FORMAT, BAD_FORMAT + CLOSED),
    b"set k 0 0 abc noreply\r\n": (b"", BAD_FORMAT + CLOSED),
    b"set k 0 0 2147483647 noreply\r\n": (b"", BAD_FORMAT + CLOSED),
    b"ms k abc q\r\n": (BAD_FORMAT, BAD_FORMAT + CLOSED),
    b"x" * 5000 + b"\r\n": (ERROR, TOO_LONG + CLOSED),
    b"get a\x01b\r\n": (b"END\r\n", BAD_FORMAT),
    b"set a\tb 0 0 1\r\nx\r\n": (b"STORED\r\n", BAD_FORMAT),
    b"delete a\x7fb\r\n": (b"NOT_FOUND\r\n", BAD_FORMAT),
    b"mg a\x1bb v\r\n": (b"EN\r\n", BAD_FORMAT),
    b"set k 0 4294967296 1\r\nx\r\n": (b"STORED\r\n", BAD_FORMAT),
    b"touch k 2147483648\r\n": (b"TOUCHED\r\n", BAD_EXPTIME),
    b"gat 4294967296 k\r\n": (b"VALUE k 0 3\r\nabc\r\nEND\r\n", BAD_EXPTIME),
    b"set k 4294967296 0 1\r\nx\r\n": (b"STORED\r\n", BAD_FORMAT),
    b"shutdown\r\n": (b"ERROR: shutdown not enabled\r\n", NOT_PROXIED),
    b"cache_memlimit 64\r\n": (b"OK\r\n", NOT_PROXIED),
}


def answer_of(address, data):
    """What comes back for it on a fresh connection, and CLOSED where that ends then."""
    end = b"EN kend O7\r\n"
    with TextClient(address) as client:
        client.send(b"set k 0 0 3\r\nabc\r\nset n 0 0 1\r\n5\r\n")
        client.recv_until(b"STORED\r\nSTORED\r\n")
        answer = b""
        try:
            client.send(data + b"mg end k O7\r\n")
            while not answer.endswith(end):
                answer += client.recv_until(b"\n")
        except (EOFError, ConnectionResetError, BrokenPipeError):
            return answer + CLOSED
        return answer.removesuffix(end)


@pytest.fixture(name="sides")
def fixture_sides(start_memcached, start_proxy):
    """The addresses of a proxy and of a memcached."""
    return start_proxy([start_memcached()]).address, start_memcached().address


def test_corners_are_answered_as_memcached_does(sides):
    tested, direct = sides
    for name, requests in SAME.items():
        for request in requests:
            assert answer_of(tested, request) == answer_of(direct, request), (name, request[:60])


def test_where_the_proxy_differs_it_says_this(sides):
    tested, direct = sides
    for request, (memcacheds, ours) in DIFFERENT.items():
        assert answer_of(direct, request) == memcacheds, request[:60]
        assert answer_of(tested, request) == ours, request[:60]


def test_what_a_set_over_our_limit_was_to_replace_is_gone(start_memcached, start_proxy):
    server, direct = start_memcached(arguments=["-I", "2m"]), start_memcached(arguments=["-I", "2m"])
    proxy = start_proxy([server], limits={"value": "1MiB"})
    body = b"x" * (4 << 20)
    for head in (b"set k 0 0 %d", b"set k 0 0 %d noreply", b"add k 0 0 %d", b"ms k %d MA", b"ms k %d q"):
        request = head % len(body) + b"\r\n" + body + b"\r\nget k\r\n"

        assert answer_of(proxy.address, request) == answer_of(direct.address, request), head
