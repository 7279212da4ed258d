"""`python -m bench`: run everything and write docs/benchmarks.md; with the name of a part, print that part.

The engine's part also takes its place in that page. A part's modules are imported when it runs: all of them take
seconds.
"""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

from bench import engine as engine_bench
from bench import load as load_bench
from bench.engine import BOTO_DOOR, BOTO_DYNOXIDE, BOTO_ENGINE, ENGINE, OPERATIONS, RAW, TOGETHER, EngineResult
from bench.growth import grow
from bench.measure import Measured

REPORT = Path(__file__).parent.parent / "docs" / "benchmarks.md"
SMALL, LARGE = 10_000, 1_000_000
_PYTHON = platform.python_version()
_FIRST, _AFTER = "## The engine and its neighbours", "## Clients"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parts = ("all", "clients", "engine", "films", "newsletter", "search", "web")
    parser.add_argument("part", nargs="?", choices=parts, default="all")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--large", type=int, default=LARGE, help="items in the large table of the growth test")
    parser.add_argument("--short", action="store_true", help="only see whether a part runs")
    parser.add_argument("--report", type=Path, default=REPORT)
    options = parser.parse_args()
    if options.part == "all":
        text = _everything(options.rounds, options.large)
        options.report.write_text(text)
    else:
        text = _part(options.part, options.rounds, options.large, short=options.short)
        if options.part == "engine" and not options.short:
            _put_into(options.report, text)
    print(text)


def _everything(rounds: int, large: int) -> str:
    parts = ("engine", "clients", "search", "films", "newsletter", "web")
    heading = [
        "# Benchmarks",
        "",
        f"Written by `make bench`: {rounds} interleaved rounds on {os.cpu_count()} cores, Python {_PYTHON}.",
        "Times are medians and depend on the machine; ratios are medians over the rounds of each round's ratio.",
    ]
    return "\n\n".join(["\n".join(heading), *(_part(part, rounds, large) for part in parts)]) + "\n"


def _part(part: str, rounds: int, large: int, *, short: bool = False) -> str:
    rounds = 1 if short else rounds
    match part:
        case "engine":
            return _engine(rounds, large, short=short)
        case "clients":
            from bench import clients

            lines = clients.section(clients.compare(rounds, print, 0.05 if short else 1.0))
        case "web":
            from bench import web

            lines = web.section(web.compare(rounds, print, 0.1 if short else 1.5))
        case "newsletter":
            from bench import newsletter

            lines = newsletter.section(newsletter.compare(print, short=short))
        case "search":
            from bench import search

            lines = search.section(search.compare(print, 500 if short else search.COUNT))
        case _:
            from bench import films

            lines = films.section(films.compare(print, 500 if short else films.COUNT))
    return "\n".join(lines)


def _engine(rounds: int, large: int, *, short: bool = False) -> str:
    """Everything about the engine: its neighbours, growth, and the door under load."""
    begun = os.getloadavg()[0]
    result = engine_bench.compare(rounds, print, short=short)
    sizes = (100, 200) if short else (SMALL, large)
    growth = grow(sizes, rounds, print, share=0.01 if short else 1.0)
    load = load_bench.compare(rounds, print, short=short)
    told = f"{rounds} rounds; the load of the machine was {begun:.1f} before and {os.getloadavg()[0]:.1f} after."
    return "\n".join([*_neighbours(result, growth, sizes), "", *load_bench.section(load), "", told])


def _put_into(report: Path, text: str) -> None:
    """Replace what the page says of the engine: everything up to the clients."""
    before, _, rest = report.read_text().partition(_FIRST)
    _, clients, after = rest.partition(_AFTER)
    report.write_text(f"{before}{text}\n\n{clients}{after}")


def _neighbours(result: EngineResult, growth: Measured, sizes: tuple[int, int]) -> list[str]:
    lines = [
        _FIRST,
        "",
        "Microseconds per operation, items of 1 KB, a table with one global index; writes are durable (fsync) in the",
        "engine and in raw SQLite. Raw SQLite does the same row writes and nothing else.",
        "",
        "| | " + " | ".join(OPERATIONS) + " |",
        "|---|" + "---:|" * len(OPERATIONS),
    ]
    measured = result.measured
    for name in measured.rounds:
        figures = " | ".join(f"{measured.median(name, operation):,.0f}" for operation in OPERATIONS)
        lines.append(f"| {name} | {figures} |")
    lines.append("")
    for way in TOGETHER:
        together = measured.median(ENGINE, way)
        each = f"{together:,.0f} µs per put, {1e6 / together:,.0f} puts a second"
        lines.append(f"- {way} putting at once into the engine: {each}.")
    lines.append("")
    lines += ["| what | wanted | measured |", "|---|---|---|", *_targets(result, growth, sizes)]
    lines += ["", "## Growth", "", "Random reads in process, microseconds:", ""]
    lines += ["| | get | query of 25 |", "|---|---:|---:|"]
    for name in growth.rounds:
        lines.append(f"| {name} | {growth.median(name, 'get'):,.1f} | {growth.median(name, 'query of 25'):,.1f} |")
    return lines


def _targets(result: EngineResult, growth: Measured, sizes: tuple[int, int]) -> list[str]:
    measured = result.measured
    found: list[tuple[str, str, str]] = []

    def ratio(what: str, wanted: str, value: float) -> None:
        found.append((what, wanted, f"{value:.2f}×"))

    if BOTO_DYNOXIDE in measured.rounds:
        ratio("engine get to boto3 → dynoxide", "≥ 10×", measured.times_as_fast(ENGINE, BOTO_DYNOXIDE, "get"))
        ratio("engine query to boto3 → dynoxide", "≥ 8×", measured.times_as_fast(ENGINE, BOTO_DYNOXIDE, "query of 25"))
    ratio("get to raw SQLite", "≥ 0.45×", measured.times_as_fast(ENGINE, RAW, "get"))
    ratio("sequential durable put to raw SQLite", "≥ 0.6×", measured.times_as_fast(ENGINE, RAW, "put"))
    ratio("transaction of 3 to raw SQLite", "≥ 0.55×", measured.times_as_fast(ENGINE, RAW, "transaction of 3"))
    for way in TOGETHER:
        value = measured.times_as_fast(ENGINE, RAW, way, "put")
        ratio(f"32 durable writers to sequential raw SQLite, {way}", "≥ 2.5×", value)
    if BOTO_DYNOXIDE in measured.rounds:
        for operation in OPERATIONS:
            value = measured.times_as_fast(BOTO_ENGINE, BOTO_DYNOXIDE, operation)
            ratio(f"boto3 in process to boto3 → dynoxide, {operation}", "≥ 2×", value)
        for operation in OPERATIONS:
            value = measured.times_as_fast(BOTO_DOOR, BOTO_DYNOXIDE, operation)
            ratio(f"boto3 → door to boto3 → dynoxide, {operation}", "≥ 0.9×", value)
    small, large = sizes
    for operation, most in (("get", "≤ 1.2×"), ("query of 25", "≤ 1.5×")):
        value = growth.costs(f"{large:,} items", f"{small:,} items", operation)
        ratio(f"{operation} at {large:,} items costs, to {small:,}", most, value)
    found.append(("start of `partita dynamodb` until it listens", "≤ 0.2 s", f"{result.start_seconds:.2f} s"))
    found.append(("the door's memory after the run", "< 120 MB", f"{result.door_megabytes:.0f} MB"))
    return [f"| {what} | {wanted} | {value} |" for what, wanted, value in found]


if __name__ == "__main__":
    main()
