"""A real memcached."""

import os
import shutil
import tempfile

from harness.process import Process, wait_until
from harness.text_client import TextClient


class Memcached:
    """One memcached on 127.0.0.1, or on a unix socket. `restart()` keeps its address. `tls`: the files
    (certificate, key) that it speaks TLS with, of that `authority`."""

    def __init__(self, unix=False, arguments=(), env=None, tls=None, authority=None):
        self._arguments = list(arguments)
        self._client_tls = None
        if tls:
            self._arguments += ["-Z", "-o", f"ssl_chain_cert={tls[0]},ssl_key={tls[1]}"]
            self._client_tls = authority.client_context()
        self._env = dict(env or {})
        # memcached gives up root before it opens its socket and writes its port.
        self._dir = tempfile.mkdtemp(prefix="mcsteady-memcached-")
        os.chmod(self._dir, 0o777)
        self._path = f"{self._dir}/socket" if unix else None
        self._port = None
        self._process = None
        self.start()

    def start(self):
        assert self._process is None or self._process.returncode is not None, "it runs already"
        if self._path:
            place = ["-s", self._path, "-a", "0777"]
        else:
            place = ["-l", "127.0.0.1", "-U", "0", "-p", self._port or -1]
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        port_file = f"{self._dir}/port"
        if os.path.exists(port_file):
            os.unlink(port_file)
        binary = os.environ.get("MCSTEADY_MEMCACHED", "memcached")
        self._process = Process(
            [binary, *user, *place, "-t", "2", "-m", "128", "-I", "8m", "-c", "4096", *self._arguments],
            env={**self._env, "MEMCACHED_PORT_FILENAME": port_file})
        if not self._path and not self._port:
            self._port = int(wait_until(lambda: self._read_port(port_file), what="memcached's port"))
        wait_until(self._answers, what=f"memcached at {self.address}: {self._process.log()}")

    @staticmethod
    def _read_port(port_file):
        if not os.path.exists(port_file):
            return None
        with open(port_file, encoding="ascii") as lines:
            return next((line.split(":")[1] for line in lines if line.startswith("TCP INET:")), None)

    def _answers(self):
        assert self._process.returncode is None, f"memcached ended: {self._process.log()}"
        try:
            with self.client() as client:
                if "-S" in self._arguments:
                    return True  # it takes no text; that it is connected to will do
                # One that asks for authentication is there as well as any.
                return client.command(b"version").startswith((b"VERSION", b"CLIENT_ERROR unauth"))
        except OSError:
            return False

    @property
    def address(self):
        """As the configuration of mcsteady writes it."""
        return f"unix:{self._path}" if self._path else f"127.0.0.1:{self._port}"

    @property
    def pid(self):
        return self._process.pid

    def client(self, timeout=5.0):
        client = TextClient(self.address, timeout)
        if self._client_tls:
            client.socket = self._client_tls.wrap_socket(client.socket, server_hostname="127.0.0.1")
        return client

    def stats(self, arguments=""):
        with self.client() as client:
            return client.stats(arguments)

    def item_count(self):
        return self.stats()["curr_items"]

    def sigstop(self):
        self._process.sigstop()

    def sigcont(self):
        self._process.sigcont()

    def kill9(self):
        self._process.kill9()

    def stop(self):
        """Kills it: asked politely memcached takes a second, and it has nothing to save."""
        if self._process.returncode is None:
            self.kill9()
        self._process.end()

    def restart(self):
        """Ends it where it runs, and starts it again at the same address, empty."""
        self.stop()
        if self._path and os.path.exists(self._path):
            os.unlink(self._path)
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self._dir, ignore_errors=True)
