"""Small requests beside large values of the same server, with and without a connection for those."""

import contextlib
import multiprocessing
import statistics
import threading
import time

from faults import MiB, body, item, pool
from harness import TextClient

LARGE = body(MiB)
SMALL = b"s" * 100


class SmallGets:
    """A client that gets the small value over and over."""

    def __init__(self, proxy, over):
        self.seconds, self.wrong = [], 0
        self.thread = threading.Thread(target=self._run, args=(proxy, over), daemon=True)
        self.thread.start()

    def _run(self, proxy, over):
        with proxy.client(timeout=20.0) as client:
            while not over.is_set():
                started = time.perf_counter()
                self.wrong += client.get(b"small") != SMALL
                self.seconds.append(time.perf_counter() - started)
                time.sleep(0.002)


AT_ONCE = 8


def get_large_ones(address):
    """Asks for the large value several times at once, reads as fast as it can, and takes a breath; for
    ever."""
    room = bytearray(MiB)
    with TextClient(address, timeout=20.0) as client:
        while True:
            client.send(b"get large:1\r\n" * AT_ONCE)
            due = AT_ONCE * len(item(b"large:1", LARGE) + b"END\r\n")
            while due > 0:
                due -= client.socket.recv_into(room)
            time.sleep(0.02)


@contextlib.contextmanager
def large_gets(proxy, clients=2):
    """In processes of their own: threads would share the interpreter with those that are measured."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=get_large_ones, args=(proxy.address,), daemon=True)
                 for _ in range(clients)]
    for process in processes:
        process.start()
    yield
    for process in processes:
        process.kill()
        process.join(5)


def run_beside_large_ones(proxy, seconds=2.0):
    """The 99th percentile of the small gets in milliseconds."""
    with proxy.client() as client:
        assert client.set(b"small", SMALL) == b"STORED"
        assert client.set(b"large:1", LARGE) == b"STORED"
    over = threading.Event()
    with large_gets(proxy):
        clients = [SmallGets(proxy, over) for _ in range(4)]
        time.sleep(seconds)
        over.set()
        for client in clients:
            client.thread.join(10)
    assert not any(client.wrong for client in clients)
    return statistics.quantiles([s for client in clients for s in client.seconds], n=100)[98] * 1e3


def test_small_gets_do_not_wait_behind_large_ones(start_memcached, start_proxy, capsys):
    memcached = start_memcached()
    timeouts = {"response": 5.0, "request": 10.0}
    without = start_proxy([memcached], workers=1, pool=pool(large_value="0", **timeouts))
    p99_without = run_beside_large_ones(without)
    with_one = start_proxy([memcached], workers=1, pool=pool(large_value="64KiB", **timeouts))
    p99_with = run_beside_large_ones(with_one)

    with capsys.disabled():
        print(f"\np99 of 100-byte gets beside 1 MiB gets: {p99_without:.2f} ms on one connection, "
              f"{p99_with:.2f} ms with one for large values")
    figures = with_one.server_stats()[memcached.address]
    assert figures["connections"] == 2
    assert figures["large_requests"] > 2 * AT_ONCE
    assert figures["large_requests_queued"] == 0
    figures = without.server_stats()[memcached.address]
    assert (figures["connections"], figures["large_requests"]) == (1, 0)


def test_a_client_reads_what_it_wrote_whatever_the_size(start_memcached, start_proxy, connect):
    proxy = start_proxy([start_memcached()], workers=1, pool=pool(large_value="1KiB"))
    clients = [connect(proxy) for _ in range(4)]
    values = [body(100 if turn % 3 else 200_000, salt=turn) for turn in range(60)]
    for number, client in enumerate(clients):
        key = b"key:%d" % number
        asked = b"".join(b"set %s 0 0 %d noreply\r\n%s\r\nget %s\r\n" % (key, len(value), value, key)
                         for value in values)
        threading.Thread(target=client.send, args=(asked,), daemon=True).start()

    for number, client in enumerate(clients):
        for value in values:
            assert client.read_values() == {b"key:%d" % number: value}
    assert proxy.stats()["server_large_requests"] > 0
