"""How tests run: the longest first, and every law on as many examples as a run asks for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import LONGEST, pytest_collection_modifyitems

TESTS = Path(__file__).parent
FILES = st.sampled_from([*LONGEST, "tests/test_runs.py", "tests/web/test_mark.py", "tests/web/test_markup.py.py"])
NAMES = st.builds("{}::test_{}".format, FILES, st.integers(0, 9))


def test_the_longest_are_there() -> None:
    assert [each for each in LONGEST if not (TESTS.parent / each).is_file()] == []


@given(st.lists(NAMES))
def test_the_longest_come_first_and_all_others_stay_in_their_order(names: list[str]) -> None:
    items: list[Any] = [SimpleNamespace(nodeid=each) for each in names]
    pytest_collection_modifyitems(items)
    long = [each for each in names if each.split("::")[0] in LONGEST]
    assert [item.nodeid for item in items] == long + [each for each in names if each not in long]


def test_no_folder_has_a_profile_of_its_own() -> None:
    """It would hold for every folder that is collected after it, also where `make laws` asks for more examples."""
    loading = [file for file in TESTS.rglob("*.py") if "settings.load_profile" in file.read_text()]
    assert sorted(loading) == [TESTS / "conftest.py", TESTS / "test_runs.py"]
