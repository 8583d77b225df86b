"""One case: its servers and proxies started, each target measured in turn, round after round."""

import contextlib
import dataclasses
import json
import subprocess

import counters
import processes

PROXY_CORE = 0
LOAD_CORE = 1


@dataclasses.dataclass
class Sample:
    """One run of the load. What is of the proxy is None for the direct target."""

    ops_per_s: float
    p50_us: float
    p99_us: float
    p999_us: float
    server_cpu_us: float  # of all servers, an operation
    proxy_cpu_us: float | None = None  # an operation
    context_switches: float | None = None  # an operation
    rss_mb: float | None = None


@dataclasses.dataclass
class Target:
    name: str
    endpoint: str
    proxy: processes.Program | None
    samples: list = dataclasses.field(default_factory=list)
    syscalls: dict | None = None  # kind -> calls an operation


class Load:
    """mcload, held before and after the part that counts so that counters can be read there."""

    def __init__(self, binary, case, dialect, endpoint, seconds=None, operations=None):
        command = ["taskset", "-c", str(LOAD_CORE), binary, "--connect", endpoint, "--no-preload",
                   "--hold", "--warm-up", "0.3", *case.load_options(dialect)]
        if operations is None:
            command += ["--seconds", str(seconds), "--rate", str(case.rate)]
        else:
            command += ["--operations", str(operations)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the load failed: {' '.join(command)}")

    def run(self):
        """What mcload says of the part that counts. The connections stay until end()."""
        self._go_on()
        said = self.process.stdout.readline()
        if not said:
            raise RuntimeError(f"the load failed: {' '.join(self.process.args)}")
        result = json.loads(said)
        if result["errors"] > 0:
            raise RuntimeError(f"the load got errors: {result['first_error']}")
        if result["misses"] > 0:
            raise RuntimeError(f"the load got {result['misses']} misses: nothing was to be missing")
        return result

    def end(self):
        self._go_on()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def _go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()


def _stand(proxy):
    return counters.cpu_seconds(proxy.pid), counters.context_switches(proxy.pid)


class CaseRun:
    def __init__(self, case, options, directory):
        self.case = case
        self.options = options
        self.directory = directory
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        with self.stack:
            self._start()
            self.stack = self.stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _start(self):
        processes.open_to_others(self.directory)
        self.places = processes.Places(self.options.transport, self.directory)
        self.servers = [
            self._keep(processes.start_memcached(self.places.next(), self.directory, LOAD_CORE,
                                                 f"memcached{i}"))
            for i in range(self.case.servers)]
        self._fill(*(server.endpoint for server in self.servers))
        self.targets = [target for name in self.options.targets
                        if (target := self._start_target(name)) is not None]

    def _keep(self, program):
        self.stack.callback(program.stop)
        return program

    def _fill(self, *endpoints):
        """Every server gets every key, so that no proxy's placement matters."""
        for endpoint in endpoints:
            subprocess.run([self.options.mcload, "--connect", endpoint, "--warm-up", "0",
                            "--seconds", "0", *self.case.load_options(self.options.dialect)],
                           check=True, stdout=subprocess.DEVNULL)

    def _start_target(self, name):
        servers = [server.endpoint for server in self.servers]
        if name == "direct":
            # One server cannot stand for several without somebody to divide the keys.
            return Target(name, servers[0], None) if len(servers) == 1 else None
        if name == "memcached_proxy" and self.options.transport == "unix":
            return None  # its backends are TCP only
        if name == "mcsteady_tls":
            return self._start_tls_target(name)
        proxy = self._keep(self._start_proxy(name, servers, self.places.next()))
        return Target(name, proxy.endpoint, proxy)

    def _start_tls_target(self, name):
        """With servers of its own, which the load cannot speak to: they are filled through it."""
        certificate = processes.make_certificate(self.directory)
        servers = [
            self._keep(processes.start_memcached(f"127.0.0.1:{processes.free_port()}", self.directory,
                                                 LOAD_CORE, f"memcached_tls{i}", certificate))
            for i in range(self.case.servers)]
        proxy = self._keep(processes.start_mcsteady(
            self.options.mcsteady, [server.endpoint for server in servers], self.places.next(),
            self.directory, PROXY_CORE, name=name, ca=certificate[0]))
        self._fill(proxy.endpoint)
        self.servers += servers  # whose processor time counts, too
        return Target(name, proxy.endpoint, proxy)

    def _start_proxy(self, name, servers, endpoint):
        where = (servers, endpoint, self.directory, PROXY_CORE)
        if name == "forwarder":
            return processes.start_forwarder(self.options.forwarder, *where)
        if name == "twemproxy":
            return processes.start_twemproxy(*where)
        if name == "memcached_proxy":
            return processes.start_memcached_proxy(self.options.memcached_proxy, *where)
        recovery = {"mcsteady": True, "mcsteady_no_recovery": False}[name]
        return processes.start_mcsteady(self.options.mcsteady, *where, recovery=recovery, name=name)

    def run(self, rounds, seconds, traced=True):
        """Each round runs every target once, starting with another one each time. `traced`: then
        its system calls are counted."""
        for number in range(rounds):
            shift = number % len(self.targets)
            for target in self.targets[shift:] + self.targets[:shift]:
                target.samples.append(self._sample(target, seconds))
        for target in self.targets:
            if traced and target.proxy is not None:
                target.syscalls = self._trace(target)
        return self.targets

    def _sample(self, target, seconds):
        load = Load(self.options.mcload, self.case, self.options.dialect, target.endpoint,
                    seconds=seconds)
        servers_before = self._server_seconds()
        before = _stand(target.proxy) if target.proxy else None
        result = load.run()
        after = _stand(target.proxy) if target.proxy else None
        operations = result["operations"]
        sample = Sample(
            ops_per_s=result["ops_per_s"], p50_us=result["p50_ms"] * 1e3,
            p99_us=result["p99_ms"] * 1e3, p999_us=result["p999_ms"] * 1e3,
            server_cpu_us=(self._server_seconds() - servers_before) / operations * 1e6)
        if target.proxy:
            sample.proxy_cpu_us = (after[0] - before[0]) / operations * 1e6
            sample.context_switches = (after[1] - before[1]) / operations
            sample.rss_mb = counters.rss_bytes(target.proxy.pid) / 1e6
        load.end()
        return sample

    def _server_seconds(self):
        return sum(counters.cpu_seconds(server.pid) for server in self.servers)

    def _trace(self, target):
        operations = self.case.traced_operations
        load = Load(self.options.mcload, self.case, self.options.dialect, target.endpoint,
                    operations=operations)
        with counters.SyscallTrace(target.proxy.pid, target.endpoint, self.directory) as trace:
            load.run()
        load.end()
        return {kind: count / operations for kind, count in trace.kinds.items()}
