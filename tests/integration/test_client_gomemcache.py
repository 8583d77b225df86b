"""gomemcache through the proxy, over two memcacheds."""

import os
import subprocess

import pytest

from client_support import both_hold_keys, run_client

SOURCE = os.path.join(os.path.dirname(__file__), "clients", "go", "client.go")
LIBRARY = "/usr/share/gocode/src/github.com/bradfitz/gomemcache"
SCENARIOS = ["values", "multi_get", "cas", "arithmetic", "add_replace", "delete_touch", "expiry",
             "megabyte", "concurrent"]


@pytest.fixture(scope="module")
def program(build_dir):
    if not os.path.isdir(LIBRARY):
        pytest.skip("NOT TESTED: the package golang-github-bradfitz-gomemcache-dev is not installed")
    binary = build_dir / "gomemcache-client"
    environment = {**os.environ, "GOPATH": "/usr/share/gocode", "GO111MODULE": "off",
                   "GOCACHE": str(build_dir / "go-cache"), "GOFLAGS": ""}
    subprocess.run(["go", "build", "-o", binary, SOURCE], check=True, timeout=180, env=environment)
    return binary


@pytest.mark.deadline(240)  # the first test builds the program
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_gomemcache_sees_a_memcached(scenario, program, proxy):
    run_client([program, proxy.address, scenario])


def test_keys_of_gomemcache_are_on_both_servers(program, proxy, servers):
    run_client([program, proxy.address, "multi_get"])

    assert both_hold_keys(servers)
