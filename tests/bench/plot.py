#!/usr/bin/python3
"""Latency against load: the same gets at ever higher rates in open loop, through each proxy in
turn, as a picture. A proxy's line ends where it no longer keeps up.

    plot.py --build BUILD --svg FILE [--memcached-proxy BINARY] [--rounds N]
"""

import argparse
import dataclasses
import math
import statistics
import tempfile

import measure
import processes
from cases import Case

BASE = Case("latency against load", clients=50, size=100)
RATES = [2_000, 5_000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 80_000, 100_000, 120_000]
KEEPS_UP = 0.97  # of the rate
TARGETS = {"forwarder": ("blind forwarder", "#888888"), "twemproxy": ("twemproxy", "#d08000"),
           "memcached_proxy": ("memcached's proxy", "#2060c0"), "mcsteady": ("mcsteady", "#c02040")}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 64, 150, 40, 48


def measure_all(options):
    """{target: [(rate, p50 in us, p99 in us)]}"""
    points = {name: [] for name in options.targets}
    for rate in RATES:
        case = dataclasses.replace(BASE, rate=rate)
        options.targets = [name for name in points  # those that have kept up so far
                           if len(points[name]) == RATES.index(rate)]
        if not options.targets:
            break
        with tempfile.TemporaryDirectory() as directory, \
                measure.CaseRun(case, options, directory) as run:
            for target in run.run(options.rounds, options.seconds, traced=False):
                middle = {field: statistics.median(getattr(sample, field) for sample in target.samples)
                          for field in ("ops_per_s", "p50_us", "p99_us")}
                if middle["ops_per_s"] >= KEEPS_UP * rate:
                    points[target.name].append((rate, middle["p50_us"], middle["p99_us"]))
        print(rate, {name: its[-1] for name, its in points.items() if its}, flush=True)
    return points


class Axes:
    """Both logarithmic, around the points."""

    def __init__(self, points):
        flat = [point for its in points.values() for point in its]
        self.x = math.log(RATES[0]), math.log(max(rate for rate, _, _ in flat))
        self.y = (math.log(min(p50 for _, p50, _ in flat) * 0.8),
                  math.log(max(p99 for _, _, p99 in flat) * 1.2))

    def at(self, rate, microseconds):
        across = (math.log(rate) - self.x[0]) / (self.x[1] - self.x[0])
        up = (math.log(microseconds) - self.y[0]) / (self.y[1] - self.y[0])
        return (LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM))

    def has_rate(self, rate):
        return self.x[0] <= math.log(rate) <= self.x[1] + 1e-9

    def has_time(self, microseconds):
        return self.y[0] <= math.log(microseconds) <= self.y[1]


def text(x, y, words, anchor="start", color="#222222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{words}</text>'


def line(points, color, more=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" {more}/>'


def grid(axes):
    parts = []
    for rate in filter(axes.has_rate, RATES):
        x, _ = axes.at(rate, math.exp(axes.y[0]))
        parts.append(line([(x, TOP), (x, HEIGHT - BOTTOM)], "#e4e4e4"))
        if rate not in (50_000, 80_000):  # too near to their neighbours
            parts.append(text(x, HEIGHT - BOTTOM + 16, f"{rate // 1000}k", "middle"))
    for time in (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000):
        if axes.has_time(time):
            _, y = axes.at(RATES[0], time)
            parts.append(line([(LEFT, y), (WIDTH - RIGHT, y)], "#e4e4e4"))
            parts.append(text(LEFT - 6, y + 4, f"{time / 1000:g} ms", "end"))
    return parts


def draw(points, title):
    axes = Axes(points)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             f'font-family="sans-serif" font-size="11">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
             text(LEFT, 20, title), text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10,
                                         "gets a second, open loop", "middle"), *grid(axes)]
    for number, (name, its) in enumerate(points.items()):
        label, color = TARGETS[name]
        if its:
            parts.append(line([axes.at(rate, p99) for rate, _, p99 in its], color,
                              'stroke-width="2"'))
            parts.append(line([axes.at(rate, p50) for rate, p50, _ in its], color,
                              'stroke-dasharray="4 3"'))
        parts.append(text(WIDTH - RIGHT + 12, TOP + 16 * (number + 1), label, color=color))
    parts.append(text(WIDTH - RIGHT + 12, TOP + 16 * (len(points) + 2), "solid: p99"))
    parts.append(text(WIDTH - RIGHT + 12, TOP + 16 * (len(points) + 3), "dashed: p50"))
    return "\n".join(parts) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True, help="a build directory, Release")
    parser.add_argument("--svg", required=True, metavar="FILE")
    parser.add_argument("--memcached-proxy", default="memcached", metavar="BINARY",
                        help="a memcached that was built with its proxy")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.5)
    options = parser.parse_args()
    options.transport, options.dialect = "tcp", "text"
    options.mcsteady = f"{options.build}/mcsteady"
    options.mcload = f"{options.build}/tests/bench/mcload"
    options.forwarder = f"{options.build}/tests/bench/forwarder"
    options.targets = [name for name in TARGETS if name != "memcached_proxy"
                       or processes.memcached_has_proxy(options.memcached_proxy)]
    points = measure_all(options)
    with open(options.svg, "w", encoding="utf-8") as file:
        file.write(draw(points, f"{BASE.clients} clients, gets of {BASE.size} bytes, TCP; "
                                "the proxy on one core, load and memcached on the other"))


if __name__ == "__main__":
    main()
