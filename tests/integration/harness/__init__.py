"""Real processes and sockets for the integration tests: memcached, mcsteady, and peers by hand.

Everything listens on 127.0.0.1 with a port that the kernel picks, or on a unix socket in a directory
of its own, and is a context manager that leaves nothing behind. Every wait has an end.
"""

from harness.binary_client import BinaryClient, packet
from harness.blackhole import Blackhole
from harness.certificates import Authority
from harness.fake_server import FakeServer, Peer, memcached_like
from harness.memcached import Memcached
from harness.name_server import NameServer
from harness.process import Process, wait_until
from harness.proxy import Proxy, mcsteady_binary, pool_config, run_mcsteady
from harness.text_client import TextClient

__all__ = [
    "Authority", "BinaryClient", "Blackhole", "FakeServer", "Memcached", "NameServer", "Peer", "Process", "Proxy", "TextClient",
    "mcsteady_binary", "memcached_like", "packet", "pool_config", "run_mcsteady", "wait_until",
]
