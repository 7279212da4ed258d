"""`python -m bench`: run everything and write docs/benchmarks.md; with the name of a part, print that part."""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

from bench import clients as client_bench
from bench import engine as engine_bench
from bench import films as films_bench
from bench import newsletter as newsletter_bench
from bench import search as search_bench
from bench import web as web_bench
from bench.engine import BOTO_DOOR, BOTO_DYNOXIDE, BOTO_ENGINE, ENGINE, OPERATIONS, RAW, EngineResult
from bench.growth import grow
from bench.measure import Measured

REPORT = Path(__file__).parent.parent / "docs" / "benchmarks.md"
SMALL, LARGE = 10_000, 1_000_000
_PYTHON = platform.python_version()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parts = ("all", "clients", "films", "newsletter", "search", "web")
    parser.add_argument("part", nargs="?", choices=parts, default="all")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--large", type=int, default=LARGE, help="items in the large table of the growth test")
    parser.add_argument("--short", action="store_true", help="only see whether a part runs")
    parser.add_argument("--report", type=Path, default=REPORT)
    options = parser.parse_args()
    if options.part == "clients":
        rounds, share = (1, 0.05) if options.short else (options.rounds, 1.0)
        print("\n".join(client_bench.section(client_bench.compare(rounds, print, share))))
        return
    if options.part == "web":
        rounds, seconds = (1, 0.2) if options.short else (options.rounds, 1.5)
        print("\n".join(web_bench.section(web_bench.compare(rounds, print, seconds))))
        return
    if options.part == "newsletter":
        print("\n".join(newsletter_bench.section(newsletter_bench.compare(print, short=options.short))))
        return
    if options.part == "search":
        print(
            "\n".join(search_bench.section(search_bench.compare(print, 500 if options.short else search_bench.COUNT)))
        )
        return
    if options.part == "films":
        print("\n".join(films_bench.section(films_bench.compare(print, 500 if options.short else films_bench.COUNT))))
        return
    result = engine_bench.compare(options.rounds, print)
    growth = grow((SMALL, options.large), options.rounds, print)
    clients = client_bench.compare(options.rounds, print)
    web = web_bench.compare(options.rounds, print)
    search = search_bench.compare(print)
    films = films_bench.compare(print)
    newsletter = newsletter_bench.compare(print)
    text = report(result, growth, clients, options.large, options.rounds)
    text += (
        "\n".join(
            [
                "",
                *search_bench.section(search),
                "",
                *films_bench.section(films),
                "",
                *newsletter_bench.section(newsletter),
                "",
                *web_bench.section(web),
            ]
        )
        + "\n"
    )
    options.report.write_text(text)
    print(text)


def report(result: EngineResult, growth: Measured, clients: Measured, large: int, rounds: int) -> str:
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench`: {rounds} interleaved rounds on {os.cpu_count()} cores, Python {_PYTHON}.",
        "Times are medians and depend on the machine; ratios are medians over the rounds of each round's ratio.",
        "",
        "## The engine and its neighbours",
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
    together = measured.median(ENGINE, "32 writers")
    lines += [
        "",
        f"32 threads putting at once into the engine: {together:,.0f} µs per put, {1e6 / together:,.0f} puts a second.",
        "",
    ]
    lines += ["| what | wanted | measured |", "|---|---|---|", *_targets(result, growth, large)]
    lines += ["", "## Growth", "", "Random reads in process, microseconds:", ""]
    lines += ["| | get | query of 25 |", "|---|---:|---:|"]
    for name in growth.rounds:
        lines.append(f"| {name} | {growth.median(name, 'get'):,.1f} | {growth.median(name, 'query of 25'):,.1f} |")
    lines += ["", *client_bench.section(clients)]
    return "\n".join(lines) + "\n"


def _targets(result: EngineResult, growth: Measured, large: int) -> list[str]:
    measured = result.measured
    found: list[tuple[str, str, str]] = []

    def ratio(what: str, wanted: str, value: float) -> None:
        found.append((what, wanted, f"{value:.2f}×"))

    if BOTO_DYNOXIDE in measured.rounds:
        ratio("engine get to boto3 → dynoxide", "≥ 10×", measured.times_as_fast(ENGINE, BOTO_DYNOXIDE, "get"))
        ratio("engine query to boto3 → dynoxide", "≥ 8×", measured.times_as_fast(ENGINE, BOTO_DYNOXIDE, "query of 25"))
    ratio("sequential durable put to raw SQLite", "≥ 0.5×", measured.times_as_fast(ENGINE, RAW, "put"))
    ratio(
        "32 durable writers to sequential raw SQLite",
        "≥ 2×",
        measured.times_as_fast(ENGINE, RAW, "32 writers", "put"),
    )
    if BOTO_DYNOXIDE in measured.rounds:
        for operation in OPERATIONS:
            value = measured.times_as_fast(BOTO_ENGINE, BOTO_DYNOXIDE, operation)
            ratio(f"boto3 in process to boto3 → dynoxide, {operation}", "≥ 2×", value)
        for operation in OPERATIONS:
            value = measured.times_as_fast(BOTO_DOOR, BOTO_DYNOXIDE, operation)
            ratio(f"boto3 → door to boto3 → dynoxide, {operation}", "≥ 0.9×", value)
    small, big = f"{SMALL:,} items", f"{large:,} items"
    for operation in ("get", "query of 25"):
        value = 1 / growth.times_as_fast(big, small, operation)
        ratio(f"{operation} at {large:,} items costs, to {SMALL:,}", "≤ 1.5×", value)
    found.append(("start of `partita dynamodb` until it listens", "< 0.3 s", f"{result.start_seconds:.2f} s"))
    found.append(("the door's memory after the run", "< 120 MB", f"{result.door_megabytes:.0f} MB"))
    return [f"| {what} | {wanted} | {value} |" for what, wanted, value in found]


if __name__ == "__main__":
    main()
