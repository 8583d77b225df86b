"""What the tests of faults share: short timeouts, a server driven by hand, load that checks itself.
"""

import queue
import statistics
import threading
import time

from harness import FakeServer

# The response timeout of these tests in seconds. Short, so that they are quick, but longer than a
# server waits for a processor on a busy machine.
RESPONSE = 0.2
KiB = 1024
MiB = 1024 * KiB


def pool(response=RESPONSE, request=5.0, connect=0.5, **options):
    """Options of a pool with these timeouts, in seconds."""
    milliseconds = {"response": response, "request": request, "connect": connect}
    return {"timeouts": {name: f"{round(s * 1000)}ms" for name, s in milliseconds.items()},
            **options}


def health(max_failures=2, retry=1.0):
    return {"max_failures": max_failures, "down_retry_delay": f"{round(retry * 1000)}ms"}


PATIENT = health(max_failures=1000)  # where a test makes many incidents, and Down is not its point


def failures(stats):
    """The causes for which commands failed, with their numbers."""
    return {name: value for name, value in stats.items()
            if name.startswith("server_failed_") and value}


def assert_untroubled(proxy, connections):
    """No server has had an incident or failed a command, and nothing was connected to anew."""
    stats = proxy.stats()
    seen = {name: stats[name] for name in ("server_incidents", "server_connections_retired",
                                           "server_connections_opened")}
    assert (seen, failures(stats)) == ({"server_incidents": 0, "server_connections_retired": 0,
                                        "server_connections_opened": connections}, {}), proxy.log()


def body(size, salt=0):
    """A value in which every piece is different, so that a lost or doubled one shows."""
    words = b"".join(b"%08x" % (i * 2654435761 + salt & 0xffffffff) for i in range(size // 8 + 1))
    return words[:size]


def item(key, value):
    return b"VALUE %s 0 %d\r\n%s\r\n" % (key, len(value), value)


def typical(seconds):
    """The lower quartile: a busy machine makes some waits longer, and none shorter."""
    return statistics.quantiles(seconds, n=4)[0]


def elapsed_until(call):
    """(seconds that `call()` took, what it returned)"""
    started = time.perf_counter()
    result = call()
    return time.perf_counter() - started, result


class HandDrivenServer(FakeServer):
    """Its connections wait for the test to take and drive them, in the order in which they came."""

    def __init__(self, **options):
        self._arrived = queue.Queue()
        self._over = threading.Event()
        super().__init__(self._hold, **options)

    def _hold(self, peer):
        self._arrived.put(peer)
        self._over.wait()

    def next_peer(self, timeout=5.0):
        return self._arrived.get(timeout=timeout)

    def close(self):
        self._over.set()
        super().close()


class Load:
    """Clients that each set and get a value of their own and check every reply, until the block
    ends. What the first of them saw wrong is raised then."""

    def __init__(self, where, clients=4, pause=0.0):
        self._where = where
        self._pause = pause
        self._over = threading.Event()
        self._latencies = []
        self.failures = []
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True)
                         for number in range(clients)]

    def _run(self, number):
        try:
            with self._where.client() as client:
                turn = 0
                while not self._over.is_set():
                    turn += 1
                    self._check(client, b"load-%d" % number, b"%d of %d" % (turn, number))
                    time.sleep(self._pause)
        except Exception as failure:  # pylint: disable=broad-except
            self.failures.append(failure)

    def _check(self, client, key, value):
        started = time.perf_counter()
        stored = client.set(key, value)
        between = time.perf_counter()
        found = client.get(key)
        ended = time.perf_counter()
        assert (stored, found) == (b"STORED", value)
        self._latencies += [between - started, ended - between]

    def measure(self, seconds):
        """(99th percentile of the latencies, number of replies) of the next `seconds`. The number
        tells of the few replies that all else waited for, which a percentile hides."""
        first = len(self._latencies)
        time.sleep(seconds)
        self._raise_failure()
        latencies = self._latencies[first:]
        p99 = statistics.quantiles(latencies, n=100)[98] if len(latencies) > 1 else seconds
        return p99, len(latencies)

    @property
    def replies(self):
        return len(self._latencies)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, failure, *_):
        self._over.set()
        for thread in self._threads:
            thread.join(10)
        if failure is None:
            self._raise_failure()

    def _raise_failure(self):
        if self.failures:
            raise self.failures[0]
