"""Starts what is measured: memcacheds, proxies in front of them, and what else runs beside them."""

import contextlib
import os
import shutil
import socket
import subprocess
import time

SERVER_NAMES = "abcdefgh"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Places:
    """Hands out endpoints of one transport, 'tcp' or 'unix', as mcsteady writes them."""

    def __init__(self, transport, directory):
        self.transport = transport
        self.directory = directory
        self.count = 0

    def next(self):
        if self.transport == "tcp":
            return f"127.0.0.1:{free_port()}"
        self.count += 1
        return f"unix:{self.directory}/{self.count}.sock"


def is_unix(endpoint):
    return endpoint.startswith("unix:")


def path_of(endpoint):
    return endpoint.removeprefix("unix:")


def port_of(endpoint):
    return int(endpoint.rpartition(":")[2])


def connect(endpoint):
    family = socket.AF_UNIX if is_unix(endpoint) else socket.AF_INET
    connection = socket.socket(family)
    try:
        if family == socket.AF_UNIX:
            connection.connect(path_of(endpoint))
        else:
            connection.connect((endpoint.rpartition(":")[0], port_of(endpoint)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:
        connection.close()
        raise
    return connection


def wait_until_listening(endpoint, is_alive=lambda: True):
    """False where it does not within 10 seconds, or never will."""
    for _ in range(400):
        with contextlib.suppress(OSError), connect(endpoint):
            return True
        if not is_alive():
            break
        time.sleep(0.025)
    return False


class Program:
    """A process of ours that listens, from start to stop. `core`: what it is pinned to, or None."""

    def __init__(self, name, command, endpoint, directory, core=None, env=None):
        self.name = name
        self.endpoint = endpoint
        pin = [] if core is None else ["taskset", "-c", str(core)]
        with open(f"{directory}/{name}.log", "ab") as log:
            self.process = subprocess.Popen(
                pin + command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=None if env is None else os.environ | env)
        try:
            self._wait_until_listening(directory)
        except Exception:
            self.stop()
            raise

    @property
    def pid(self):
        return self.process.pid

    def _wait_until_listening(self, directory):
        if wait_until_listening(self.endpoint, lambda: self.process.poll() is None):
            return
        with open(f"{directory}/{self.name}.log") as log:
            said = log.read()[-2000:]
        raise RuntimeError(f"{self.name} does not listen at {self.endpoint}: {said}")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()


def open_to_others(directory):
    """memcached does not stay root, and makes its socket as nobody."""
    os.chmod(directory, 0o777)


def make_certificate(directory):
    """The files (certificate, key), for 127.0.0.1; memcached reads them as nobody."""
    files = f"{directory}/server.pem", f"{directory}/server.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=bench",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout", files[1]],
                   check=True, capture_output=True)
    os.chmod(files[1], 0o644)
    return files


def start_memcached(endpoint, directory, core=None, name="memcached", tls=None):
    """With one thread, and room for the largest values of the cases. `tls`: (certificate, key)."""
    if is_unix(endpoint):
        place = ["-s", path_of(endpoint), "-a", "0666"]
    else:
        place = ["-l", "127.0.0.1", "-p", str(port_of(endpoint)), "-U", "0"]
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    command = ["memcached", *place, *user, "-t", "1", "-m", "512", "-I", "8m", "-c", "8192"]
    if tls:
        command += ["-Z", "-o", f"ssl_chain_cert={tls[0]},ssl_key={tls[1]}"]
    return Program(name, command, endpoint, directory, core)


def start_forwarder(binary, servers, endpoint, directory, core=None):
    return Program("forwarder", [binary, endpoint, *servers], endpoint, directory, core)


def start_mcsteady(binary, servers, endpoint, directory, core=None, recovery=True, env=None,
                   name="mcsteady", ca=None, large_value="0B"):
    """Its timeouts are long: a traced process is slow, and that is not what is measured."""
    config = f"{directory}/{name}.yaml"
    tls = f"tls: {{ca: {ca}}}" if ca else ""
    with open(config, "w") as file:
        file.write(f"""\
listen: ["{endpoint}"]
pools:
  main:
    servers: [{", ".join(f'"{server}"' for server in servers)}]
    timeouts: {{connect: 5s, response: 10s, request: 30s}}
    timeout_recovery: {str(recovery).lower()}
    large_value: {large_value}
    {tls}
log: {{metrics_interval: 0s}}
""")
    return Program(name, [binary, "--config", config], endpoint, directory, core, env)


def start_twemproxy(servers, endpoint, directory, core=None):
    def place(text):
        return path_of(text) if is_unix(text) else text

    config = f"{directory}/twemproxy.yaml"
    with open(config, "w") as file:
        file.write(f"""\
main:
  listen: {place(endpoint)}
  hash: one_at_a_time
  distribution: ketama
  preconnect: true
  auto_eject_hosts: false
  backlog: 1024
  servers:
""")
        for name, server in zip(SERVER_NAMES, servers):
            file.write(f"   - {place(server)}:1 {name}\n")
    command = ["nutcracker", "-c", config, "-s", str(free_port()), "-a", "127.0.0.1",
               "-i", "3600000"]
    return Program("twemproxy", command, endpoint, directory, core)


def memcached_has_proxy(binary):
    found = shutil.which(binary)
    if found is None:
        return False
    shown = subprocess.run([found, "-h"], capture_output=True, text=True, check=False).stdout
    return "proxy_config" in shown


def start_memcached_proxy(binary, servers, endpoint, directory, core=None):
    """Its backends are TCP only. Newer versions (1.6.23 on) want a function generator, older ones
    call the pool."""
    config = f"{directory}/memcached_proxy.lua"
    backends = ", ".join(
        f"mcp.backend('{name}', '127.0.0.1', '{port_of(server)}')"
        for name, server in zip(SERVER_NAMES, servers))
    with open(config, "w") as file:
        file.write(f"""\
function mcp_config_pools()
  return mcp.pool({{{backends}}})
end
function mcp_config_routes(pool)
  local route = function(request) return pool(request) end
  if mcp.funcgen_new then
    route = mcp.funcgen_new()
    local handle = route:new_handle(pool)
    route:ready({{f = function(context)
      return function(request) return context:enqueue_and_wait(request, handle) end
    end}})
  end
  mcp.attach(mcp.CMD_ANY_STORAGE, route)
end
""")
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    command = [binary, "-l", "127.0.0.1", "-p", str(port_of(endpoint)), "-U", "0", *user, "-t", "1",
               "-m", "64", "-c", "8192", "-o", f"proxy_config={config}"]
    return Program("memcached_proxy", command, endpoint, directory, core)
