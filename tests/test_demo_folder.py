"""The folder of demo data that tests copy is never one of another source."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.demo_folder import fingerprint

NAMES = st.sampled_from(["a.py", "b.py", "b/c.json", "b/d/e.html"])
SOURCES = st.dictionaries(NAMES, st.binary(max_size=4), max_size=4)


def _fingerprint(files: dict[str, bytes]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (Path(folder) / "__pycache__").mkdir()
        Path(folder, "__pycache__", "a.pyc").write_bytes(folder.encode())
        return fingerprint(Path(folder), "2026-11-16")


@settings(max_examples=40, deadline=None)
@given(SOURCES, SOURCES)
def test_sources_have_the_same_name_only_if_they_are_the_same(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    assume(one != other)
    assert _fingerprint(one) == _fingerprint(dict(one))
    assert _fingerprint(one) != _fingerprint(other)


def test_every_day_has_a_folder_of_its_own(tmp_path: Path) -> None:
    assert fingerprint(tmp_path, "2026-11-16") != fingerprint(tmp_path, "2026-11-17")
