#!/usr/bin/python3
"""Runs memcached directly, a blind forwarder, twemproxy, memcached's own proxy (where the installed
memcached has it) and mcsteady with its timeout recovery on and off under the same loads, in turn,
and says what each costs. The proxies have one core, the load and the servers another. Absolute
figures are of this machine and this hour; the ratios are what can be compared.

    compare.py --build BUILD [--all | --case TEXT...] [--json FILE] [--markdown FILE]
"""

import argparse
import json
import os
import platform
import resource
import signal
import sys
import tempfile

import measure
import processes
import report
from cases import CASES

TARGETS = ["direct", "forwarder", "twemproxy", "memcached_proxy", "mcsteady",
           "mcsteady_no_recovery", "mcsteady_tls"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True, help="a build directory, Release")
    parser.add_argument("--all", action="store_true", help="every case, not the short set")
    parser.add_argument("--case", action="append", default=[], metavar="TEXT",
                        help="the cases whose name holds this; may be given again")
    parser.add_argument("--target", action="append", dest="targets", choices=TARGETS,
                        help="only these; may be given again")
    parser.add_argument("--transport", choices=["tcp", "unix"], default="tcp", help="on both sides")
    parser.add_argument("--dialect", choices=["text", "meta"], default="text")
    parser.add_argument("--tls", action="store_true",
                        help="mcsteady with TLS to its servers, too, and verified")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of load, a round and target")
    parser.add_argument("--memcached-proxy", default="memcached", metavar="BINARY",
                        help="a memcached that was built with its proxy")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--markdown", metavar="FILE")
    options = parser.parse_args()
    options.mcsteady = f"{options.build}/mcsteady"
    options.mcload = f"{options.build}/tests/bench/mcload"
    options.forwarder = f"{options.build}/tests/bench/forwarder"
    options.targets = choose_targets(options)
    return options


def choose_targets(options):
    targets = options.targets or TARGETS
    skipped = set() if options.tls else {"mcsteady_tls"}
    if not processes.memcached_has_proxy(options.memcached_proxy):
        skipped.add("memcached_proxy")
    if options.dialect == "meta":
        skipped.add("twemproxy")  # speaks the classic protocol only
    return [target for target in TARGETS if target in targets and target not in skipped]


def choose_cases(options):
    if options.case:
        return [case for case in CASES if any(text in case.name for text in options.case)]
    return CASES if options.all else [case for case in CASES if case.short]


def conditions(options, load_before):
    return (f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}; "
            f"{options.transport} on both sides, {options.dialect} protocol, {options.rounds} "
            f"rounds of {options.seconds:g} s; load average before: {load_before:.2f}")


def write_results(options, results, head):
    text = report.markdown(results, head)
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write(text)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"conditions": head, "results": results}, file, indent=1)
    return text


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # stops what was started
    options = parse_arguments()
    if os.cpu_count() < 2:
        sys.exit("the comparison needs two cores: one for the proxy, one for the load")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    head = conditions(options, os.getloadavg()[0])
    results = []
    for case in choose_cases(options):
        print(case.name, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as directory, \
                measure.CaseRun(case, options, directory) as run:
            results.append(report.result_of(case, run.run(options.rounds, options.seconds)))
        text = write_results(options, results, head)  # after each case: a run may be cut short
    print(text)


if __name__ == "__main__":
    main()
