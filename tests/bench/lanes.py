#!/usr/bin/python3
"""What large values cost the small requests beside them, with and without a connection of their
own (`large_value`). The server stands behind a link of 2 Gbit/s, in a network namespace of this
run's own, since that is where large values queue: over loopback they only compete for processors.
Needs root, and ip and tc of iproute2.

    lanes.py --build BUILD [--rounds N]
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

import processes

NAMESPACE = f"mcsteady-{os.getpid()}"
LINK = f"mcs{os.getpid() % 1000000}"
OURS, THEIRS = "10.213.71.1", "10.213.71.2"
RATE = "2gbit"
LARGE = ["--key-prefix", "large:", "--size", "1000000", "--keys", "50"]
SMALL = ["--key-prefix", "small:", "--size", "100", "--keys", "1000"]
# name, options of the load of large values: 8 clients that take all they can, and less than half
LOADS = [("1 MB gets of 8 clients, as fast as they come", ["--clients", "8"]),
         ("1 MB gets, 100 a second", ["--clients", "8", "--rate", "100"])]
LANES = {"one connection": "0B", "second lane": "64KiB"}


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


@contextlib.contextmanager
def link():
    """A namespace behind a link of its own; nothing of it is left afterwards."""
    inside = ["ip", "netns", "exec", NAMESPACE]
    with contextlib.ExitStack() as stack:
        run("ip", "netns", "add", NAMESPACE)
        stack.callback(run, "ip", "netns", "del", NAMESPACE)
        run("ip", "link", "add", LINK, "type", "veth", "peer", "name", "server", "netns", NAMESPACE)
        stack.callback(subprocess.run, ["ip", "link", "del", LINK], capture_output=True)
        run("ip", "addr", "add", f"{OURS}/30", "dev", LINK)
        run("ip", "link", "set", LINK, "up")
        run(*inside, "ip", "addr", "add", f"{THEIRS}/30", "dev", "server")
        run(*inside, "ip", "link", "set", "server", "up")
        run(*inside, "tc", "qdisc", "add", "dev", "server", "root", "handle", "1:", "htb",
            "default", "1")
        run(*inside, "tc", "class", "add", "dev", "server", "parent", "1:", "classid", "1:1", "htb",
            "rate", RATE)
        yield inside


class Lanes:
    def __init__(self, build, directory, inside, stack):
        self.mcload = f"{build}/tests/bench/mcload"
        user = ["-u", "nobody"]
        server = f"{THEIRS}:11211"
        process = subprocess.Popen(
            [*inside, "memcached", "-l", THEIRS, "-p", "11211", "-U", "0", *user, "-m", "512",
             "-I", "8m"], stderr=subprocess.DEVNULL)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        processes.wait_until_listening(server)
        self.proxies = {}
        for name, large_value in LANES.items():
            proxy = processes.start_mcsteady(
                f"{build}/mcsteady", [server], f"127.0.0.1:{processes.free_port()}", directory,
                name=name.replace(" ", "_"), large_value=large_value)
            stack.callback(proxy.stop)
            self.proxies[name] = proxy
        for items in (LARGE, SMALL):
            self._load(proxy, items + ["--seconds", "0", "--warm-up", "0"]).communicate()

    def _load(self, proxy, options):
        return subprocess.Popen([self.mcload, "--connect", proxy.endpoint, *options],
                                stdout=subprocess.PIPE, text=True)

    def sample(self, name, large_options):
        """What mcload says of the small requests, and of the large ones beside them."""
        proxy = self.proxies[name]
        held = ["--no-preload", "--warm-up", "0.3"]
        large = self._load(proxy, [*LARGE, *held, *large_options, "--seconds", "3.5"])
        small = self._load(proxy, [*SMALL, *held, "--clients", "10", "--rate", "500", "--seconds",
                                   "2.5"])
        results = [json.loads(load.communicate()[0]) for load in (small, large)]
        for result in results:
            if result["errors"] or result["misses"]:
                raise RuntimeError(f"{name}: errors or misses: {result}")
        return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True, help="a build directory, Release")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("a network namespace needs root")
    print("| beside | lane | small p50 ms | p99 ms | large/s |")
    print("| --- | --- | --: | --: | --: |")
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        lanes = Lanes(options.build, directory, stack.enter_context(link()), stack)
        for load, large_options in LOADS:
            samples = {name: [] for name in LANES}
            for _ in range(options.rounds):
                for name in LANES:
                    samples[name].append(lanes.sample(name, large_options))
            for name, results in samples.items():
                median = [statistics.median(values) for values in zip(
                    *((s["p50_ms"], s["p99_ms"], l["ops_per_s"]) for s, l in results))]
                print(f"| {load} | {name} | {median[0]:.2f} | {median[1]:.2f} | {median[2]:.0f} |",
                      flush=True)


if __name__ == "__main__":
    main()
