"""pylibmc, so libmemcached, in text mode through the proxy, over two memcacheds."""

import pylibmc
import pytest

from harness import wait_until
from client_support import AWKWARD_VALUES, BIG, KEYS, both_hold_keys, wait_until_gone


@pytest.fixture(params=[{}, {"no_block": True, "tcp_nodelay": True}], ids=["blocking", "no_block"])
def client(request, proxy):
    made = pylibmc.Client([f"{proxy.host}:{proxy.port}"], binary=False,
                          behaviors={"cas": True, **request.param})
    yield made
    made.disconnect_all()


@pytest.mark.parametrize("value", AWKWARD_VALUES)
def test_a_value_comes_back_as_it_was(client, value):
    assert client.set("key", value)

    assert client.get("key") == value


@pytest.mark.parametrize("value", ["text", 42, 2**40, 2.5, {"a": [1, None]}], ids=repr)
def test_flags_bring_back_what_kind_of_value_it_was(client, value):
    client.set("key", value)

    found = client.get("key")

    assert found == value and type(found) is type(value)


def test_a_compressed_value_comes_back(client):
    client.set("key", b"x" * 100_000, min_compress_len=1000)

    assert client.get("key") == b"x" * 100_000


def test_a_missing_key_is_a_miss(client):
    assert client.get("nothing") is None


def test_a_hundred_keys_come_from_both_servers_in_one_get(client, servers):
    assert client.set_multi({key: key.encode() for key in KEYS}) == []

    found = client.get_multi(KEYS + ["missing"])

    assert found == {key: key.encode() for key in KEYS}
    assert both_hold_keys(servers)


def test_cas_stores_only_what_nobody_changed(client):
    client.set("key", b"1")
    _, cas = client.gets("key")

    assert client.cas("key", b"2", cas)
    assert not client.cas("key", b"3", cas)

    assert client.get("key") == b"2"


def test_numbers_go_up_and_down_and_stop_at_zero(client):
    client.set("key", 10)

    assert client.incr("key", 5) == 15
    assert client.decr("key", 3) == 12
    assert client.decr("key", 100) == 0
    with pytest.raises(pylibmc.NotFound):
        client.incr("missing", 1)


def test_add_wants_no_item_and_replace_wants_one(client):
    assert not client.replace("key", b"1")
    assert client.add("key", b"2")
    assert not client.add("key", b"3")
    assert client.replace("key", b"4")

    assert client.get("key") == b"4"


def test_append_and_prepend_put_bytes_around_an_item(client):
    assert not client.append("key", b"x")
    client.set("key", b"middle")

    assert client.append("key", b" end")
    assert client.prepend("key", b"start ")

    assert client.get("key") == b"start middle end"


def test_delete_and_touch_say_whether_there_was_an_item(client):
    client.set("key", b"value")

    assert client.touch("key", 100)
    assert client.delete("key")
    assert not client.delete("key")
    assert not client.touch("key", 100)


def test_delete_multi_deletes_on_both_servers(client, servers):
    client.set_multi({key: b"x" for key in KEYS})

    assert client.delete_multi(KEYS)

    assert all(server.item_count() == 0 for server in servers)


def test_an_item_expires_unless_it_is_touched(client):
    client.set("short", b"value", time=1)
    client.set("touched", b"value", time=1)
    client.touch("touched", 100)

    wait_until_gone(lambda: client.get("short"))

    assert client.get("touched") == b"value"


def test_a_megabyte_comes_back_whole(client):
    assert client.set("key", BIG)

    assert client.get("key") == BIG


def test_a_storm_of_noreply_leaves_nothing_out_of_step(proxy):
    client = pylibmc.Client([f"{proxy.host}:{proxy.port}"], binary=False,
                            behaviors={"_noreply": True})
    for key in KEYS:
        client.set(key, key)
    client.disconnect_all()

    # Another connection, maybe to another worker, does not wait for the first one's last writes.
    reader = pylibmc.Client([f"{proxy.host}:{proxy.port}"], binary=False)
    wait_until(lambda: reader.get(KEYS[-1]), what="the last write")
    for key in KEYS:
        wait_until(lambda key=key: reader.get(key) == key, what=key)


def test_the_stats_of_the_proxy_can_be_read(client, proxy):
    [(_, found)] = client.get_stats()

    assert found["pid"] in (str(proxy.pid), str(proxy.pid).encode())


def test_flush_all_empties_both_servers(client):
    client.set_multi({key: b"x" for key in KEYS})

    assert client.flush_all()

    assert client.get_multi(KEYS) == {}
