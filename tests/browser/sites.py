"""Sites of fus for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.browser.house import MANAGER, House


@contextmanager
def a_site(house: House, title: str, **fields: str) -> Iterator[str]:
    """The page of a new site."""
    with house.program(MANAGER) as manager:
        said = {"url": f"https://lost.example/{title}", "title": title, "go": "save", **fields}
        answer = manager.post("/fus/sites/new", form=dict(said))
        assert answer.ok, answer.text()
        path = answer.url.removeprefix(house.url)
        try:
            yield path
        finally:
            manager.post(f"{path}/delete")
