"""What watches a memcached watches mcsteady: exporters, memcstat, binary clients."""

import shutil
import subprocess
import time
import urllib.request
import warnings

import pytest

from harness import wait_until

EXPORTERS = ("prometheus-memcached-exporter", "memcached_exporter")

# What memcached_exporter 0.15 reads of `stats` (Exporter.parseStats); all of them are numbers but
# the version. A memcached 1.6.18 has the same.
EXPORTED = """
uptime time version rusage_user rusage_system
get_hits get_misses delete_hits delete_misses incr_hits incr_misses decr_hits decr_misses
cas_hits cas_misses cas_badval touch_hits touch_misses cmd_set cmd_flush
bytes limit_maxbytes curr_items total_items bytes_read bytes_written
curr_connections total_connections rejected_connections conn_yields listen_disabled_num
evictions reclaimed store_too_large store_no_memory lru_crawler_starts direct_reclaims
crawler_items_checked crawler_reclaimed moves_to_cold moves_to_warm moves_within_lru
total_malloced accepting_conns
""".split()
# ... and beside these, other dashboards and collectors.
WATCHED = """
pid libevent pointer_size threads connection_structures max_connections cmd_get cmd_touch cmd_meta
auth_cmds auth_errors get_expired get_flushed
""".split()
# total_malloced is told by `stats slabs` of a memcached, and some read it here.
NOT_IN_MEMCACHED = {"total_malloced"}


def raw_stats(client, arguments=b""):
    """{name: value} of a `stats` command, which must be lines of STAT and an END."""
    client.send(b"stats%s\r\n" % (b" " + arguments if arguments else b""))
    values = {}
    while (line := client.recv_line()) != b"END":
        word, name, value = line.split(b" ", 2)
        assert word == b"STAT", line
        values[name.decode()] = value.decode()
    return values


def test_exporters_find_every_statistic_that_they_read(servers, start_proxy, connect):
    proxy = start_proxy(servers)

    own, memcacheds = raw_stats(connect(proxy)), raw_stats(connect(servers[0]))

    assert set(EXPORTED) - NOT_IN_MEMCACHED <= set(memcacheds), "the list itself is wrong"
    assert set(EXPORTED + WATCHED) - set(own) == set()
    for name in set(EXPORTED) - {"version"}:
        float(own[name])
    assert len(own["rusage_user"].split(".")) == 2
    settings = raw_stats(connect(proxy), b"settings")
    assert int(settings["maxconns"]) > 0 and settings["lru_crawler"] == "no"
    assert set(settings) <= set(raw_stats(connect(servers[0]), b"settings"))


def test_it_is_counted_as_memcached_counts(start_memcached, start_proxy, connect):
    memcached = start_memcached()
    proxy = start_proxy([start_memcached()])
    dialogue = (b"set n 0 0 1\r\n5\r\nget n\r\nget no\r\nincr n 1\r\nincr no 1\r\ndecr n 1\r\ndecr no 1\r\n"
                b"ma n MD\r\nma no MI\r\ntouch n 0\r\ntouch no 0\r\ngat 0 n no\r\ncas n 0 0 1 9999\r\n1\r\n"
                b"cas no 0 0 1 1\r\n1\r\nms n 1 C9999\r\n1\r\nmg n T0\r\ndelete n\r\ndelete n\r\nmd no\r\nmn\r\n")
    counted = []
    for where in (memcached, proxy):
        client = connect(where)
        client.send(dialogue)
        while client.recv_line() != b"MN":
            pass
        counted.append(raw_stats(client))

    names = [name for name in EXPORTED if name.endswith(("_hits", "_misses", "_badval"))]
    assert {n: counted[1][n] for n in names} == {n: counted[0][n] for n in names}
    for name in ("cmd_get", "cmd_set", "cmd_touch"):
        assert counted[1][name] == counted[0][name], name


def test_the_prometheus_exporter_exports_it(servers, start_proxy, connect):
    exporter = next(filter(None, map(shutil.which, EXPORTERS)), None)
    if exporter is None:
        warnings.warn("NOT TESTED with the Prometheus exporter itself, which is not installed: only "
                      "with the list of the statistics that it reads")
        pytest.skip("NOT TESTED: memcached_exporter is not installed")
    proxy = start_proxy(servers)
    connect(proxy).set(b"key", b"value")
    port = 20000 + proxy.pid % 20000
    with subprocess.Popen([exporter, f"--memcached.address={proxy.address}",
                           f"--web.listen-address=127.0.0.1:{port}"]) as running:
        try:
            page = scrape(port)
        finally:
            running.terminate()

    assert "memcached_up 1" in page
    assert 'memcached_commands_total{command="set",status="hit"} 1' in page


def scrape(port):
    until = time.monotonic() + 5
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=2) as page:
                return page.read().decode()
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.mark.parametrize("binary", [[], ["--binary"]], ids=["text", "binary"])
def test_memcstat_shows_it(binary, servers, start_proxy):
    proxy = start_proxy(servers)

    done = subprocess.run(["memcstat", *binary, f"--servers={proxy.address}"], capture_output=True, text=True,
                          timeout=10, check=False)

    assert done.returncode == 0, done.stderr
    assert f"pid: {proxy.pid}" in done.stdout
    assert "get_hits: 0" in done.stdout


def test_reset_begins_anew_in_both_protocols(servers, start_proxy, connect):
    proxy = start_proxy(servers)
    client = connect(proxy)
    client.set(b"key", b"value")
    assert raw_stats(client)["cmd_set"] == "1"

    client.send(b"stats reset\r\n")
    assert client.recv_line() == b"RESET"

    wait_until(lambda: raw_stats(client)["cmd_set"] == "0", what="counters reset")
    assert int(raw_stats(client)["curr_connections"]) >= 1
