"""The binary under test."""

import json
import os
import shutil
import signal
import subprocess
import tempfile

from harness.process import Process
from harness.text_client import TextClient


def mcsteady_binary():
    binary = os.environ.get("MCSTEADY_BIN")
    assert binary and os.access(binary, os.X_OK), "MCSTEADY_BIN must name the mcsteady to test"
    return os.path.abspath(binary)


def run_mcsteady(*arguments, timeout=10.0):
    """Runs it to its end: (exit status, standard output, standard error)."""
    done = subprocess.run([mcsteady_binary(), *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=timeout, check=False)
    return done.returncode, done.stdout, done.stderr


def pool_config(servers, listen=None, pool=None, **sections):
    """A configuration with one pool, `main`. `servers` are addresses, or things that have one;
    `pool` holds further keys of the pool, `sections` further keys of the file."""
    addresses = [getattr(server, "address", server) for server in servers]
    return {"listen": listen or ["127.0.0.1:0"],
            "pools": {"main": {"servers": addresses, **(pool or {})}}, **sections}


class Proxy:
    """A running mcsteady. `config` is the configuration, as Python values or as YAML; `within` is a command that
    runs it, such as prlimit."""

    def __init__(self, config, arguments=(), ready=True, within=()):
        binary = mcsteady_binary()
        self._dir = tempfile.mkdtemp(prefix="mcsteady-proxy-")
        self.config_path = f"{self._dir}/mcsteady.yaml"
        with open(self.config_path, "w", encoding="utf-8") as out:
            out.write(config if isinstance(config, str) else json.dumps(config, indent=2))  # is YAML, too
        self.process = Process([*within, binary, "--config", self.config_path, *arguments])
        self.addresses = []
        if ready:
            try:
                self.process.wait_for_log("ready", timeout=10.0)
            except AssertionError:
                self.discard()
                raise
            self.addresses = self._logged_addresses()

    def _logged_addresses(self):
        words = [word for line in self.process.log_lines() if "listening" in line
                 for word in line.split() if word.startswith("address=")]
        return list(dict.fromkeys(word.removeprefix("address=").strip('"') for word in words))

    @property
    def address(self):
        """Of the first listener, as a client connects to it."""
        return self.addresses[0]

    @property
    def host(self):
        return self.address.rsplit(":", 1)[0]

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    @property
    def pid(self):
        return self.process.pid

    def client(self, timeout=5.0):
        return TextClient(self.address, timeout)

    def stats(self):
        with self.client() as client:
            return client.stats()

    def server_stats(self):
        """{server name: {figure: value}}."""
        return self._stats_of("servers")

    def pool_stats(self):
        """{pool name: {figure: value}}, of pools whose servers are found by name."""
        return self._stats_of("pools")

    def _stats_of(self, what):
        with self.client() as client:
            lines = client.stats(what)
        subjects = {}
        for name, value in lines.items():
            subject, figure = name.rsplit(":", 1)
            subjects.setdefault(subject, {})[figure] = value
        return subjects

    def log(self):
        return self.process.log()

    def fds(self):
        return self.process.fds()

    def sigstop(self):
        self.process.sigstop()

    def sigcont(self):
        self.process.sigcont()

    def stop(self):
        """SIGTERM, and its exit status must be 0."""
        self.process.signal(signal.SIGTERM)
        try:
            status = self.process.wait(15.0)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there 15 s after SIGTERM:\n{self.log()}") from None
        assert status == 0, f"exit status {status} after SIGTERM:\n{self.log()}"

    def discard(self):
        """Ends it whatever state it is in, and asks for no exit status."""
        self.process.end()
        shutil.rmtree(self._dir, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        """A proxy that the test left running must still end well."""
        try:
            if self.process.returncode is None:
                self.process.sigcont()
                self.stop()
            elif failure is None:
                assert self.process.returncode == 0, (
                    f"mcsteady ended with {self.process.returncode}:\n{self.log()}")
        finally:
            if failure is not None:
                print(f"mcsteady logged:\n{self.log()}")
            self.discard()
