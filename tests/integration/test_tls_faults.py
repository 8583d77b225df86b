"""TLS that goes wrong, each fault with its own cause; stalls and late replies over TLS."""

import contextlib
import signal
import socket
import ssl
import threading
import time

import pytest

from faults import (HandDrivenServer, PATIENT, RESPONSE, assert_untroubled, body, elapsed_until, failures, health,
                    item, pool)
from harness import Authority, FakeServer, TextClient, memcached_like, wait_until
from test_stalls import FromMemcached, InHalves, stall_once


class TlsClient(TextClient):
    """Of a listener with TLS."""

    def __init__(self, address, context, timeout=5.0):
        super().__init__(address, timeout)
        self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")


def misses(_peer, _words, _body):
    return b"END\r\n"


# ---- servers that cannot be trusted, or understood

def old_context(authority):
    context = authority.server_context("old")
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    return context


def other_cipher_context(authority):
    context = authority.server_context("picky")
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE-ECDSA-AES256-GCM-SHA384")
    return context


def other_authority_context(_):
    with Authority("other") as other:
        return other.server_context()


FAULTS = {  # cause: what the server does, and what more the pool's tls has
    "tls_expired": (lambda a: FakeServer(memcached_like(misses), tls=a.server_context("late", expired=True)), {}),
    "tls_name_mismatch": (lambda a: FakeServer(
        memcached_like(misses), tls=a.server_context("other", san="DNS:elsewhere")), {}),
    "tls_unknown_ca": (lambda a: FakeServer(memcached_like(misses), tls=other_authority_context(a)), {}),
    "tls_protocol": (lambda a: FakeServer(memcached_like(misses), tls=old_context(a)), {}),
    "tls_no_shared_cipher": (lambda a: FakeServer(memcached_like(misses), tls=other_cipher_context(a)),
                             {"ciphers": "ECDHE-ECDSA-AES128-GCM-SHA256"}),
    "tls_timeout": (lambda a: FakeServer(lambda peer: peer.recv_until(b"never")), {}),
    "tls_peer_closed": (lambda a: FakeServer(lambda peer: peer.socket.recv(1)), {}),
    "tls_certificate_refused": (lambda a: FakeServer(
        memcached_like(misses), tls=a.server_context("strict", clients=True)), {}),
}


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")  # the old versions are the point
@pytest.mark.parametrize("cause", FAULTS)
def test_a_failed_handshake_says_why(cause, stack, authority, start_proxy, connect):
    make, more = FAULTS[cause]
    server = stack.enter_context(make(authority))
    proxy = start_proxy([server], pool=pool(
        connect=0.3, on_down="error", health=health(1), tls={"ca": authority.ca, **more}))

    taken, answer = elapsed_until(lambda: connect(proxy).command(b"get key"))

    assert answer.startswith(b"SERVER_ERROR " + server.address.encode()), answer
    assert taken < 1
    assert failures(proxy.stats()) == {f"server_failed_{cause}": 1}, proxy.log()
    assert f"cause={cause}" in proxy.log()
    server.failures.clear()


def test_a_server_that_speaks_no_tls_is_a_mismatch_of_protocols(start_fake, authority, start_proxy, connect):
    server = start_fake(lambda peer: (peer.socket.recv(100), peer.send(b"ERROR\r\n"), peer.recv_until(b"never")))
    proxy = start_proxy([server], pool=pool(on_down="error", tls={"ca": authority.ca}))

    assert connect(proxy).command(b"get key").startswith(b"SERVER_ERROR ")
    assert failures(proxy.stats()) == {"server_failed_tls_protocol": 1}


def test_without_verification_it_is_used_and_warned_about(start_fake, authority, start_proxy, connect):
    server = start_fake(memcached_like(misses), tls=authority.server_context("late", expired=True))
    proxy = start_proxy([server], pool=pool(tls={"verify": "none"}))

    assert connect(proxy).command(b"get key") == b"END"
    assert "warn servers are not verified" in proxy.log()


def test_a_server_that_wants_a_certificate_gets_ours(start_fake, authority, start_proxy, connect):
    server = start_fake(memcached_like(misses), tls=authority.server_context("strict", clients=True))
    certificate, key = authority.issue("proxy")
    proxy = start_proxy([server], pool=pool(
        tls={"ca": authority.ca, "certificate": certificate, "key": key}))

    assert connect(proxy).command(b"get key") == b"END"
    assert_untroubled(proxy, connections=1)


# ---- clients

@pytest.fixture
def start_listener(start_memcached, start_proxy, authority):
    """start_listener(**tls) -> (proxy, address of the listener with TLS), beside a plain one."""
    def start(**tls):
        certificate, key = authority.issue("listener")
        proxy = start_proxy([start_memcached()], pool=pool(), listen=[
            "127.0.0.1:0", {"address": "127.0.0.1:0",
                            "tls": {"certificate": certificate, "key": key, **tls}}])
        return proxy, proxy.addresses[1]
    return start


def says(address, context):
    """What a get is answered with, or None where the client is not let in."""
    try:
        with contextlib.closing(TlsClient(address, context)) as client:
            return client.command(b"get key")
    except (OSError, EOFError):
        return None


def test_a_listener_lets_in_who_has_a_certificate_with_a_name_on_its_list(start_listener, authority):
    _, address = start_listener(client_ca=authority.ca, client_certificate="required", client_names=["app-1"])
    with Authority("other") as other:
        strange = authority.client_context()
        strange.load_cert_chain(*other.issue("app-1"))

    assert says(address, authority.client_context(authority.issue("app-1"))) == b"END"
    assert says(address, authority.client_context()) is None
    assert says(address, authority.client_context(authority.issue("app-2"))) is None
    assert says(address, authority.client_context(authority.issue("app-1", expired=True))) is None
    assert says(address, strange) is None


def test_who_never_ends_a_handshake_delays_nobody_and_is_closed(start_listener, authority):
    proxy, address = start_listener(handshake_timeout="1s")
    host, port = address.rsplit(":", 1)
    before = len(proxy.fds())
    with contextlib.ExitStack() as attackers:
        for number in range(100):
            attacker = attackers.enter_context(socket.create_connection((host, int(port))))
            attacker.sendall([b"", b"\x16\x03\x01", b"\x16\x03\x01\x40\x00" + b"\x01" * 50,
                              b"get key\r\n"][number % 4])
        context = authority.client_context()
        with proxy.client() as plain, contextlib.closing(TlsClient(address, context)) as client:
            for _ in range(200):
                seconds, answer = elapsed_until(lambda: client.command(b"get key"))
                assert answer == plain.command(b"get key") == b"END"
                assert seconds < 0.5
        wait_until(lambda: len(proxy.fds()) <= before + 3, what="the attackers are gone", timeout=5)


def test_twenty_new_certificates_under_load_cost_no_connection(start_listener, authority):
    proxy, address = start_listener()
    over, wrong, counts = threading.Event(), [], [0, 0]

    def load(keep):
        client = None
        while not over.is_set():
            try:
                client = client or TlsClient(address, authority.client_context())
                if client.command(b"get key") != b"END":
                    wrong.append("answer")
                counts[keep] += 1
                if not keep:
                    client = client.close()
            except (OSError, EOFError) as failure:
                wrong.append(failure)
                client = None

    threads = [threading.Thread(target=load, args=(keep,), daemon=True) for keep in (0, 1)]
    for thread in threads:
        thread.start()
    for number in range(20):
        before = proxy.log().count("certificates loaded again")
        authority.issue("listener")
        proxy.process.signal(signal.SIGHUP)
        wait_until(lambda: proxy.log().count("certificates loaded again") > before, what=f"new one {number}")
    over.set()
    for thread in threads:
        thread.join(5)
    assert wrong == []
    assert min(counts) > 20


# ---- time

@pytest.fixture(params=["get", "100 keys", "2 MB in halves"])
def case(request, stack, authority):
    from harness import Memcached  # pylint: disable=import-outside-toplevel
    if request.param == "2 MB in halves":
        server = stack.enter_context(HandDrivenServer(tls=authority.server_context()))
        return InHalves(server), server
    certificate, key = authority.issue("memcached")
    memcached = stack.enter_context(Memcached(tls=(certificate, key), authority=authority))
    keys = [b"key-%d" % i for i in range(100 if request.param == "100 keys" else 1)]
    with memcached.client() as direct:
        for name in keys:
            direct.set(name, body(1000))
    reply = b"".join(item(name, body(1000)) for name in keys) + b"END\r\n"
    return FromMemcached(memcached, b"get %s\r\n" % b" ".join(keys), reply), memcached


def test_a_reply_that_comes_while_we_are_stopped_is_delivered_over_tls(case, start_proxy, connect, authority):
    what, server = case
    proxy = start_proxy([server], pool=pool(tls={"ca": authority.ca}))
    client = connect(proxy)
    if isinstance(what, FromMemcached):
        client.get(b"key-0")  # a server that is stopped shakes no hands

    assert [stall_once(proxy, client, what) for _ in range(5)] == [True] * 5, proxy.log()

    assert_untroubled(proxy, connections=1)
    assert proxy.stats()["server_timeouts_recovered"] > 0


def test_a_late_reply_over_tls_fails_alone(stack, start_proxy, connect, authority):
    def reply(_peer, words, _body):
        if words[1].startswith(b"late"):
            time.sleep(RESPONSE * 1.5)
        return item(words[1], b"of " + words[1]) + b"END\r\n"
    server = stack.enter_context(FakeServer(memcached_like(reply), tls=authority.server_context()))
    proxy = start_proxy([server], pool=pool(health=PATIENT, tls={"ca": authority.ca}))
    client = connect(proxy)

    for number in range(5):
        assert client.get(b"in-time-%d" % number) == b"of in-time-%d" % number
        assert client.get(b"late-%d" % number) is None
    assert client.get(b"in-time") == b"of in-time"
    assert failures(proxy.stats()) == {"server_failed_server_late": 5}
