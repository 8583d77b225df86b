"""dalli through the proxy, over two memcacheds. Debian's speaks the binary protocol only; newer ones
also the meta protocol."""

import os
import shutil
import subprocess

import pytest

from client_support import both_hold_keys, run_client

VERSION = "4.3.3"
SOURCE = os.path.join(os.path.dirname(__file__), "clients", "ruby", "client.rb")
SCENARIOS = ["values", "awkward_keys", "multi_get", "quiet", "cas", "arithmetic", "add_replace",
             "append_prepend", "delete_touch", "expiry", "megabyte", "version_and_stats"]


def program_of_debian():
    """What speaks binary: Debian's dalli, with Debian's Ruby."""
    version = run_client(["/usr/bin/ruby", "-rdalli", "-e", "puts Dalli::VERSION"])
    assert version.startswith("3.0"), f"not Debian's: {version}"
    return ["/usr/bin/ruby", SOURCE]


def program_with_meta(build_dir):
    gems = build_dir / "gems"
    library = gems / "gems" / f"dalli-{VERSION}" / "lib"
    if not library.exists():
        if not shutil.which("gem"):
            pytest.skip("NOT TESTED: there is no gem to install the library with")
        installed = subprocess.run(  # the one dependency, logger, comes with Ruby
            ["gem", "install", "dalli", "-v", VERSION, "--install-dir", gems, "--no-document",
             "--ignore-dependencies"],
            capture_output=True, text=True, timeout=120, check=False)
        if installed.returncode != 0:
            assert "Unable to download data" in installed.stderr, installed.stderr
            pytest.skip(f"NOT TESTED: rubygems.org is not reachable: {installed.stderr}")
    return ["ruby", "-I", library, SOURCE]


@pytest.fixture(scope="module", params=["binary", "meta"])
def program(request, build_dir):
    """The command, without arguments."""
    return program_of_debian() if request.param == "binary" else program_with_meta(build_dir)


@pytest.mark.deadline(180)  # the first test installs the library
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_dalli_sees_a_memcached(scenario, program, proxy):
    run_client([*program, proxy.address, scenario])


def test_keys_of_dalli_are_on_both_servers(program, proxy, servers):
    run_client([*program, proxy.address, "multi_get"])

    assert both_hold_keys(servers)


def impatient(program, proxy):
    """[(seconds, call, result)]"""
    output = run_client([*program, proxy.address, "impatient"])
    calls = [line.split(" ", 2) for line in output.splitlines()]
    return [(float(seconds), call, result) for seconds, call, result in calls]


def test_a_timeout_of_one_second_is_never_seen_with_a_stopped_server(program, proxy, servers):
    servers[0].sigstop()

    calls = impatient(program, proxy)

    assert max(seconds for seconds, _, _ in calls) < 1
    assert not [result for _, _, result in calls if "NetworkError" in result or "Ring" in result]


def test_a_timeout_of_one_second_is_never_seen_with_a_blackhole(program, servers, blackhole,
                                                               start_proxy):
    proxy = start_proxy([servers[0], blackhole])

    calls = impatient(program, proxy)

    assert max(seconds for seconds, _, _ in calls) < 1
    assert not [result for _, _, result in calls if "NetworkError" in result or "Ring" in result]
