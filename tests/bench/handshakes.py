#!/usr/bin/python3
"""What attackers who begin TLS handshakes and never end them cost the plain clients of the same
proxy: so many ClientHellos a second, each on a connection of its own that stays open for a while.
The same attack on another proxy beside it says what the attack costs this machine.

    handshakes.py --build BUILD [--rate N] [--rounds N]
"""

import argparse
import collections
import contextlib
import json
import resource
import socket
import ssl
import statistics
import subprocess
import tempfile
import time

import processes

SECONDS = 3.2  # of an attack
HELD = 1.0  # seconds that an attacker's connection stays open


def client_hello():
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        context.wrap_bio(incoming, outgoing, server_hostname="cache").do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def attack(port, rate, seconds):
    """Returns how many handshakes were begun."""
    hello, begun = client_hello(), 0
    held = collections.deque()
    start = time.monotonic()
    while (now := time.monotonic()) < start + seconds:
        while begun < (now - start) * rate:
            attacker = socket.create_connection(("127.0.0.1", port))
            attacker.sendall(hello)
            held.append((now, attacker))
            begun += 1
        while held and held[0][0] < now - HELD:
            held.popleft()[1].close()
        time.sleep(0.001)
    return begun


def start_proxy(name, build, server, directory):
    """The proxy, listening plainly, and the port of its listener with TLS."""
    certificate, key = processes.make_certificate(directory)
    plain, tls = (f"127.0.0.1:{processes.free_port()}" for _ in range(2))
    config = f"{directory}/{name}.yaml"
    with open(config, "w") as file:
        file.write(f"""\
listen:
  - {plain}
  - {{ address: "{tls}", tls: {{ certificate: {certificate}, key: {key} }} }}
pools: {{ main: {{ servers: ["{server}"] }} }}
""")
    proxy = processes.Program(name, [f"{build}/mcsteady", "--config", config], plain, directory)
    return proxy, processes.port_of(tls)


def measure(options, directory, stack):
    """{what is attacked: its samples}, in alternating rounds."""
    server = processes.start_memcached(f"127.0.0.1:{processes.free_port()}", directory)
    stack.callback(server.stop)
    proxies, ports = [], {}
    for name in ("this proxy", "another one beside it"):
        proxy, ports[name] = start_proxy(name.replace(" ", "_"), options.build, server.endpoint,
                                         directory)
        stack.callback(proxy.stop)
        proxies.append(proxy)
    command = [f"{options.build}/tests/bench/mcload", "--connect", proxies[0].endpoint, "--clients",
               "20", "--rate", str(options.plain_rate), "--warm-up", "0.3", "--seconds", "2.5"]
    samples = {name: [] for name in ("nobody", *ports)}
    for _ in range(options.rounds):
        for name, its in samples.items():
            load = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            begun = attack(ports[name], options.rate, SECONDS) if name in ports else 0
            result = json.loads(load.communicate()[0])
            if result["errors"]:
                raise RuntimeError(f"the load got errors: {result['first_error']}")
            its.append((result["p50_ms"], result["p99_ms"], begun / SECONDS))
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True, help="a build directory, Release")
    parser.add_argument("--rate", type=int, default=1000, help="handshakes a second")
    parser.add_argument("--plain-rate", type=int, default=2000, help="plain gets a second")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        processes.open_to_others(directory)
        samples = measure(options, directory, stack)
    print("| attacked | handshakes/s | plain p50 ms | p99 ms |\n| --- | --: | --: | --: |")
    for name, its in samples.items():
        p50, p99, begun = (statistics.median(values) for values in zip(*its))
        print(f"| {name} | {begun:.0f} | {p50:.3f} | {p99:.3f} |")


if __name__ == "__main__":
    main()
