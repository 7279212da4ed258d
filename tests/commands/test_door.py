"""Plain arguments of `partita dynamodb` are read without the library of the commands, and mean the same."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from partita.commands import dynamodb
from partita.commands.door import Served, plain

_VALUES = {
    "--data": st.sampled_from(["data", "a b", "/tmp/x/../y", ""]),
    "--host": st.sampled_from(["127.0.0.1", "localhost", "::1", "", "0.0.0.0"]),
    "--port": st.sampled_from(["0", "8000", "65535", "65536", "-1", "007", "８", "1e3", " 1", "x", ""]),
    "--durability": st.sampled_from(["full", "normal", "off", "Full", "none", ""]),
    "--region": st.sampled_from(["eu-west-1", "", "a b"]),
    "--exports": st.sampled_from(["out", "-", ""]),
    "--allow-origin": st.sampled_from(["*", "https://a.example", ""]),
    "--workers": st.sampled_from(["1", "2", "64", "65", "0", "two"]),
}
_OPTIONS = st.one_of(
    *(st.tuples(st.just(option), values) for option, values in _VALUES.items()),
    st.sampled_from([("--sample",), ("--no-sample",), ("--help",), ("more",), ("--port=1",), ("--data",), ("--", "x")]),
)


def _told_to_typer(arguments: list[str]) -> Served | None:
    """What the command itself makes of the arguments; None if it refuses them or shows its help."""
    asked: list[Served] = []

    def serve(served: Served, *_: object) -> int:
        asked.append(served)
        return 0

    with patch.object(dynamodb, "serve", serve):
        CliRunner().invoke(dynamodb.alone, ["dynamodb", *arguments])
    return asked[0] if asked else None


@settings(max_examples=60)
@given(st.lists(_OPTIONS, max_size=5))
def test_plain_arguments_mean_what_the_command_makes_of_them(options: list[tuple[str, ...]]) -> None:
    arguments = [word for option in options for word in option]
    read = plain(arguments)
    assert read is None or read == _told_to_typer(arguments)


def test_what_nearly_everybody_types_is_plain() -> None:
    assert plain([]) == Served() == _told_to_typer([])
    asked = ["--data", "d", "--port", "0", "--sample", "--workers", "2", "--allow-origin", "*", "--allow-origin", "x"]
    assert plain(asked) == Served(data=Path("d"), port=0, sample=True, workers=2, allow_origin=("*", "x"))
