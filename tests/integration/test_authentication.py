"""Who may come in: text authentication beside memcached's own, credentials that change, and peers."""

import os
import shutil
import signal
import socket
import subprocess
import time

import pytest

from harness import BinaryClient, Proxy, TextClient, packet, pool_config, run_mcsteady

RIGHT = b"set auth 0 0 10\r\napp secret\r\n"

# One request each: where more than one is here, memcached 1.6.18 answers only the last of those it
# reads at once.
INTRODUCTIONS = [
    RIGHT, b"get a\r\n", b"version\r\n", b"quit\r\n", b"mn\r\n", b"\r\n", b"get / HTTP/1.0\r\n",
    b"set x 0 0 9\r\napp wrong\r\n", b"set x 0 0 9\r\napp secre\r\n", b"set x 0 0 11\r\napp secretx\r\n",
    b"set x 0 0 11\r\nnobody here\r\n", b"set x 0 0 3\r\napp\r\n", b"set x 0 0 0\r\n\r\n",
    b"set x 0 0 12\r\napp secret x\r\n", b"set x 0 0 12\r\n  app secret\r\n",
    b"set x 0 0 11\r\napp  secret\r\n", b"set x 0 0 10\r\napp secretXX",
    b"set x 0 0 10 noreply\r\napp secret\r\n", b"set x a b 10\r\napp secret\r\n",
    b"set x 0 0 10\napp secret\r\n", b" set x 0 0 10\r\napp secret\r\n", b"SET x 0 0 10\r\n",
    b"set x 0 0 10x\r\n", b"set x 0 0 -1\r\n", b"set x 0 0\r\n", b"add x 0 0 10\r\n", b"ms x 10\r\n",
    b"set x 0 0 10\r\napp\tsecret\r\n", b"set x 0 0 +10\r\napp secret\r\n",
    b"set x 0 0 010\r\napp secret\r\n", b"set " + b"k" * 300 + b" 0 0 10\r\napp secret\r\n",
    b"set x 0 0 16382\r\n" + b"a" * 16382 + b"\r\n", b"set x 0 0 16384\r\n" + b"a" * 16384 + b"\r\n",
    b"a" * 2049, b"set x 0 0 13\r\napp\0 secret  \r\n",
]


def first_reply(address, request):
    """The first line that comes back, or b"" where the connection ends without one."""
    with TextClient(address) as client:
        try:
            client.send(request)
            return client.recv_line()
        except (OSError, EOFError):
            return b""


def open_to_all(folder):
    """memcached gives up root before it reads its files."""
    os.chmod(folder, 0o755)
    for parent in folder.parents:
        if parent.name.startswith("pytest-"):
            os.chmod(parent, 0o755)


def auth_listener(path):
    return [{"address": "127.0.0.1:0", "auth": str(path)}]


@pytest.fixture
def users(tmp_path):
    path = tmp_path / "users"
    path.write_text("# of the application\n\napp:secret\n")
    return path


@pytest.fixture
def guarded(users, start_memcached, start_proxy):
    """A proxy with one listener that asks who it is."""
    return start_proxy([start_memcached()], listen=auth_listener(users), limits={"auth_delay": "0s"})


def hash_of(password):
    made = subprocess.run(["openssl", "passwd", "-6", "-salt", "saltsalt", password],
                          capture_output=True, text=True, check=True)
    return made.stdout.strip()


def test_every_introduction_gets_memcacheds_answer(tmp_path, guarded, start_memcached):
    plain = tmp_path / "plain"  # memcached takes no comments
    plain.write_text("app:secret\n")
    open_to_all(tmp_path)
    server = start_memcached(arguments=["-Y", str(plain)])

    for request in INTRODUCTIONS:
        assert first_reply(guarded.address, request) == first_reply(server.address, request), request[:60]


def test_who_is_in_is_served_and_others_are_not(guarded):
    with TextClient(guarded.address) as client:
        assert client.command(RIGHT.rstrip()) == b"STORED"
        assert client.set(b"key", b"value") == b"STORED"
        assert client.get(b"key") == b"value"
        assert client.stats()["proxy_auth_accepted"] == 1
    with TextClient(guarded.address) as client:
        assert client.command(b"get key") == b"CLIENT_ERROR unauthenticated"


def test_a_hash_is_verified_while_others_are_served(users, guarded):
    users.write_text(f"app:secret\nother:{hash_of('hidden')}\n")
    guarded.process.wait_for_log("credentials replaced")
    with TextClient(guarded.address) as client:
        assert client.command(RIGHT.rstrip()) == b"STORED"
        assert first_reply(guarded.address, b"set x 0 0 12\r\nother hidden\r\n") == b"STORED"
        assert first_reply(guarded.address, b"set x 0 0 12\r\nother hiddeN\r\n") == \
            b"CLIENT_ERROR authentication failure"
        assert client.command(b"mn") == b"MN"


def test_a_changed_file_counts_at_once_and_a_broken_one_changes_nothing(users, guarded):
    users.write_text("app:renewed\n")
    guarded.process.wait_for_log("credentials replaced")
    assert first_reply(guarded.address, RIGHT) == b"CLIENT_ERROR authentication failure"
    changed = b"set auth 0 0 11\r\napp renewed\r\n"
    assert first_reply(guarded.address, changed) == b"STORED"

    users.write_text("app:renewed\nno colon\n")
    guarded.process.signal(signal.SIGHUP)
    guarded.process.wait_for_log(f"{users}:2:1: no ':' in this line; write user:password")
    with TextClient(guarded.address) as client:
        assert client.command(changed.rstrip()) == b"STORED"
        stats = client.stats()
    assert stats["proxy_auth_reloads"] == 1
    assert stats["proxy_auth_reload_failures"] >= 1
    assert "renewed" not in guarded.process.log() and "secret" not in guarded.process.log()


def test_a_file_that_is_wrong_at_the_start_is_a_wrong_configuration(tmp_path, users):
    users.write_text("app\n")
    config = tmp_path / "mcsteady.yaml"
    config.write_text(f"listen: [{{ address: '127.0.0.1:0', auth: {users} }}]\n"
                      "pools: { main: { servers: ['127.0.0.1:1'] } }\n")
    status, _, errors = run_mcsteady("--check", "--config", config)

    assert status == 78
    assert errors == f"{users}:1:1: no ':' in this line; write user:password\n"


def test_a_process_that_ends_in_the_middle_of_a_hash_ends_in_order(users, start_memcached, start_proxy):
    users.write_text(f"app:{hash_of('secret').replace('$6$', '$6$rounds=200000$')}\n")
    proxy = start_proxy([start_memcached()], listen=auth_listener(users),
                        shutdown={"drain_timeout": "0s"})
    with TextClient(proxy.address) as client:
        client.send(RIGHT)
        time.sleep(0.05)
        proxy.process.signal(signal.SIGTERM)
        assert proxy.process.wait() == 0


PLAIN = b"\0app\0secret"

# What memcached takes in other ways is left out: it answers `version` to everybody, and has other
# mechanisms too.
SASL_REQUESTS = [
    packet("sasl_auth", b"PLAIN", value=PLAIN, opaque=7), packet("sasl_auth", b"plain", value=PLAIN),
    packet("noop"), packet("get", b"k"), packet("getkq", b"k", opaque=9), packet("quitq"), packet("stat"),
    packet("setq", b"k", b"\0" * 8, b"v"), packet("flush"), packet(0x50), packet("get"),
    packet("sasl_auth", b"PLAIN", value=b"\0app\0wrong"), packet("sasl_auth", b"PLAIN", value=b"\0nobody\0secret"),
    packet("sasl_auth", b"PLAIN", value=b"app\0app\0secret"), packet("sasl_auth", b"PLAIN", value=b"x\0app\0secret"),
    packet("sasl_auth", b"PLAIN", value=b"app secret"), packet("sasl_auth", b"PLAIN", value=b"\0app"),
    packet("sasl_auth", b"PLAIN", value=b"\0app\0"), packet("sasl_auth", b"PLAIN", value=PLAIN + b"\0"),
    packet("sasl_auth", b"PLAIN"), packet("sasl_auth", b"PLAIN") + packet("sasl_step", b"PLAIN", value=PLAIN),
    packet("sasl_step", b"PLAIN", value=PLAIN), packet("sasl_auth", b"FOO", value=PLAIN),
    packet("sasl_auth", b"", value=PLAIN), packet("sasl_auth", b"PLAIN", b"1234", PLAIN),
    packet("sasl_auth", b"P" * 32, value=PLAIN), packet("sasl_auth", b"P" * 33, value=PLAIN),
    packet("sasl_list", b"k"), packet("sasl_auth", b"PLAIN", value=PLAIN, cas=7),
    packet("sasl_auth", b"PLAIN", value=b"\0app\0" + b"s" * 60000),
]


@pytest.fixture
def sasl_memcached(tmp_path, start_memcached):
    """A memcached that asks the same user for the same password."""
    database = tmp_path / "sasldb"
    subprocess.run(["saslpasswd2", "-p", "-c", "-a", "memcached", "-f", str(database),
                    "-u", socket.gethostname(), "app"], input=b"secret", check=True)
    os.chmod(database, 0o644)
    (tmp_path / "memcached.conf").write_text(
        f"mech_list: plain\npwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: {database}\n")
    open_to_all(tmp_path)
    return start_memcached(arguments=["-S"], env={"SASL_CONF_PATH": str(tmp_path)})


def binary_replies(address, request):
    """All that comes back before the end of the connection, or before a silence."""
    with TextClient(address, timeout=0.15) as client:
        try:
            client.send(request)
            client.recv_exact(1 << 20)
        except (OSError, EOFError):  # a TimeoutError is an OSError
            pass
        return bytes(client._input)  # pylint: disable=protected-access


@pytest.mark.skipif(shutil.which("saslpasswd2") is None, reason="needs sasl2-bin")
def test_every_sasl_request_gets_memcacheds_answer(guarded, sasl_memcached):
    for request in SASL_REQUESTS:
        ours, theirs = binary_replies(guarded.address, request), binary_replies(sasl_memcached.address, request)
        assert ours == theirs, request[:60]


def test_pylibmc_authenticates_over_sasl(guarded):
    pylibmc = pytest.importorskip("pylibmc")
    if not pylibmc.support_sasl:
        pytest.skip("this pylibmc has no SASL")
    client = pylibmc.Client([guarded.address], binary=True, username="app", password="secret")
    assert client.set("key", "value")
    assert client.get("key") == "value"
    stranger = pylibmc.Client([guarded.address], binary=True, username="app", password="guess")
    with pytest.raises(pylibmc.Error):
        stranger.set("key", "other")
    assert client.get("key") == "value"


def test_bmemcached_authenticates_over_sasl(guarded):
    bmemcached = pytest.importorskip("bmemcached")
    client = bmemcached.Client((guarded.address,), "app", "secret")
    assert client.set("key", "value")
    assert client.get("key") == "value"
    stranger = bmemcached.Client((guarded.address,), "app", "guess")
    with pytest.raises(bmemcached.exceptions.MemcachedException):
        stranger.set("key", "other")
    assert client.get("key") == "value"


def test_text_and_sasl_know_the_same_users(users, guarded):
    users.write_text(f"other:{hash_of('hidden')}\n")
    guarded.process.wait_for_log("credentials replaced")
    assert first_reply(guarded.address, b"set x 0 0 12\r\nother hidden\r\n") == b"STORED"
    with BinaryClient(guarded.address) as client:
        client.socket.sendall(packet("sasl_auth", b"PLAIN", value=b"\0other\0hidden"))
        assert client.reply().value == b"Authenticated"


@pytest.mark.skipif(os.geteuid() != 0, reason="changes its user")
@pytest.mark.parametrize("peers, expected", [
    ({"uid": [65534]}, b"MN"), ({"uid": ["nobody"]}, b"MN"), ({"gid": [65534]}, b"MN"),
    ({"gid": [4242]}, b"MN"), ({"uid": [1], "gid": [1]}, b"ERROR access denied"),
])
def test_a_unix_socket_serves_its_peers(tmp_path, peers, expected, start_memcached):
    listen = [{"address": "unix:@mcsteady-peers-%d" % os.getpid(), "peers": peers}, "127.0.0.1:0"]
    with Proxy(pool_config([start_memcached()], listen=listen)) as proxy:
        script = (
            "import os, socket\n"
            "os.setgroups([4242]); os.setgid(65534); os.setuid(65534)\n"
            "s = socket.socket(socket.AF_UNIX)\n"
            f"s.connect('\\0mcsteady-peers-{os.getpid()}')\n"
            f"if {expected == b'MN'}: s.sendall(b'mn\\r\\n')\n"
            "print(s.recv(100).decode().strip())\n")
        said = subprocess.run(["/usr/bin/python3", "-c", script], capture_output=True, timeout=10, check=True)
        assert said.stdout.strip() == expected
        with TextClient(proxy.addresses[1]) as client:
            assert client.stats()["proxy_clients_closed_stranger"] == (0 if expected == b"MN" else 1)
