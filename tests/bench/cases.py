"""The cases of the comparison, and the load that makes each."""

import dataclasses

KIB = 1024


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    clients: int = 1
    depth: int = 1
    size: int = 100  # bytes of a value
    keys_per_get: int = 1
    get_share: float = 1.0
    servers: int = 1
    rate: int = 0  # operations a second in open loop; 0: closed loop
    short: bool = False  # part of the default set

    @property
    def key_count(self):
        """Few enough for the server's memory, enough to spread over its table."""
        return max(2 * self.keys_per_get, min(10_000, 64 * KIB * KIB // max(self.size, 1)))

    @property
    def traced_operations(self):
        """For the counts of system calls: a traced process is slow."""
        return max(200, min(4000, 40 * KIB * KIB // (self.size * self.keys_per_get)))

    def load_options(self, dialect):
        return ["--dialect", dialect, "--clients", str(self.clients), "--depth", str(self.depth),
                "--size", str(self.size), "--keys", str(self.key_count),
                "--keys-per-get", str(self.keys_per_get), "--get-share", str(self.get_share)]


CASES = [
    Case("1 client, get 1 KB", size=1 * KIB, short=True),
    Case("1 client, get 64 KB", size=64 * KIB),
    Case("1 client, get 128 KB", size=128 * KIB, short=True),
    Case("1 client, get 512 KB", size=512 * KIB),
    Case("1 client, get 2 MB", size=2048 * KIB),
    Case("1 client, 40 x 4 KB", size=4 * KIB, keys_per_get=40, short=True),
    Case("1 client, 40 x 12 KB", size=12 * KIB, keys_per_get=40),
    Case("1 client, 20 x 64 KB", size=64 * KIB, keys_per_get=20),
    Case("128 clients, get 100 B", clients=128, short=True),
    Case("50 clients, pipeline 16, 100 B, 90/10", clients=50, depth=16, get_share=0.9, short=True),
    Case("128 clients, 4 servers", clients=128, servers=4, short=True),
    Case("32 clients, 20-key multi-get, 4 servers", clients=32, keys_per_get=20, servers=4,
         short=True),
    Case("10 clients, get 1 MB", clients=10, size=1024 * KIB),
    Case("1 client, get 1 MB", size=1024 * KIB),
    Case("1 client, set 1 MB", size=1024 * KIB, get_share=0.0),
    Case("1,000 clients, get 1 KB", clients=1000, size=1 * KIB),
    Case("20 clients, 10,000 requests a second", clients=20, rate=10_000, short=True),
]
