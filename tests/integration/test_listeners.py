"""Where clients connect."""

import contextlib
import os
import pwd
import signal
import stat

import pytest

from harness import Proxy, TextClient, pool_config, run_mcsteady


def unix_listener(tmp_path, mode="0660"):
    return {"address": f"unix:{tmp_path}/mcsteady.sock", "mode": mode}


@pytest.mark.parametrize("mode", ["0660", "0600", "0777"])
def test_a_unix_socket_has_its_mode_and_is_gone_at_the_end(tmp_path, mode, start_memcached, start_proxy):
    proxy = start_proxy([start_memcached(unix=True)], listen=[unix_listener(tmp_path, mode)])
    path = tmp_path / "mcsteady.sock"

    assert stat.S_IMODE(os.stat(path).st_mode) == int(mode, 8)
    with TextClient(f"unix:{path}") as client:
        assert client.set(b"key", b"value") == b"STORED"
        assert client.get(b"key") == b"value"

    proxy.stop()
    assert not path.exists()


def test_all_workers_accept_from_a_unix_socket(tmp_path, start_memcached, start_proxy):
    proxy = start_proxy([start_memcached()], listen=["127.0.0.1:0", unix_listener(tmp_path)], workers=4)
    path = f"unix:{tmp_path}/mcsteady.sock"

    with contextlib.ExitStack() as clients:
        for _ in range(200):
            client = clients.enter_context(TextClient(path))
            assert client.command(b"get key") == b"END"

    assert proxy.stats()["server_connections_opened"] > 1  # each worker has its own
    proxy.stop()
    assert not os.path.exists(f"{tmp_path}/mcsteady.sock")


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: only root may give a file away")
def test_a_unix_socket_belongs_to_whom_it_should(tmp_path, start_memcached, start_proxy):
    start_proxy([start_memcached()], listen=[{**unix_listener(tmp_path), "owner": "nobody", "group": 65533}])

    status = os.stat(f"{tmp_path}/mcsteady.sock")
    assert (pwd.getpwuid(status.st_uid).pw_name, status.st_gid) == ("nobody", 65533)


def test_tcp_and_unix_listeners_serve_the_same_pool(tmp_path, start_memcached, start_proxy):
    proxy = start_proxy([start_memcached()], workers=4,
                        listen=["127.0.0.1:0", unix_listener(tmp_path), "[::1]:0"])

    assert len(proxy.addresses) == 3
    with TextClient(proxy.addresses[0]) as client:
        client.set(b"key", b"value")
    for address in proxy.addresses:
        with TextClient(address) as client:
            assert client.get(b"key") == b"value"


def test_a_socket_file_that_a_killed_process_left_is_taken_over(tmp_path, start_memcached, start_proxy):
    config = pool_config([start_memcached()], listen=[unix_listener(tmp_path)])
    first = Proxy(config)
    first.process.kill9()
    first.discard()
    assert (tmp_path / "mcsteady.sock").exists()

    with Proxy(config):
        with TextClient(f"unix:{tmp_path}/mcsteady.sock") as client:
            assert client.command(b"mn") == b"MN"


# An owner with several workers shares its port, and must not share it with a stranger.
@pytest.mark.parametrize("owners", [1, 2])
@pytest.mark.parametrize("workers", [1, 4])
def test_an_address_in_use_is_refused_and_its_owner_is_not_disturbed(tmp_path, owners, workers,
                                                                     start_memcached, start_proxy):
    server = start_memcached()
    owner = start_proxy([server], listen=["127.0.0.1:0", unix_listener(tmp_path)], workers=owners)

    for taken in owner.addresses:
        config = tmp_path / "second.yaml"
        config.write_text(f"listen: ['{taken}']\nworkers: {workers}\n"
                          f"pools: {{main: {{servers: ['{server.address}']}}}}\n")
        status, _, log = run_mcsteady("--config", config)

        assert status == 1
        assert "cannot start" in log and taken.removeprefix("unix:") in log
    for address in owner.addresses:
        with TextClient(address) as client:
            assert client.command(b"mn") == b"MN"


def test_every_worker_gets_clients(start_memcached, start_proxy, connect):
    proxy = start_proxy([start_memcached()], workers=4)
    clients = [connect(proxy) for _ in range(64)]
    for n, client in enumerate(clients):
        assert client.set(b"key%d" % n, b"x") == b"STORED"

    # Each worker has a connection of its own to the server.
    assert proxy.stats()["server_connections_opened"] == 4
    assert proxy.stats()["threads"] == 4


def test_a_client_over_the_limit_is_closed(start_memcached, start_proxy, connect):
    proxy = start_proxy([start_memcached()], limits={"clients": 2})
    kept = [connect(proxy), connect(proxy)]
    for client in kept:
        assert client.command(b"mn") == b"MN"

    refused = connect(proxy)

    assert refused.expect_eof() in (b"", b"ERROR Too many open connections\r\n")
    for client in kept:
        assert client.command(b"mn") == b"MN"
    assert kept[0].stats()["rejected_connections"] == 1


def test_the_names_of_stats(start_memcached, start_proxy, connect):
    server = start_memcached()
    proxy = start_proxy([server], workers=4)
    client = connect(proxy)
    client.set(b"key", b"value")
    client.get_many([b"key", b"missing"])

    found = proxy.stats()

    assert found["pid"] == proxy.pid
    assert (found["cmd_set"], found["cmd_get"], found["get_hits"], found["get_misses"]) == (1, 2, 1, 1)
    for name in ("uptime", "time", "version", "threads", "curr_connections", "total_connections", "bytes",
                 "limit_maxbytes", "bytes_read", "bytes_written", "proxy_request_time_p99_us",
                 "proxy_loop_lag_p99_us", "server_timeouts_recovered", "server_waits_granted",
                 "server_late_replies_dropped", "server_incidents", "server_down_marks",
                 "server_connections_retired", "server_resends", "server_failed_server_late"):
        assert name in found
    of_server = proxy.server_stats()[server.address]
    assert of_server["state"] == "up"
    assert of_server["answered"] == of_server["requests"] == 2  # the two keys went up in one
    for name in ("timeouts_recovered", "incidents", "down_marks", "connections", "response_time_p99_us"):
        assert name in of_server


def test_a_server_that_is_not_there_leaves_the_proxy_running(start_proxy, connect):
    proxy = start_proxy(["127.0.0.1:1"])  # a port that nothing has
    client = connect(proxy)

    assert client.get(b"key") is None
    assert client.set(b"key", b"value").startswith(b"SERVER_ERROR ")
    proxy.process.signal(signal.SIGHUP)
    assert client.command(b"mn") == b"MN"


def test_clients_never_take_the_descriptors_that_servers_need(stack, start_memcached):
    config = pool_config([start_memcached()])
    proxy = stack.enter_context(Proxy(config, within=["prlimit", "--nofile=48:48"]))
    clients = [stack.enter_context(proxy.client()) for _ in range(60)]

    assert clients[0].set(b"key", b"value") == b"STORED"
    assert clients[0].get(b"key") == b"value"
    assert "the descriptor limit allows fewer clients" in proxy.process.log()
