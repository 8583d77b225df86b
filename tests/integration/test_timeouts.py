"""Servers that are late or gone: real timeouts stay real, cost one request, are counted once."""

import random
import shlex
import socket
import threading
import time

import pytest

from faults import (PATIENT, RESPONSE, HandDrivenServer, assert_untroubled, body, elapsed_until,
                    health, item, pool, typical)
from harness import memcached_like, wait_until


class Silence:
    """Reads all and answers nothing, the probe's `version` neither, until `answers` is set."""

    def __init__(self):
        self.answers = threading.Event()

    def handler(self, peer):
        while True:
            line = peer.recv_line()
            if self.answers.is_set():
                peer.send(b"VERSION 1.6.18\r\n" if line == b"version" else b"END\r\n")


def changes_of_state(proxy, address):
    """The messages of the log about the server, with their evidence: [(message, {name: value})]."""
    changes = []
    for line in proxy.process.log_lines():
        if f"server={address}" in line:
            message, evidence = line.split(f"server={address}", 1)
            changes.append((message.split(" ", 2)[2].strip(),
                            dict(pair.split("=", 1) for pair in shlex.split(evidence))))
    return changes


# ---- a server that never answers


def test_a_request_without_an_answer_fails_one_timeout_later(start_fake, start_proxy, connect):
    server = start_fake(Silence().handler)
    proxy = start_proxy([server], pool=pool(on_down="error", health=PATIENT))
    client = connect(proxy)

    waits, answers = zip(*[elapsed_until(lambda: client.command(b"get key")) for _ in range(10)])

    assert set(answers) == {b"SERVER_ERROR %s: no reply in time" % server.address.encode()}
    assert min(waits) >= RESPONSE
    assert typical(waits) < RESPONSE + 0.010
    stats = proxy.stats()
    assert stats["server_incidents"] == stats["server_connections_retired"] == 10


def test_many_requests_on_one_retired_connection_are_one_incident(start_fake, start_proxy, connect):
    server = start_fake(Silence().handler)
    proxy = start_proxy([server], pool=pool(on_down="error"))
    client = connect(proxy)

    client.send(b"get key\r\n" * 50)
    answers = {client.recv_line() for _ in range(50)}

    assert answers == {b"SERVER_ERROR %s: no reply in time" % server.address.encode()}
    assert proxy.stats()["server_incidents"] == 1
    assert proxy.server_stats()[server.address]["state"] == "up"


def test_a_server_goes_down_and_comes_back_by_a_probe(start_fake, start_proxy, connect):
    silence = Silence()
    server = start_fake(silence.handler)
    proxy = start_proxy([server], pool=pool(on_down="error", health=health(2, retry=0.5)))
    client = connect(proxy)
    down = b"SERVER_ERROR %s: server is down" % server.address.encode()

    def state():
        return proxy.server_stats()[server.address]["state"]

    for _ in range(2):
        assert client.command(b"get key").endswith(b"no reply in time")
    assert state() == "down"
    waits, answers = zip(*[elapsed_until(lambda: client.command(b"get key")) for _ in range(300)])
    assert set(answers) == {down}
    assert typical(waits) < 0.001
    proxy.process.wait_for_log("server stays down")
    silence.answers.set()
    proxy.process.wait_for_log("server is back on trial")
    assert state() == "trial"
    assert client.command(b"get key") == b"END"
    assert state() == "up"

    proxy.process.wait_for_log("server is up")
    changes = changes_of_state(proxy, server.address)
    assert [message for message, _ in changes] == [
        "server is down", "server stays down", "server is back on trial",
        "server is up"]
    evidence = changes[0][1]
    assert evidence["cause"] == "server_late" and evidence["incidents"] == "2"
    assert {"timer_late", "stalled", "loop_lag", "replies_owed", "bytes_unread", "bytes_unsent",
            "tcp_unacked", "tcp_retransmits", "tcp_rtt", "retry_in"} <= set(evidence)
    stats = proxy.stats()
    assert (stats["server_incidents"], stats["server_down_marks"]) == (2, 1)
    assert server.accepted == 2 + stats["server_probes"] + 1


def test_a_server_that_accepts_and_hangs_after_its_probe_goes_down_again(start_fake, start_proxy,
                                                                         connect):
    def handler(peer):
        while True:
            if peer.recv_line() == b"version":
                peer.send(b"VERSION 1.6.18\r\n")
    server = start_fake(handler)
    proxy = start_proxy([server], pool=pool(on_down="error", health=health(2, retry=0.3)))
    client = connect(proxy)
    for _ in range(2):
        client.command(b"get key")
    proxy.process.wait_for_log("server is back on trial")

    assert client.command(b"get key").endswith(b"no reply in time")

    assert client.command(b"get key").endswith(b"server is down")
    assert proxy.stats()["server_down_marks"] == 2


@pytest.mark.parametrize("count", [63, 64, 65, 1000])
def test_a_burst_of_requests_goes_up_whole(count, start_memcached, start_proxy, connect):
    """None of it may lie with us until its wait runs out, which would be blamed on the server."""
    proxy = start_proxy([start_memcached()], pool=pool(on_down="error"))
    clients = [connect(proxy) for _ in range(20)]

    for client in clients:
        client.send(b"get key\r\n" * count)

    for client in clients:
        assert {client.recv_line() for _ in range(count)} == {b"END"}
    assert_untroubled(proxy, connections=1)


# ---- values that stop, and values that only pause


def test_a_value_that_stops_fails_one_timeout_after_its_last_byte(stack, start_proxy, connect):
    server = stack.enter_context(HandDrivenServer())
    proxy = start_proxy([server], pool=pool(on_down="error", health=PATIENT))
    client = connect(proxy)
    reply = item(b"key", body(100_000))

    def stop_in_the_middle():
        client.send(b"get key\r\n")
        peer = server.next_peer()
        peer.recv_line()
        peer.send(reply[:20_000])
        time.sleep(RESPONSE / 4)
        before = time.perf_counter()
        peer.send(reply[20_000:40_000])
        after = time.perf_counter()
        assert client.recv_line().endswith(b"no reply in time")
        failed = time.perf_counter()
        assert failed - before >= RESPONSE
        return failed - after - RESPONSE

    excess = [stop_in_the_middle() for _ in range(9)]

    assert typical(excess) <= 0.005
    assert proxy.stats()["server_incidents"] == 9


def test_pauses_shorter_than_the_timeout_are_no_timeout(stack, start_proxy, connect):
    server = stack.enter_context(HandDrivenServer())
    proxy = start_proxy([server], pool=pool())
    client = connect(proxy)
    value = body(100_000)
    reply = item(b"key", value) + b"END\r\n"

    client.send(b"get key\r\n")
    peer = server.next_peer()
    for begin in range(0, len(reply), 15_000):
        time.sleep(RESPONSE / 4)
        peer.send(reply[begin:begin + 15_000])

    assert client.read_values() == {b"key": value}
    assert_untroubled(proxy, connections=1)


def test_the_request_limit_ends_what_keeps_trickling_in(stack, start_proxy, connect):
    server = stack.enter_context(HandDrivenServer())
    proxy = start_proxy([server], pool=pool(request=0.3, connect=0.1, on_down="error"))
    client = connect(proxy)
    reply = item(b"key", body(1_000_000))
    over = threading.Event()

    started = time.perf_counter()
    client.send(b"get key\r\n")
    peer = server.next_peer()

    def trickle():
        for begin in range(0, len(reply), 1000):
            if over.wait(RESPONSE / 4):
                return
            peer.send(reply[begin:begin + 1000])
    threading.Thread(target=trickle, daemon=True).start()
    answer = client.recv_line()
    over.set()

    assert answer == b"SERVER_ERROR %s: request took too long" % server.address.encode()
    assert 0.3 <= time.perf_counter() - started < 0.3 + RESPONSE / 2


# ---- late replies


class LateNowAndThen:
    """A server whose answer to `get N` is unique to N. One in fifty comes one and a half to two
    timeouts late. `delays`: N -> what it really was, in seconds."""

    def __init__(self, seed):
        self._chance = random.Random(seed)
        self.delays = {}

    def reply(self, peer, words, _body):
        for number in words[1:]:
            started = time.perf_counter()
            if self._chance.random() < 1 / 50:
                time.sleep(RESPONSE * self._chance.uniform(1.5, 2))
            self.delays[number] = time.perf_counter() - started
            peer.send(item(number, self.value(number)))
        return b"END\r\n"

    @staticmethod
    def value(number):
        return b"the value of " + number * (1 + int(number) % 200)


def test_each_late_reply_of_a_thousand_fails_its_own_request_alone(start_fake, start_proxy,
                                                                   connect):
    late = LateNowAndThen(seed=1)
    proxy = start_proxy([start_fake(memcached_like(late.reply))], pool=pool())
    client = connect(proxy)

    missed = []
    for number in (b"%d" % i for i in range(1000)):
        value = client.get(number)
        if value is None:
            missed.append(number)
        else:
            assert value == late.value(number)

    wait_until(lambda: len(late.delays) == 1000, what="the last answer")
    were_late = [number for number, delay in late.delays.items() if delay > RESPONSE]
    assert len(were_late) > 10
    assert set(missed) <= set(were_late)
    assert len(missed) > 0.8 * len(were_late)  # the rest met a stall of the machine: a fresh wait
    wait_until(lambda: proxy.stats()["server_late_replies_dropped"] == len(missed),
               what="each late reply read and dropped")
    stats = proxy.stats()
    assert stats["server_incidents"] == stats["server_connections_retired"] == len(missed)
    assert stats["server_down_marks"] == 0


def test_late_replies_among_many_clients_never_reach_the_wrong_one(start_fake, start_proxy):
    late = LateNowAndThen(seed=2)
    proxy = start_proxy([start_fake(memcached_like(late.reply))], pool=pool(health=PATIENT))
    wrong, hits = [], []

    def ask(first):
        with proxy.client() as client:
            for number in (b"%d" % i for i in range(first, first + 100)):
                value = client.get(number)
                if value is not None:
                    (hits if value == late.value(number) else wrong).append(number)
    clients = [threading.Thread(target=ask, args=(first,)) for first in range(0, 1000, 100)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()

    assert not wrong
    assert len(hits) > 500


# ---- what the client gets

CAUSE = {"late": "no reply in time", "down": "server is down", "refused": "connection refused"}
ERROR = "SERVER_ERROR"
REPLIES = [  # request, its reply with `miss`, with `error`; ERROR: the line with server and cause
    ("get key", "END", ERROR),
    ("gets key", "END", ERROR),
    ("gat 0 key", "END", ERROR),
    ("get key other", "END", ERROR),
    ("set key 0 0 1\r\nx", ERROR, ERROR),
    ("append key 0 0 1\r\nx", ERROR, ERROR),
    ("cas key 0 0 1 7\r\nx", ERROR, ERROR),
    ("delete key", ERROR, ERROR),
    ("incr key 1", ERROR, ERROR),
    ("touch key 0", ERROR, ERROR),
    ("mg key v", "EN", ERROR),
    ("ms key 1\r\nx", "NS", ERROR),
    ("md key", "NF", ERROR),
    ("ma key", "NF", ERROR),
]
QUIET = ["mg key v q", "mg key k O7 q", "ms key 1 q\r\nx", "md key q", "ma key q", "mg other v q"]


def start_unavailable(trouble, on_down, start_fake, start_proxy, connect):
    """(proxy, its server's name, a client), with a server that is in trouble."""
    if trouble == "refused":
        name = closed_port()
        return start_proxy([name], pool=pool(on_down=on_down, health=PATIENT)), name
    server = start_fake(Silence().handler)
    limits = PATIENT if trouble == "late" else health(max_failures=1, retry=60)
    proxy = start_proxy([server], pool=pool(on_down=on_down, health=limits))
    if trouble == "down":
        connect(proxy).command(b"get key")
    return proxy, server.address


def closed_port():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % unused.getsockname()[1]


@pytest.mark.parametrize("on_down", ["miss", "error"])
@pytest.mark.parametrize("trouble", ["late", "down", "refused"])
def test_the_policy_says_what_a_client_gets(trouble, on_down, start_fake, start_proxy, connect):
    proxy, name = start_unavailable(trouble, on_down, start_fake, start_proxy, connect)
    client = connect(proxy)

    client.send(b"".join(request.encode() + b"\r\n" for request, _, _ in REPLIES))
    replies = [client.recv_line().decode() for _ in REPLIES]

    error = f"SERVER_ERROR {name}: {CAUSE[trouble]}"
    expected = [(miss if on_down == "miss" else instead) for _, miss, instead in REPLIES]
    assert replies == [error if reply == ERROR else reply for reply in expected]


@pytest.mark.parametrize("on_down", ["miss", "error"])
@pytest.mark.parametrize("trouble", ["late", "down", "refused"])
def test_no_error_stands_among_quiet_replies(trouble, on_down, start_fake, start_proxy, connect):
    proxy, _ = start_unavailable(trouble, on_down, start_fake, start_proxy, connect)
    client = connect(proxy)

    client.send(b"".join(request.encode() + b"\r\n" for request in QUIET)
                + b"set key 0 0 1 noreply\r\nx\r\ndelete key noreply\r\nmn\r\n")
    replies = client.recv_until(b"MN\r\n")

    # What memcached does not hide: that it did not store, and that there was nothing to change.
    assert replies == b"NS\r\nNF\r\nNF\r\nMN\r\n"


# ---- no connection


def test_a_refused_connection_fails_at_once_and_then_the_server_is_down(start_proxy, connect):
    name = closed_port()
    proxy = start_proxy([name], pool=pool(on_down="error", health=health(2, retry=60)))
    client = connect(proxy)

    waits, answers = zip(*[elapsed_until(lambda: client.command(b"get key")) for _ in range(3)])

    refused = b"SERVER_ERROR %s: connection refused" % name.encode()
    assert answers == (refused, refused, b"SERVER_ERROR %s: server is down" % name.encode())
    assert min(waits) < 0.010
    proxy.process.wait_for_log("server is down")
    [(_, evidence)] = changes_of_state(proxy, name)
    assert evidence["cause"] == "connect_refused"


def test_a_host_that_is_gone_costs_one_connect_timeout(blackhole, start_proxy, connect):
    proxy = start_proxy([blackhole],
                        pool=pool(connect=0.15, on_down="error", health=health(2, retry=60)))
    client = connect(proxy)

    waits, answers = zip(*[elapsed_until(lambda: client.command(b"get key")) for _ in range(3)])

    assert answers[0] == answers[1] == (b"SERVER_ERROR %s: connect timed out"
                                        % blackhole.address.encode())
    assert min(waits[:2]) >= 0.15 and min(waits[:2]) < 0.15 + 0.010
    assert answers[2].endswith(b"server is down")


def test_the_request_limit_covers_connecting(blackhole, start_proxy, connect):
    proxy = start_proxy([blackhole], pool=pool(connect=0.3, request=0.3, on_down="error",
                                               health=PATIENT))
    client = connect(proxy)
    client.send(b"get first\r\n")
    time.sleep(0.1)  # the connection that the next one waits for is under way

    waited, answer = elapsed_until(lambda: connect(proxy).command(b"get second"))

    assert answer.startswith(b"SERVER_ERROR")
    assert waited < 0.3 + RESPONSE


# ---- all at once


def keys_of(memcached, proxy, count):
    """`count` keys that the proxy places on this memcached."""
    found = []
    with proxy.client() as client, memcached.client() as direct:
        for i in range(1000):
            key = b"key-%d" % i
            client.set(key, b"1")
            if direct.get(key) is not None:
                found.append(key)
            if len(found) == count:
                return found
    raise AssertionError(f"{len(found)} of a thousand keys are on {memcached.address}")


def test_servers_that_all_stop_at_once_are_kept_up(start_memcached, start_proxy):
    servers = [start_memcached(), start_memcached()]
    proxy = start_proxy(servers, pool=pool(health=health(2, retry=60)))
    keys = [keys_of(server, proxy, 1)[0] for server in servers]
    over = threading.Event()

    def ask(key):
        with proxy.client() as client:
            while not over.is_set():
                client.get(key)
    clients = [threading.Thread(target=ask, args=(key,)) for key in keys]
    for server in servers:
        server.sigstop()
    for client in clients:
        client.start()
    wait_until(lambda: proxy.stats()["server_incidents_excused"] >= 8, what="incidents of both")
    states = {figures["state"] for figures in proxy.server_stats().values()}
    for server in servers:
        server.sigcont()
    proxy.process.wait_for_log("servers answer again")
    over.set()
    for client in clients:
        client.join()

    assert states == {"up"}
    assert proxy.stats()["server_down_marks"] == 0
    proxy.stop()  # its log is complete
    assert proxy.log().count("all servers seem to fail at once") == 1
    assert proxy.log().count("servers answer again") == 1


def test_one_of_two_servers_that_stops_goes_down(start_memcached, start_proxy, connect):
    """The control of the test before."""
    servers = [start_memcached(), start_memcached()]
    proxy = start_proxy(servers, pool=pool(health=health(2, retry=60)))
    [key], [other] = (keys_of(server, proxy, 1) for server in servers)
    client = connect(proxy)
    servers[0].sigstop()

    for _ in range(2):
        assert client.get(key) is None
        assert client.get(other) == b"1"

    states = {address: figures["state"] for address, figures in proxy.server_stats().items()}
    assert states == {servers[0].address: "down", servers[1].address: "up"}
