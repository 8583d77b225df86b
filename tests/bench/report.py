"""Medians, ratios to the best peer, and the Markdown that shows them."""

import dataclasses
import statistics

PEERS = ("twemproxy", "memcached_proxy")
OURS = "mcsteady"
TITLES = {"direct": "direct", "forwarder": "blind forwarder", "twemproxy": "twemproxy",
          "memcached_proxy": "memcached's proxy", "mcsteady": "mcsteady",
          "mcsteady_no_recovery": "mcsteady, recovery off",
          "mcsteady_tls": "mcsteady, TLS to servers"}


def medians(target):
    """Each figure's median over the rounds; None where the target has none."""
    result = {}
    for field in dataclasses.fields(target.samples[0]):
        values = [getattr(sample, field.name) for sample in target.samples]
        result[field.name] = None if values[0] is None else statistics.median(values)
    return result


def ratio(ours, theirs, figure):
    """The median of the rounds' own ratios: what drifts from round to round falls out."""
    return statistics.median(
        getattr(mine, figure) / getattr(its, figure)
        for mine, its in zip(ours.samples, theirs.samples) if getattr(its, figure) > 0)


def ratios(targets):
    """Of mcsteady: to the peer that is best in each figure, to the forwarder, and on to off."""
    by_name = {target.name: target for target in targets}
    if OURS not in by_name:
        return {}
    ours = by_name[OURS]
    peers = [by_name[name] for name in PEERS if name in by_name]
    result = {}
    if peers:
        # Against the best peer our ratio is the worst one: high for costs, low for throughput.
        for figure, worst in (("proxy_cpu_us", max), ("p50_us", max), ("p99_us", max),
                              ("ops_per_s", min)):
            result[f"{figure}/peer"] = worst(ratio(ours, peer, figure) for peer in peers)
    for other in ("forwarder", "mcsteady_no_recovery"):
        if other in by_name:
            for figure in ("proxy_cpu_us", "p50_us"):
                result[f"{figure}/{other}"] = ratio(ours, by_name[other], figure)
    if "mcsteady_tls" in by_name:
        for figure in ("proxy_cpu_us", "ops_per_s"):
            result[f"{figure}/tls"] = ratio(by_name["mcsteady_tls"], ours, figure)
    return result


def result_of(case, targets):
    """As it goes into the JSON file."""
    return {
        "case": dataclasses.asdict(case),
        "targets": {
            target.name: {"median": medians(target), "syscalls": target.syscalls,
                          "rounds": [dataclasses.asdict(sample) for sample in target.samples]}
            for target in targets},
        "ratios": ratios(targets),
    }


def _number(value):
    if value is None:
        return ""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _ratio(result, name):
    value = result["ratios"].get(name)
    return "" if value is None else f"{value:.2f}"


def _table(head, rows):
    """Without columns that have nothing to say."""
    shown = [i for i in range(len(head)) if any(row[i] for row in rows)]
    head, rows = [head[i] for i in shown], [[row[i] for i in shown] for row in rows]
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _calls(syscalls, *kinds):
    if syscalls is None:
        return ""
    chosen = kinds or syscalls
    return _number(sum(syscalls.get(kind, 0) for kind in chosen))


def summary_table(results):
    """One row a case: how mcsteady stands."""
    head = ["case", "CPU / best peer", "ops/s / best peer", "p50 / best peer", "p99 / best peer",
            "CPU / forwarder", "CPU on / off", "CPU TLS / plain", "syscalls/op: mcsteady", "twemproxy",
            "forwarder"]
    rows = []
    for result in results:
        calls = [_calls(result["targets"].get(name, {}).get("syscalls"))
                 for name in (OURS, "twemproxy", "forwarder")]
        rows.append([result["case"]["name"]] + [
            _ratio(result, name) for name in
            ("proxy_cpu_us/peer", "ops_per_s/peer", "p50_us/peer", "p99_us/peer",
             "proxy_cpu_us/forwarder", "proxy_cpu_us/mcsteady_no_recovery",
             "proxy_cpu_us/tls")] + calls)
    return _table(head, rows)


def figures_table(results):
    """One row a case and target: the medians themselves."""
    head = ["case, target", "ops/s", "p50 us", "p99 us", "p99.9 us", "proxy CPU us/op",
            "servers CPU us/op", "syscalls/op", "server recv + send", "client recv + send", "waits",
            "other", "context switches/op", "RSS MB"]
    rows = []
    for result in results:
        rows.append([f"**{result['case']['name']}**"] + [""] * (len(head) - 1))
        for name, target in result["targets"].items():
            calls = target["syscalls"]
            median = target["median"]
            rows.append([TITLES[name]] + [
                _number(median[figure]) for figure in
                ("ops_per_s", "p50_us", "p99_us", "p999_us", "proxy_cpu_us", "server_cpu_us")] + [
                _calls(calls),
                _pair(calls, "server"), _pair(calls, "client"), _calls(calls, "wait"),
                _calls(calls, "other"), _number(median["context_switches"]),
                _number(median["rss_mb"])])
    return _table(head, rows)


def _pair(calls, side):
    if calls is None:
        return ""
    return f"{_calls(calls, side + ' recv')} + {_calls(calls, side + ' send')}"


def markdown(results, conditions):
    return f"""\
{conditions}

Ratios are medians of the rounds' own; below 1 mcsteady is cheaper or quicker, but for ops/s.

{summary_table(results)}
{figures_table(results)}"""
