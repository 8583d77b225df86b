"""A get of far more than the memory there is, by a client that takes its time."""

import time

from faults import KiB, MiB, assert_untroubled, body, pool

CEILING = 16 * MiB
KEYS = [b"large-%d" % i for i in range(1000)]
SIZE = 100 * 1000
READS_FOR = 2.5  # seconds


def value_of(index):
    return b"%08d" % index + VALUE[8:]


VALUE = body(SIZE)


def test_1000_values_of_100_kb_to_a_slow_reader_stay_under_the_ceiling(start_memcached, start_proxy, connect):
    servers = [start_memcached(arguments=("-m", "256")) for _ in range(4)]
    proxy = start_proxy(servers, pool=pool(request=10.0), limits={"memory": f"{CEILING // MiB}MiB"})
    rss_before = proxy.process.rss_bytes()
    client = connect(proxy, timeout=20)
    for i, key in enumerate(KEYS):
        assert client.set(key, value_of(i)) == b"STORED"

    began = time.monotonic()
    client.send(b"get %s\r\n" % b" ".join(KEYS))
    time.sleep(0.5)
    assert proxy.stats()["get_hits"] < len(KEYS) / 2, "it is to wait for the client"
    rss_paused = proxy.process.rss_bytes()
    for i, key in enumerate(KEYS):
        assert client.recv_line() == b"VALUE %s 0 %d" % (key, SIZE)
        assert client.recv_exact(SIZE + 2) == value_of(i) + b"\r\n"
        if i % 4 == 0:
            time.sleep(max(0.0, began + READS_FOR * i / len(KEYS) - time.monotonic()))
    assert client.recv_line() == b"END"

    stats = proxy.stats()
    assert time.monotonic() - began >= READS_FOR * 0.9
    assert stats["get_hits"] == len(KEYS) and stats["get_misses"] == 0
    assert stats["memory_peak"] <= CEILING
    assert max(rss_paused, proxy.process.rss_bytes()) - rss_before < CEILING + 512 * KiB
    assert all(found > 0 for found in requests_of_servers(client)), "all four are to be asked"
    assert client.set(b"small", b"value") == b"STORED"
    assert_untroubled(proxy, connections=4)


def requests_of_servers(client):
    client.send(b"stats servers\r\n")
    found = []
    while (line := client.recv_line()) != b"END":
        _, name, value = line.split(b" ", 2)
        if name.endswith(b":requests"):
            found.append(int(value))
    assert len(found) == 4
    return found
