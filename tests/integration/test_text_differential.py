"""Classic and meta through the proxy and straight to a memcached: the same requests, cut at random
places, get the same bytes, but for CAS numbers, times and what `me` tells.

    MCSTEADY_SEEDS="1 2 3"     the seeds; an odd one has one server behind the proxy, an even one three
    MCSTEADY_REQUESTS=10000    for each seed
    MCSTEADY_MEMCACHED=FILE    another memcached than the installed one; malformed requests are left out
                               then, as versions differ in their words for these, and ours are 1.6.18's
"""

import os

import pytest

from differential import Difference, Generator, Side, compare
from harness import TextClient

SEEDS = [int(seed) for seed in os.environ.get("MCSTEADY_SEEDS", "1 2 3 4").split()]
REQUESTS = int(os.environ.get("MCSTEADY_REQUESTS", "1500"))
SOUND = "MCSTEADY_MEMCACHED" in os.environ
SERVER_OPTIONS = ["-I", "1m"]


@pytest.mark.deadline(600)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_proxy_answers_as_memcached_does(seed, start_memcached, start_proxy):
    servers = [start_memcached(arguments=SERVER_OPTIONS) for _ in range(1 if seed % 2 else 3)]
    proxy = start_proxy(servers)
    oracle = start_memcached(arguments=SERVER_OPTIONS)

    with Side(proxy.address) as tested, Side(oracle.address) as direct:
        assert compare(Generator(seed, SOUND), tested, direct, REQUESTS) >= REQUESTS

    assert proxy.stats()["server_incidents"] == 0


def test_two_memcacheds_answer_alike(start_memcached):
    """Or the generator asks what memcached answers by chance."""
    servers = [start_memcached(arguments=SERVER_OPTIONS) for _ in range(2)]

    with Side(servers[0].address) as tested, Side(servers[1].address) as direct:
        assert compare(Generator(SEEDS[0], SOUND), tested, direct, REQUESTS) >= REQUESTS


def forward_wrongly(server, client):
    """Line by line, and every twentieth reply has lost its last word."""
    with TextClient(server.address) as upstream:
        for count in range(1, 1000):
            upstream.send(client.recv_line() + b"\r\n")
            reply = upstream.recv_line()
            client.send((reply.rsplit(b" ", 1)[0] if count % 20 == 0 else reply) + b"\r\n")


class OnlyTouches(Generator):
    """What has one line for a request and one for the reply."""

    def batch(self, count_max=16):
        return [self.meta_delete() for _ in range(count_max)]


def test_a_proxy_that_shifts_replies_is_found_out(start_memcached, start_fake):
    server, oracle = start_memcached(), start_memcached()
    wrong = start_fake(lambda client: forward_wrongly(server, client))

    with Side(wrong.address, timeout=1.0) as tested, Side(oracle.address) as direct:
        with pytest.raises(Difference):
            compare(OnlyTouches(1), tested, direct, 1000)
