"""npm's memcached through the proxy, over two memcacheds."""

import os
import shutil
import subprocess

import pytest

from client_support import both_hold_keys, run_client

SOURCES = os.path.join(os.path.dirname(__file__), "clients", "node")
SCENARIOS = ["values", "multi_get", "cas", "arithmetic", "add_replace", "append_prepend",
             "delete_touch", "expiry", "megabyte", "concurrent", "version_and_stats"]


@pytest.fixture(scope="module")
def program(build_dir):
    """The command, without arguments; the library is installed beside a copy of the sources."""
    folder = build_dir / "node"
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    if not (folder / "node_modules" / "memcached" / "package.json").exists():
        if not shutil.which("npm"):
            pytest.skip("NOT TESTED: there is no npm to install the library with")
        installed = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
                                   cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        if installed.returncode != 0:
            unreachable = any(cause in installed.stderr for cause in
                              ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH"))
            assert unreachable, installed.stderr
            pytest.skip(f"NOT TESTED: the npm registry is not reachable: {installed.stderr}")
    return ["node", folder / "client.js"]


@pytest.mark.deadline(180)  # the first test installs the library
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_node_sees_a_memcached(scenario, program, proxy):
    run_client([*program, proxy.address, scenario])


def test_keys_of_node_are_on_both_servers(program, proxy, servers):
    run_client([*program, proxy.address, "multi_get"])

    assert both_hold_keys(servers)
