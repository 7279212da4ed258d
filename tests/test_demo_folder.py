"""The folder of demo data that tests copy is never one of another source."""

from __future__ import annotations

import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import demo_folder
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


def test_a_folder_that_is_copied_is_not_deleted_by_whoever_needs_that_of_the_next_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled: list[Path] = []

    def fill(folder: Path) -> None:
        (folder / "inside").mkdir(parents=True)
        filled.append(folder)

    monkeypatch.setattr(demo_folder, "_fill", fill)
    copying, copied = threading.Event(), threading.Event()
    order: list[str] = []

    def before_midnight() -> None:
        with demo_folder.demo_folder(tmp_path, lambda: "2026-11-16") as folder:
            copying.set()
            assert copied.wait(0.3) is False  # the other one waits for us
            assert (folder / "inside").exists()
            order.append("before")

    def after_midnight() -> None:
        copying.wait()
        with demo_folder.demo_folder(tmp_path, lambda: "2026-11-17") as folder:
            order.append("after")
            copied.set()
            assert folder.exists()

    with ThreadPoolExecutor(2) as threads:
        for each in [threads.submit(before_midnight), threads.submit(after_midnight)]:
            each.result()
    assert order == ["before", "after"]
    assert [folder.exists() for folder in filled] == [False, True]


def test_copies_of_one_folder_do_not_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_folder, "_fill", Path.mkdir)
    with (
        demo_folder.demo_folder(tmp_path, lambda: "2026-11-16") as one,
        demo_folder.demo_folder(tmp_path, lambda: "2026-11-16") as other,
    ):
        assert one == other


def test_every_day_has_a_folder_of_its_own(tmp_path: Path) -> None:
    assert fingerprint(tmp_path, "2026-11-16") != fingerprint(tmp_path, "2026-11-17")


def test_it_can_be_made_before_anybody_copies_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_folder, "_fill", Path.mkdir)
    demo_folder.make_demo(tmp_path)
    assert len([each for each in tmp_path.iterdir() if each.is_dir()]) == 1
