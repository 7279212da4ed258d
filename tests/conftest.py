"""What holds for all tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# No test cuts the power, and a process that is killed loses nothing: nobody has to wait for the disk at every write.
os.environ.setdefault("PARTITA_DURABILITY", "off")
pytest.MonkeyPatch().setattr(os, "fsync", lambda _handle: None)  # files too: every store has some, made for its test
os.environ.setdefault("PARTITA_MEANING", "false")  # the model takes its time; tests that want it ask for it
# Before anybody imports numpy: threads of its own only wait for each other, and burn the time of other tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# How many examples a law is tried on that does not say it: few in every run, which differ from run to run, and many
# by themselves (`make laws`). None fails because a machine is slow: an example may take as long as it takes.
settings.register_profile(
    "laws",
    max_examples=int(os.environ.get("PARTITA_LAWS", "20")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("laws")

LONGEST = (
    "tests/web/test_markup.py",
    "tests/web/test_schemathesis.py",
    "tests/apps/newsletter/writing/test_retrieval.py",
    "tests/test_docs_run.py",
    "tests/test_bench.py",
    "tests/test_types.py",
    "tests/apps/test_strangers.py",
    *("tests/table/test_export.py", "tests/table/test_strangers.py"),  # both load cfn-lint
)
"""Files with tests that take longest, or that share what takes long to make."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest come first: nobody is waited for at the end, and a worker without work takes tests from the end of
    another one's, so what tests of these files share is made once."""
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in LONGEST)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests stay until the end: nobody has to look through them for garbage again and again, and seldom
    through anything else, which took a sixth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        gc.enable()
