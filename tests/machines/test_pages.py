"""Lists over alternating machines: whatever is there all the time comes once, while others come, go and change, while
machines are killed, and while the secret is changed."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import count, cycle
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from partita.apps.kelifax.schema import Resource
from partita.store import Store
from partita.table import Delete, Put
from tests.machines.place import Machine, resource, until
from tests.machines.trio import NEW, Trio

EXAMPLES = int(os.environ.get("PARTITA_MACHINES", "6"))
_WORDS = ("map", "sea", "night", "river", "cloth", "of")
_NUMBERS = count()

TEXTS = st.tuples(st.integers(1, 5), st.lists(st.sampled_from(_WORDS), max_size=12))
"""How often a document has the word that is looked for, and what else it has."""
STEPS = st.tuples(
    st.integers(0, 2), st.integers(1, 9), st.sampled_from(("add", "delete", "change", "nothing", "nothing"))
)
"""Which machine is asked for how much, and what happens then."""


@dataclass
class Shelf:
    """Resources with a word that no others have."""

    store: Store
    word: str = field(default_factory=lambda: f"shelf{next(_NUMBERS)}x")
    slugs: list[str] = field(default_factory=list)
    steady: set[str] = field(default_factory=set)
    """Those that nobody has touched since they were put there."""

    def put(self, slug: str, text: tuple[int, list[str]]) -> None:
        times, others = text
        words = [self.word] * times + others
        self.store.write(Put(resource(slug, f"Book {words[-1]}", " ".join(words))))

    def add(self, text: tuple[int, list[str]]) -> str:
        slug = f"{self.word}-{len(self.slugs)}"
        self.put(slug, text)
        self.slugs.append(slug)
        return slug

    def happens(self, what: str, text: tuple[int, list[str]]) -> None:
        """Something comes, or the last that was steady goes or changes."""
        if what == "add":
            self.add(text)
        elif self.steady and what != "nothing":
            slug = max(self.steady)
            self.steady.remove(slug)
            if what == "delete":
                self.store.write(Delete(Resource.key(Resource.resource_slug(slug))))
            else:
                self.put(slug, text)


@pytest.mark.timeout(3600)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # to make an example smaller takes too long
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    st.lists(TEXTS, min_size=8, max_size=40),
    st.lists(st.lists(STEPS, min_size=3, max_size=8), min_size=1, max_size=3),
    st.lists(TEXTS, min_size=1, max_size=4),
    st.none() | st.tuples(st.integers(0, 4), st.integers(0, 2)),
)
def test_a_list_over_alternating_machines_has_everything_once(
    trio: Trio,
    texts: list[tuple[int, list[str]]],
    walks: list[list[tuple[int, int, str]]],
    news: list[tuple[int, list[str]]],
    kill: tuple[int, int] | None,
) -> None:
    """In the first walk a machine may be killed after so many pages."""
    machines = trio.be_well()
    shelf = Shelf(trio.place.store)
    shelf.steady = {shelf.add(text) for text in texts}
    until(lambda: all(sorted(each.finds(shelf.word)) == sorted(shelf.slugs) for each in machines))
    later = cycle(news)
    for steps in walks:
        found: list[str] = []
        cursor: str | None = None
        # What happens, happens once; then the list goes on in the same turns.
        for turn, (machine, limit, what) in enumerate([*steps, *((*step[:2], "nothing") for step in steps * 100)]):
            shown, cursor = machines[machine].page(cursor, limit, shelf.word)
            found += shown
            if cursor is None:
                break
            shelf.happens(what, next(later))
            if kill is not None and kill[0] == turn:
                trio.restart(kill[1])
                kill = None
        assert cursor is None, "the list does not end"
        assert len(found) == len(set(found)), "something came twice"
        assert shelf.steady <= set(found), "something was missed"


@pytest.mark.timeout(600)
def test_a_list_goes_on_while_the_secret_is_changed_and_is_refused_when_the_old_one_is_forgotten(trio: Trio) -> None:
    machines = trio.be_well()
    shelf = Shelf(trio.place.store)
    for number in range(9):
        shelf.add((1 + number % 3, []))
    until(lambda: all(len(each.finds(shelf.word)) == 9 for each in machines))
    by_the_old, by_the_new = (_begun(machines[number], shelf.word) for number in (0, 1))
    assert len({*machines[2].page(by_the_old, 50, shelf.word)[0]}) == 6
    trio.restart(2, NEW)
    assert len({*machines[2].page(by_the_new, 50, shelf.word)[0]}) == 6
    refused = machines[2].get(f"/api/kelifax/resources?q={shelf.word}&cursor={quote(by_the_old)}")
    assert (refused.status, b"Start again without a cursor" in refused.body) == (400, True), refused.body
    page = machines[2].get(f"/kelifax/resources?q={shelf.word}&cursor={quote(by_the_old)}")
    assert page.status == 400
    assert f'href="/kelifax/resources?q={shelf.word}"'.encode() in page.body, page.body.decode()


def _begun(machine: Machine, word: str) -> str:
    """The cursor after a first page of three."""
    shown, cursor = machine.page(None, 3, word)
    assert len(shown) == 3
    assert cursor is not None
    return cursor
