"""Client libraries in binary mode: each does the same hundred and more operations with a memcached and
with a proxy before two that have binary switched off, and what comes of each operation is the same.
(Dalli, which speaks binary too, has a page of its own.)"""

import os
import shutil
import subprocess

import pytest

from client_support import run_client

CLIENTS = os.path.join(os.path.dirname(__file__), "clients")
SOURCES = os.path.join(CLIENTS, "binary")
SPYMEMCACHED = "/usr/share/java/spymemcached.jar"


def pylibmc(_):
    return ["/usr/bin/python3", os.path.join(SOURCES, "client.py")]


def php_memcached(_):
    if not shutil.which("php"):
        pytest.skip("NOT TESTED: there is no php")
    assert "memcached" in run_client(["php", "-m"]), "php has no memcached extension"
    return ["php", os.path.join(SOURCES, "client.php")]


def spymemcached(_):
    if not shutil.which("java") or not os.path.exists(SPYMEMCACHED):
        pytest.skip("NOT TESTED: there is no java, or no libspymemcached-java")
    return ["java", "-cp", SPYMEMCACHED, os.path.join(SOURCES, "Client.java")]


def memjs(build_dir):
    folder = build_dir / "memjs"
    shutil.copytree(os.path.join(CLIENTS, "memjs"), folder, dirs_exist_ok=True)
    if not (folder / "node_modules" / "memjs" / "package.json").exists():
        if not shutil.which("npm"):
            pytest.skip("NOT TESTED: there is no npm to install the library with")
        installed = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
                                   cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        if installed.returncode != 0:
            unreachable = any(cause in installed.stderr for cause in
                              ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH"))
            assert unreachable, installed.stderr
            pytest.skip(f"NOT TESTED: the npm registry is not reachable: {installed.stderr}")
    return ["node", folder / "client.js"]


@pytest.mark.deadline(120)  # one of them installs its library
@pytest.mark.parametrize("library", [pylibmc, php_memcached, spymemcached, memjs],
                         ids=lambda library: library.__name__)
def test_operations_come_to_the_same(library, build_dir, start_memcached, start_proxy):
    program = library(build_dir)
    direct = start_memcached()
    proxy = start_proxy([start_memcached(arguments=["-B", "ascii"]) for _ in range(2)], workers=4)

    wanted, found = [run_client([*program, each.address]).splitlines() for each in (direct, proxy)]

    assert found == wanted
    assert len(found) > 150
