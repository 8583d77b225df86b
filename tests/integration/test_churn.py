"""Clients that go away at any moment leave nothing behind."""

import random
import socket
import struct
import threading

import pytest

from faults import KiB, MiB, assert_untroubled, body, pool
from harness import wait_until

LARGE = body(300 * KiB)
MULTI = b"get " + b" ".join(b"key-%d" % i for i in range(20)) + b" large\r\n"
REQUESTS = [  # whole requests; a client sends one up to a random byte, or all of it
    b"get key-1\r\n", MULTI, b"get large\r\n", b"mg large v k f\r\n", b"incr number 1\r\n",
    b"delete nothing\r\n", b"set small 0 0 100\r\n%s\r\n" % body(100),
    b"set medium 0 0 20000\r\n%s\r\n" % body(20000), b"ms meta 300\r\n%s\r\n" % body(300),
    b"set large 0 0 %d\r\n%s\r\n" % (len(LARGE), LARGE), b"get large large large large\r\n",
    b"get key-1\r\n" * 30, b"stats\r\n", b"flush_all 1000 noreply\r\n", b"mn\r\n",
]


def cut_in_the_line(client, request, chance):
    client.send(request[:chance.randrange(1, request.index(b"\r\n") + 1)])


def cut_anywhere(client, request, chance):
    client.send(request[:chance.randrange(1, len(request))])


def before_the_reply(client, request, _chance):
    client.send(request)


def within_the_reply(client, request, _chance):
    client.send(request + b"version\r\n")
    client.recv_exact(1)


def after_the_reply(client, request, _chance):
    client.send(request + b"mn\r\n")
    client.recv_until(b"MN\r\n")


MOMENTS = [cut_in_the_line, cut_anywhere, before_the_reply, within_the_reply, after_the_reply]


def come_and_go(proxy, count, seed):
    """`count` clients, one after the other; half of them end with a RST."""
    chance = random.Random(seed)
    for _ in range(count):
        with proxy.client() as client:
            chance.choice(MOMENTS)(client, chance.choice(REQUESTS), chance)
            if chance.random() < 0.5:
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                         struct.pack("ii", 1, 0))


def churn(proxy, clients, seed):
    """They come by eight roads at a time."""
    failures = []

    def run(number):
        try:
            come_and_go(proxy, clients // 8, seed * 8 + number)
        except Exception as failure:  # pylint: disable=broad-except
            failures.append(failure)
    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def owed(client):
    return sum(value for name, value in client.stats("servers").items() if name.endswith(":owed"))


def held(proxy):
    """What the proxy has open and holds once all clients are gone but one, which asks."""
    with proxy.client() as client:
        wait_until(lambda: client.stats()["curr_connections"] == 1, what="the last client gone")
        wait_until(lambda: owed(client) == 0, what="the last reply read")
        connections = [value for name, value in client.stats("servers").items()
                       if name.endswith(":connections")]
        return {"fds": len(proxy.fds()), "bytes": client.stats()["bytes"],
                "rss": proxy.process.rss_bytes(), "connections": connections}


@pytest.mark.deadline(120)
@pytest.mark.parametrize("workers", [1, 2])
def test_two_thousand_clients_that_hang_up_leave_nothing_behind(workers, start_memcached,
                                                                start_proxy, connect):
    servers = [start_memcached(), start_memcached()]
    proxy = start_proxy(servers, pool=pool(request=0), workers=workers)
    with proxy.client() as client:
        for key in [b"key-%d" % i for i in range(20)] + [b"number"]:
            client.set(key, b"7")
        client.set(b"large", LARGE)
    churn(proxy, 400, seed=1)  # what idle buffers there may be, are there
    before = held(proxy)

    churn(proxy, 2000, seed=2)

    after = held(proxy)
    assert after["fds"] == before["fds"]
    assert after["connections"] == before["connections"]
    assert sum(after["connections"]) == 2 * workers
    # Each worker keeps a few MiB of idle buffers. What 2,000 clients had, kept, would be far more.
    assert after["bytes"] <= before["bytes"] + 4 * MiB * workers
    assert after["rss"] <= before["rss"] + 8 * MiB * workers
    assert_untroubled(proxy, connections=2 * workers)
    client = connect(proxy)
    assert client.set(b"key-1", b"after") == b"STORED"
    assert client.get(b"key-1") == b"after"


def test_a_client_that_only_stops_sending_still_gets_its_replies(start_memcached, start_proxy,
                                                                connect):
    proxy = start_proxy([start_memcached()], pool=pool())
    client = connect(proxy)

    client.send(b"set large 0 0 %d\r\n%s\r\nget large\r\nget lar" % (len(LARGE), LARGE))
    client.socket.shutdown(socket.SHUT_WR)

    expected = b"STORED\r\nVALUE large 0 %d\r\n%s\r\nEND\r\n" % (len(LARGE), LARGE)
    assert client.expect_eof() == expected
    wait_until(lambda: proxy.stats()["curr_connections"] == 1, what="the client gone")
