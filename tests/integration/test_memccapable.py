"""libmemcached's conformance test: what it finds of mcsteady it finds of memcached itself."""

import subprocess

import pytest


def start(address, dialect):
    host, port = address.rsplit(":", 1)
    return subprocess.Popen(["memccapable", dialect, "-t", "5", "-h", host, "-p", port],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def results(process):
    """{test: outcome}"""
    output, _ = process.communicate(timeout=50)
    lines = [line.split("[") for line in output.splitlines() if "[" in line]
    return {line[0].strip(): line[1].rstrip("]") for line in lines}


@pytest.mark.parametrize("dialect", ["-a", "-b"], ids=["ascii", "binary"])
def test_memccapable_finds_what_it_finds_of_memcached(dialect, servers, start_memcached, start_proxy):
    running = [start(each.address, dialect) for each in (start_memcached(), start_proxy(servers))]

    direct, proxied = [results(process) for process in running]

    assert len(proxied) >= 25 and set(proxied.values()) == {"pass"}
    assert proxied == direct
