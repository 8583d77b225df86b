"""The command line and the configuration, with the real binary."""

import json
import pathlib
import signal
import socket

import pytest

from harness import Process, Proxy, mcsteady_binary, pool_config, run_mcsteady
from harness import TextClient

CONFIGURATIONS = pathlib.Path(__file__).parents[2] / "config"


def test_version_is_one_line():
    status, output, _ = run_mcsteady("--version")

    assert status == 0
    assert output.startswith("mcsteady ") and output.count("\n") == 1


def test_help_names_every_option():
    status, output, _ = run_mcsteady("--help")

    assert status == 0
    for option in ("--config", "--check", "--log-level", "--version", "--help"):
        assert option in output


@pytest.mark.parametrize("name", ["mcsteady.full.yaml", "mcsteady.minimal.yaml"])
def test_check_prints_what_would_run(name):
    status, output, errors = run_mcsteady("--check", "--config", CONFIGURATIONS / name)

    assert (status, errors) == (0, "")
    assert "127.0.0.1:11211" in output and "127.0.0.1:11212" in output and "response: 250ms" in output


def test_what_check_prints_is_a_configuration_that_means_the_same(tmp_path):
    _, printed, _ = run_mcsteady("--check", "--config", CONFIGURATIONS / "mcsteady.full.yaml")
    again = tmp_path / "again.yaml"
    again.write_text(printed)

    assert run_mcsteady("--check", "--config", again) == (0, printed, "")


def test_a_wrong_file_gets_all_its_errors_with_their_places_and_opens_nothing(tmp_path):
    config = tmp_path / "wrong.yaml"
    sockets = tmp_path / "sockets"
    sockets.mkdir()
    untouched = sockets.stat().st_mtime_ns
    config.write_text(f"listen:\n  - unix:{sockets}/mcsteady.sock\nworkerz: 2\npools:\n  main:\n"
                      "    servers: [127.0.0.1:99999]\n    timeouts:\n      response: 5 bananas\n")

    for arguments in ([], ["--check"]):
        status, output, errors = run_mcsteady(*arguments, "--config", config)

        assert (status, output) == (78, "")
        lines = errors.splitlines()
        assert [line.split(" ")[0] for line in lines] == [
            f"{config}:3:1:", f"{config}:6:15:", f"{config}:8:17:"], errors
        assert "did you mean 'workers'?" in lines[0]
    assert sockets.stat().st_mtime_ns == untouched


@pytest.mark.parametrize("content, place", [("pools: [\n", ":2:1:"), ("a: b: c\n", ":1:"), ("\tx: 1\n", ":1:")])
def test_a_file_that_is_no_yaml_is_refused_with_its_place(tmp_path, content, place):
    config = tmp_path / "wrong.yaml"
    config.write_text(content)

    status, _, errors = run_mcsteady("--config", config)

    assert status == 78
    assert errors.startswith(f"{config}{place}"), errors


def test_a_missing_file_is_a_configuration_error(tmp_path):
    status, _, errors = run_mcsteady("--config", tmp_path / "nothing.yaml")

    assert status == 78
    assert "nothing.yaml" in errors and "No such file" in errors


def test_an_unknown_log_level_is_refused_with_those_there_are():
    status, _, errors = run_mcsteady("--log-level", "loud", "--check")

    assert status == 78
    assert "'loud'" in errors and "trace, debug, info, warn or error" in errors


def test_an_unknown_option_is_refused():
    status, output, errors = run_mcsteady("--colour")

    assert status != 0
    assert "--colour" in output + errors


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def test_without_arguments_it_listens_at_memcacheds_port():
    if not is_free(11211):
        pytest.skip("NOT TESTED: something else has port 11211")
    process = Process([mcsteady_binary()])
    try:
        process.wait_for_log("ready")
        with TextClient("127.0.0.1:11211") as client:
            assert client.command(b"mn") == b"MN"
            assert client.stats("servers")["127.0.0.1:11212:state"] == "up"
        process.signal(signal.SIGTERM)
        assert process.wait() == 0
    finally:
        process.end()


def test_the_log_level_of_the_command_line_wins(start_memcached):
    config = pool_config([start_memcached()], log={"level": "error"})
    with Proxy(config, ["--log-level", "info"]) as proxy:
        assert "info ready" in proxy.log()


def test_a_json_log_has_an_object_a_line(start_memcached, start_proxy):
    proxy = start_proxy([start_memcached()], log={"format": "json"})

    proxy.stop()

    events = [json.loads(line) for line in proxy.process.log_lines()]
    assert [event["event"] for event in events if event["event"] in ("listening", "ready")] == [
        "listening", "ready"]
    assert all(event["level"] == "info" and event["time"].endswith("Z") for event in events)
    assert next(event["servers"] for event in events if event["event"] == "ready") == 1


def test_the_metrics_line_comes_at_its_interval(start_memcached, start_proxy, connect):
    server = start_memcached()
    proxy = start_proxy([server], log={"metrics_interval": "200ms"})
    client = connect(proxy)
    client.set(b"key", b"value")
    client.get(b"key")

    line = proxy.process.wait_for_log(" metrics commands=")

    assert "commands=2 by_command=get:1,set:1 get_hits=1" in line
    assert f"server={server.address} state=up requests=2" in proxy.process.wait_for_log(" server metrics ")
