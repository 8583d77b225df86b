"""Ten thousand values written by what placed keys until now are all found through mcsteady, and the
other way round."""

import contextlib
import pathlib
import socket
import tempfile

import pylibmc
import pytest
from pymemcache.client.base import Client
from pymemcache.client.hash import HashClient

from client_support import run_client
from harness import Memcached, Process, Proxy, pool_config, wait_until

COUNT = 10_000
RUBY = pathlib.Path(__file__).parent / "clients" / "ruby" / "move_in.rb"


def keys_of(start):
    return [f"{start}{n}" for n in range(COUNT)]


def in_portions(keys, size=500):
    return (keys[i:i + size] for i in range(0, len(keys), size))


def address_of(server):
    host, port = server.address.split(":")
    return host, int(port)


@pytest.fixture(name="servers", scope="module")
def five_servers():
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Memcached()) for _ in range(5)]


class ByClient:
    """What both pylibmc and pymemcache can do."""

    def __init__(self, client):
        self.client = client

    def write(self, start):
        for some in in_portions(keys_of(start)):
            self.client.set_multi({key: key for key in some})

    def found(self, start):
        return sum(key == (value.decode() if isinstance(value, bytes) else value)
                   for some in in_portions(keys_of(start))
                   for key, value in self.client.get_multi(some).items())


class ByRuby:
    def __init__(self, servers):
        self.servers = [server.address for server in servers]

    def _run(self, task, start):
        return int(run_client(["ruby", RUBY, task, start, *self.servers], timeout=60))

    def write(self, start):
        assert self._run("write", start) == COUNT

    def found(self, start):
        return self._run("read", start)


@contextlib.contextmanager
def pylibmc_with(servers, **behaviors):
    yield ByClient(pylibmc.Client([server.address for server in servers], behaviors=behaviors))


@contextlib.contextmanager
def hash_client(servers):
    yield ByClient(HashClient([address_of(server) for server in servers], default_noreply=False))


@contextlib.contextmanager
def dalli(servers):
    yield ByRuby(servers)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def twemproxy(servers, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/socket"
        lines = [f"  {key}: {value}\n" for key, value in options.items()]
        lines += ["  servers:\n"] + [f"   - {server.address}:1\n" for server in servers]
        config = pathlib.Path(folder, "nutcracker.yml")
        config.write_text(f"main:\n  listen: {path} 0666\n" + "".join(lines))
        process = Process(["nutcracker", "-c", config, "-a", "127.0.0.1", "-s", str(free_port()),
                           "-i", "1000"])
        try:
            wait_until(pathlib.Path(path).exists, what="nutcracker's socket")
            yield ByClient(Client(path, timeout=10, default_noreply=False))
        finally:
            process.end()


BEFORE = {
    "dalli": (dalli, {}, "dalli"),
    "pylibmc ketama": (pylibmc_with, {"ketama": True}, "ketama"),
    "pylibmc ketama_weighted": (pylibmc_with, {"ketama_weighted": True}, "ketama_weighted"),
    "pymemcache": (hash_client, {}, "pymemcache"),
    "twemproxy": (twemproxy, {}, "twemproxy"),
    "twemproxy modula": (twemproxy, {"distribution": "modula", "hash": "crc32a"},
                         {"like": "twemproxy", "distribution": "modula", "hash": "crc32a"}),
}


@pytest.mark.parametrize("name", BEFORE)
def test_no_key_is_missed_in_either_direction(servers, name):
    before, options, placement = BEFORE[name]
    start = name.replace(" ", ":") + ":"

    with before(servers, **options) as client, \
            Proxy(pool_config(servers, pool={"placement": placement})) as proxy:
        through = ByClient(Client(address_of(proxy), timeout=10, default_noreply=False))
        client.write(f"{start}in:")
        through.write(f"{start}out:")

        assert through.found(f"{start}in:") == COUNT
        assert client.found(f"{start}out:") == COUNT
