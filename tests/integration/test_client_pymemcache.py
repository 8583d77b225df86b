"""pymemcache through the proxy, over two memcacheds."""

import pytest
from pymemcache.client.base import Client
from pymemcache.client.hash import HashClient
from pymemcache.exceptions import MemcacheClientError

from client_support import AWKWARD_VALUES, BIG, KEYS, both_hold_keys, wait_until_gone

KINDS = {
    "Client": lambda proxy, **options: Client((proxy.host, proxy.port), timeout=5, **options),
    "HashClient": lambda proxy, **options: HashClient([(proxy.host, proxy.port)], timeout=5, **options),
    "pooled": lambda proxy, **options: HashClient([(proxy.host, proxy.port)], timeout=5,
                                                  use_pooling=True, **options),
}


@pytest.fixture(params=KINDS)
def client(request, proxy):
    made = KINDS[request.param](proxy, default_noreply=False)
    yield made
    made.close()


@pytest.mark.parametrize("value", AWKWARD_VALUES)
def test_a_value_comes_back_as_it_was(client, value):
    assert client.set("key", value)

    assert client.get("key") == value


def test_a_missing_key_is_a_miss(client):
    assert client.get("nothing") is None
    assert client.get("nothing", default="other") == "other"


def test_a_hundred_keys_come_from_both_servers_in_one_get(client, servers):
    assert client.set_many({key: key.encode() for key in KEYS}) == []

    found = client.get_many(KEYS + ["missing1", "missing2"])

    assert found == {key: key.encode() for key in KEYS}
    assert both_hold_keys(servers)


def test_cas_stores_only_what_nobody_changed(client):
    client.set("key", b"1")
    _, cas = client.gets("key")

    assert client.cas("key", b"2", cas) is True
    assert client.cas("key", b"3", cas) is False
    assert client.cas("missing", b"3", cas) is None
    assert client.get("key") == b"2"


def test_numbers_go_up_and_down_and_stop_at_zero(client):
    client.set("key", b"10")

    assert client.incr("key", 5) == 15
    assert client.decr("key", 3) == 12
    assert client.decr("key", 100) == 0
    assert client.incr("missing", 1) is None


def test_arithmetic_on_text_is_the_servers_own_refusal(client):
    client.set("key", b"text")

    with pytest.raises(MemcacheClientError, match="cannot increment or decrement non-numeric value"):
        client.incr("key", 1)


def test_add_wants_no_item_and_replace_wants_one(client):
    assert client.replace("key", b"1") is False
    assert client.add("key", b"2") is True
    assert client.add("key", b"3") is False
    assert client.replace("key", b"4") is True
    assert client.get("key") == b"4"


def test_append_and_prepend_put_bytes_around_an_item(client):
    assert client.append("key", b"x") is False
    client.set("key", b"middle")

    assert client.append("key", b" end") is True
    assert client.prepend("key", b"start ") is True

    assert client.get("key") == b"start middle end"


def test_delete_and_touch_say_whether_there_was_an_item(client):
    client.set("key", b"value")

    assert client.touch("key", 100) is True
    assert client.delete("key") is True
    assert client.delete("key") is False
    assert client.touch("key", 100) is False


def test_an_item_expires_unless_it_is_touched(client):
    client.set("short", b"value", expire=1)
    client.set("touched", b"value", expire=1)
    client.touch("touched", 100)

    wait_until_gone(lambda: client.get("short"))

    assert client.get("touched") == b"value"


def test_flags_come_back(proxy, connect):
    kinds = {str: 16, int: 2}

    def serialize(_key, value):
        return (value, 0) if isinstance(value, bytes) else (str(value).encode(), kinds[type(value)])

    def deserialize(_key, value, flags):
        return {0: value, 2: int(value) if flags == 2 else None, 16: value.decode()}[flags]

    client = Client((proxy.host, proxy.port), timeout=5, serializer=serialize,
                    deserializer=deserialize)
    client.set("number", 42, noreply=False)

    assert client.get("number") == 42
    client.close()
    raw = connect(proxy)
    raw.send(b"get number\r\n")
    assert raw.recv_line() == b"VALUE number 2 2"


def test_a_megabyte_comes_back_whole(client):
    assert client.set("key", BIG)

    assert client.get("key") == BIG


def test_noreply_stores_and_nothing_comes_out_of_step(proxy):
    client = Client((proxy.host, proxy.port), timeout=5)
    for key in KEYS:
        client.set(key, key.encode(), noreply=True)
    client.delete(KEYS[0], noreply=True)
    client.incr("missing", 1, noreply=True)

    assert client.get(KEYS[0]) is None
    assert client.get_many(KEYS[1:]) == {key: key.encode() for key in KEYS[1:]}
    client.close()


def test_version_and_stats_are_the_proxys_own(proxy):
    client = KINDS["Client"](proxy)

    assert client.version().startswith(b"1.6.18-mcsteady-")
    assert client.stats()[b"pid"] == proxy.pid
    client.close()


def test_flush_all_empties_both_servers(client, servers):
    client.set_many({key: b"x" for key in KEYS})

    client.flush_all()

    assert client.get_many(KEYS) == {}
    assert all(server.stats()["cmd_flush"] == 1 for server in servers)
