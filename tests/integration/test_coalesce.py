"""Reads of a hot key that are asked once for many, over a real memcached."""

import threading

from faults import pool
from harness import Proxy, wait_until

READERS = 40
WRITES = 300


def test_a_hot_key_is_asked_for_once_at_a_time_and_never_read_older(stack, start_memcached, connect):
    memcached = start_memcached()
    proxy = stack.enter_context(Proxy({
        "listen": ["127.0.0.1:0"],
        "pools": {"main": {"servers": [memcached.address], **pool()}},
        "route": {"coalesce": "main"}}))
    writer = connect(proxy)
    assert writer.set(b"hot", b"0") == b"STORED"
    acknowledged = [0]
    faults = []
    asked = [0] * READERS

    def read(index):
        client = connect(proxy)
        while acknowledged[0] < WRITES and not faults:
            at_least = acknowledged[0]
            value = int(client.get(b"hot"))
            asked[index] += 1
            if value < at_least:
                faults.append(f"read {value} after {at_least} was acknowledged")

    threads = [threading.Thread(target=read, args=(i,)) for i in range(READERS)]
    for thread in threads:
        thread.start()
    with memcached.client() as direct:
        for i in range(1, WRITES + 1):
            # By turns through the proxy and past it, as another proxy would.
            (writer if i % 2 else direct).set(b"hot", b"%d" % i)
            acknowledged[0] = i
        for thread in threads:
            thread.join()

    assert not faults
    assert sum(asked) > WRITES
    assert proxy.stats()["proxy_coalesced_gets"] > 0


def test_while_the_server_hangs_all_wait_for_one_read(stack, start_memcached, connect):
    memcached = start_memcached()
    proxy = stack.enter_context(Proxy({
        "listen": ["127.0.0.1:0"],
        "pools": {"main": {"servers": [memcached.address], **pool(response=5.0, request=10.0)}},
        "route": {"coalesce": "main"}}))
    clients = [connect(proxy) for _ in range(READERS)]
    value = b"x" * 100_000
    clients[0].set(b"hot", value)
    with memcached.client() as direct:
        before = direct.stats()["cmd_get"]
        memcached.sigstop()
        for client in clients:
            client.send(b"get hot\r\n")
        wait_until(lambda: proxy.stats()["proxy_coalesced_gets"] == READERS - 1, what="all wait")
        memcached.sigcont()

        assert [client.read_values() for client in clients] == [{b"hot": value}] * READERS
        assert direct.stats()["cmd_get"] - before == 2


def test_a_client_that_pipelines_reads_what_it_has_written(stack, start_memcached, connect):
    memcached = start_memcached()
    proxy = stack.enter_context(Proxy({
        "listen": ["127.0.0.1:0"],
        "pools": {"main": {"servers": [memcached.address], "connections": 4,
                           "large_value": "64KiB", **pool()}},
        "route": {"coalesce": "main"}}))
    stop = threading.Event()
    noise = [connect(proxy) for _ in range(8)]
    threads = [threading.Thread(target=lambda c=c: [c.get(b"hot") for _ in iter(stop.is_set, True)])
               for c in noise]
    for thread in threads:
        thread.start()
    try:
        client = connect(proxy)
        last = None
        for i in range(200):
            value = b"%d" % i * (1 if i % 3 else 40_000)
            client.send(b"get hot\r\nset hot 0 0 %d\r\n%s\r\nget hot\r\nmg hot v\r\n"
                        % (len(value), value))
            before = client.read_values()
            assert before.get(b"hot") == last
            assert client.recv_line() == b"STORED"
            assert client.read_values()[b"hot"] == value
            assert client.recv_line() == b"VA %d" % len(value)
            assert client.recv_exact(len(value) + 2) == value + b"\r\n"
            last = value
    finally:
        stop.set()
        for thread in threads:
            thread.join()
