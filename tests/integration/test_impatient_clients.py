"""A client with a timeout of one second never sees it: whatever a server does, an answer comes first."""

import threading

import pytest
from pymemcache.client.base import Client
from pymemcache.client.hash import HashClient
from pymemcache.exceptions import MemcacheServerError

from client_support import KEYS, timed
from harness import FakeServer, memcached_like

TIMEOUT = 1.0


def ways_to_ask(client, key):
    return {
        "set": lambda: client.set(key, b"10", noreply=False),
        "get": lambda: client.get(key),
        "gets": lambda: client.gets(key),
        "get_many": lambda: client.get_many(KEYS),
        "add": lambda: client.add(key, b"10", noreply=False),
        "incr": lambda: client.incr(key, 1),
        "touch": lambda: client.touch(key, 10, noreply=False),
        "delete": lambda: client.delete(key, noreply=False),
        "flush_all": lambda: client.flush_all(noreply=False),
    }


def ask_everything(client, keys):
    """[(seconds, call, result)]: one after another, so that later calls meet what earlier ones left."""
    return [(*timed(call), name) for key in keys for name, call in ways_to_ask(client, key).items()]


def expect_answers_in_time(calls):
    for seconds, result, name in calls:
        assert seconds < TIMEOUT, f"{name} took {seconds} s"
        assert not isinstance(result, Exception) or isinstance(result, MemcacheServerError), (name, result)


@pytest.fixture(params=["stopped", "blackhole", "silent", "gone", "resetting", "dripping"])
def broken(request, stack, start_memcached, blackhole):
    """A server with one way of not answering."""
    if request.param == "stopped":
        server = start_memcached()
        server.sigstop()
        return server
    if request.param == "gone":
        server = start_memcached()
        server.kill9()
        return server
    if request.param == "blackhole":
        return blackhole
    return stack.enter_context(FakeServer({
        "silent": lambda peer: peer.expect_eof(),
        "resetting": lambda peer: (peer.recv_line(), peer.reset()),
        "dripping": drip,
    }[request.param]))


def drip(peer):
    """A byte of a long line now and then: progress, but never a reply."""
    peer.recv_line()
    peer.send(b"VALUE ")
    while True:
        peer.send(b"k")
        threading.Event().wait(0.1)


@pytest.fixture(params=[Client, lambda address, **options: HashClient([address], **options)],
                ids=["Client", "HashClient"])
def impatient(request):
    """impatient(proxy) -> a client with a timeout of one second"""
    return lambda proxy: request.param((proxy.host, proxy.port), timeout=TIMEOUT,
                                       connect_timeout=TIMEOUT)


def test_every_call_is_answered_in_time_with_one_server_broken(broken, start_memcached, start_proxy,
                                                               impatient):
    proxy = start_proxy([start_memcached(), broken])

    calls = ask_everything(impatient(proxy), KEYS[:2])

    expect_answers_in_time(calls)
    assert any(isinstance(result, MemcacheServerError) for _, result, _ in calls)


def test_every_call_is_answered_in_time_while_the_server_is_never_taken_for_down(broken, start_memcached,
                                                                                 start_proxy):
    proxy = start_proxy([start_memcached(), broken], pool={"health": {"max_failures": 1000}})

    client = Client((proxy.host, proxy.port), timeout=TIMEOUT, connect_timeout=TIMEOUT)

    calls = ask_everything(client, KEYS[:1])

    expect_answers_in_time(calls)


@pytest.mark.parametrize("workers", [1, 4])
def test_many_clients_at_once_are_answered_in_time(broken, workers, start_memcached, start_proxy):
    proxy = start_proxy([start_memcached(), broken], workers=workers)
    calls = []

    def work(n):
        client = Client((proxy.host, proxy.port), timeout=TIMEOUT, connect_timeout=TIMEOUT)
        calls.extend(ask_everything(client, KEYS[n:n + 1]))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(40)

    assert len(calls) == 10 * 9
    expect_answers_in_time(calls)


def test_the_servers_that_work_are_used_while_another_is_broken(broken, start_memcached, start_proxy):
    good = start_memcached()
    proxy = start_proxy([good, broken])
    client = Client((proxy.host, proxy.port), timeout=TIMEOUT, connect_timeout=TIMEOUT)

    keys = KEYS[:12]
    stored = [key for key in keys
              if timed(lambda key=key: client.set(key, key.encode(), noreply=False))[1] is True]

    assert 0 < len(stored) < len(keys)
    assert client.get_many(keys) == {key: key.encode() for key in stored}
    assert good.item_count() == len(stored)


@pytest.mark.parametrize("count", [1, 20, 100, 1000])
@pytest.mark.parametrize("kind", ["silent", "dripping"])
def test_a_get_of_many_keys_is_bounded_as_one_request(kind, count, start_fake, start_memcached, start_proxy,
                                                      connect):
    broken = start_fake({"silent": lambda peer: peer.expect_eof(), "dripping": drip}[kind])
    good = start_memcached()
    proxy = start_proxy([good, broken], pool={"health": {"max_failures": 1000}})
    client = connect(proxy)
    keys = [b"key%d" % n for n in range(count)]
    stored = {key: key for key in keys[:4] if client.set(key, key) == b"STORED"}

    seconds, found = timed(lambda: client.get_many(keys))

    assert found == stored
    assert seconds < 0.9  # request, and what a busy machine takes


def test_a_miss_is_what_a_get_gets_and_an_error_names_the_server_and_the_cause(start_proxy, blackhole):
    proxy = start_proxy([blackhole])
    client = Client((proxy.host, proxy.port), timeout=TIMEOUT, connect_timeout=TIMEOUT)

    assert client.get("key") is None
    with pytest.raises(MemcacheServerError) as raised:
        client.set("key", b"value", noreply=False)
    assert blackhole.address in str(raised.value)


def test_with_on_down_error_a_get_is_told_too(start_proxy, blackhole):
    proxy = start_proxy([blackhole], pool={"on_down": "error"})
    client = Client((proxy.host, proxy.port), timeout=TIMEOUT, connect_timeout=TIMEOUT)

    seconds, result = timed(lambda: client.get("key"))

    assert seconds < TIMEOUT
    assert isinstance(result, MemcacheServerError) and blackhole.address in str(result)


def test_a_request_is_bounded_as_a_whole_where_each_wait_is_short_enough(start_fake, start_proxy):
    """Bytes that keep coming renew the wait of the server, not the time of the request."""
    def trickle(_peer, words, _body):
        head = b"VALUE %s 0 20\r\n" % words[1]
        for byte in head + b"x" * 20 + b"\r\nEND\r\n":
            _peer.send(bytes([byte]))
            threading.Event().wait(0.1)

    proxy = start_proxy([start_fake(memcached_like(trickle))])
    client = Client((proxy.host, proxy.port), timeout=TIMEOUT, connect_timeout=TIMEOUT)

    seconds, result = timed(lambda: client.get("key"))

    assert result is None
    assert 0.75 <= seconds < TIMEOUT
