"""Documents are found by what they mean: exactly the nearest ones, as the index is now, and never by an old text."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.kit.meaning import WrongModelError
from partita.kit.search import Catalog, Document, Search
from partita.kit.search.nearest import _CANDIDATES, Alike, Meant, _signs, _Vectors, signs_of, together, word_by_word
from partita.kit.search.ranking import fused
from partita.table import CursorKeys
from tests.kit.search.books import Book

np = pytest.importorskip("numpy", reason="comes with the extra `meaning`")

KINDS = ("water", "money", "bees")
WORDS = {"well": "water", "river": "water", "grant": "money", "loan": "money", "hive": "bees", "honey": "bees"}


def in_a_loop(story: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """A test that awaits."""

    @wraps(story)
    def told(**fixtures: object) -> None:
        async def main() -> None:
            await story(**fixtures)

        asyncio.run(main())

    return told


class Kinds:
    """A model that knows six words of three kinds."""

    name = "kinds"

    def __init__(self) -> None:
        self.made = 0

    def understands(self, text: str) -> bool:
        return text.isascii()

    def vector(self, texts: Sequence[str]) -> bytes:
        self.made += 1
        numbers = np.full(64, -1, np.float32)
        for word in " ".join(texts).split():
            if word in WORDS:
                numbers[KINDS.index(WORDS[word]) :: 3] += 8
        return bytes((numbers / np.linalg.norm(numbers) * 127).round().astype(np.int8).tobytes())

    def vectors(self, texts: Sequence[Sequence[str]]) -> list[bytes]:
        return [self.vector(each) for each in texts]

    def words(self, text: str) -> bytes:
        return b"".join(self.vector((each,)) for each in text.split() if each in WORDS)


def meant(fields: Mapping[str, str]) -> tuple[str, ...]:
    return (fields["title"],)


CATALOG: Catalog[Book] = Catalog(
    name="test.meaning",
    item_type=Book,
    document=lambda _: None,
    weights={"title": 1.0},
    sources=(),
    filters=("shelf",),
    meaning=meant,
)
BY_SENTENCES: Catalog[Book] = replace(
    CATALOG, name="test.sentences", sentences=lambda fields: tuple(fields["title"].split(" / "))
)
BY_WORDS: Catalog[Book] = replace(CATALOG, name="test.words", word_by_word=lambda fields: fields["title"])
ORDER = iter(range(1, 10_000))


@pytest.fixture
def model() -> Kinds:
    return Kinds()


@pytest.fixture
def search(tmp_path: Path, model: Kinds) -> Iterator[Search]:
    search = Search(tmp_path / "search.db", CursorKeys(b"s" * 32), meaning=model)
    yield search
    search.close()


async def put(search: Search, name: str, title: str | None, shelf: str = "a", catalog: Catalog[Book] = CATALOG) -> None:
    document = None if title is None else Document(name, {"title": title}, {"shelf": shelf})
    await search.put(catalog, name, document, sequence=str(next(ORDER)))


def understood(search: Search, catalog: Catalog[Book] = CATALOG) -> int:
    making = search.understand(catalog)
    assert making is not None
    return making.result(30)


async def nearest(search: Search, text: str, **options: object) -> list[str]:
    understood(search)
    return [each.id for each in await search.nearest(CATALOG, text, **options)]  # type: ignore[arg-type]


@in_a_loop
async def test_what_means_the_same_is_found_in_other_words(search: Search) -> None:
    for name, title in (("a", "a well"), ("b", "a grant"), ("c", "a hive")):
        await put(search, name, title)
    assert (await nearest(search, "loan"))[0] == "b"
    assert (await nearest(search, "honey"))[0] == "c"
    first, *_ = await search.nearest(CATALOG, "loan")
    assert first.likeness > 0.95


@in_a_loop
async def test_a_changed_text_is_never_found_by_what_it_meant_before(search: Search) -> None:
    await put(search, "a", "a well")
    await put(search, "b", "a grant")
    assert (await nearest(search, "river"))[0] == "a"
    await put(search, "a", "a hive")
    await put(search, "b", None)
    assert await nearest(search, "river") == ["a"]
    [left] = await search.nearest(CATALOG, "river")
    assert left.likeness < 0.5


@in_a_loop
async def test_a_filter_narrows_what_is_near(search: Search) -> None:
    await put(search, "a", "a well", "wet")
    await put(search, "b", "a river", "dry")
    assert await nearest(search, "well", filters={"shelf": frozenset({"dry"})}) == ["b"]
    assert await nearest(search, "well", filters={"shelf": frozenset({"none"})}) == []
    assert sorted(await nearest(search, "well", filters={"shelf": frozenset({"wet", "dry"})})) == ["a", "b"]


@in_a_loop
async def test_other_languages_are_left_to_words(search: Search) -> None:
    await put(search, "a", "ውኃ")
    assert await nearest(search, "well") == []
    assert await nearest(search, "ውኃ") == []


@in_a_loop
async def test_nothing_is_made_twice_and_what_is_missing_is_made_by_the_next(
    tmp_path: Path, search: Search, model: Kinds
) -> None:
    await put(search, "a", "a well")
    understood(search)
    model.made = 0
    assert understood(search) == 0
    assert model.made == 0
    without = Search(tmp_path / "search.db", CursorKeys(b"s" * 32))
    assert without.understand(CATALOG) is None
    assert await without.nearest(CATALOG, "well") == ()
    await put(without, "b", "a river")
    without.close()
    assert sorted(await nearest(search, "well")) == ["a", "b"]
    assert understood(search) == 0


@in_a_loop
async def test_a_model_that_fails_takes_nothing_away(
    search: Search, model: Kinds, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(texts: Sequence[str]) -> bytes:
        raise OSError("the file is gone")

    monkeypatch.setattr(model, "vector", broken)
    await put(search, "a", "a well")
    assert understood(search) == 0
    assert "cannot be made" in caplog.text
    assert (await search.rank(CATALOG, ("well",))).ids == ("a",)


@in_a_loop
async def test_one_sentence_that_means_it_counts_beside_the_whole(search: Search) -> None:
    one, many = "a grant", "a grant / a hive / a hive / a hive"
    for name, title in (("one", one), ("many", many), ("none", "a hive")):
        await put(search, name, title, catalog=BY_SENTENCES)
        await put(search, name, title)
    understood(search)
    understood(search, BY_SENTENCES)
    whole = {each.id: each.likeness for each in await search.nearest(CATALOG, "loan")}
    found = {each.id: each.likeness for each in await search.nearest(BY_SENTENCES, "loan")}
    assert list(found) == ["one", "many", "none"]
    assert found["many"] == pytest.approx(together(whole["many"], whole["one"]))
    assert whole["many"] < found["many"] < found["one"] == pytest.approx(whole["one"])
    assert [each.id for each in await search.nearest(BY_SENTENCES, "loan", limit=1)] == ["one"]


@in_a_loop
async def test_documents_are_compared_word_by_word(search: Search) -> None:
    """A document that has all that is asked for, beside much else, comes before one that is half of it."""
    for name, title in (("both", "a grant well hive hive hive"), ("half", "a grant"), ("none", "a hive")):
        await put(search, name, title, catalog=BY_WORDS)
    understood(search, BY_WORDS)
    found = await search.nearest(BY_WORDS, "loan river")
    assert [each.id for each in found] == ["both", "half", "none"]
    await put(search, "both", "a hive", catalog=BY_WORDS)
    understood(search, BY_WORDS)
    assert next(iter(await search.nearest(BY_WORDS, "loan river"))).id == "half", "words go with their text"
    await put(search, "half", None, catalog=BY_WORDS)
    assert [each.id for each in await search.nearest(BY_WORDS, "of the")] == ["both", "none"], "without any word"


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.lists(st.integers(1, 12), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_word_by_word_is_the_mean_of_the_likest_ones(seed: int, asked: int, counts: list[int]) -> None:
    """By the plain rule, word for word: with the signs of the documents' words, and the numbers of the question's."""
    dice = np.random.default_rng(seed)
    words = dice.integers(-127, 128, (asked, 64)).astype(np.int8)
    documents = [dice.integers(-127, 128, (count, 64)).astype(np.int8) for count in counts]
    signs = [signs_of(each.tobytes(), 64) for each in documents]
    plain = [
        np.mean(
            [
                max(
                    sum(a * (1 if b >= 0 else -1) for a, b in zip(one.tolist(), other.tolist(), strict=True))
                    for other in document
                )
                for one in words
            ]
        )
        / 127
        / 8
        for document in documents
    ]
    assert word_by_word(Meant(bytes(64), words.tobytes()), signs) == pytest.approx(plain, abs=1e-4)


@in_a_loop
async def test_a_sentence_goes_with_its_text(search: Search) -> None:
    await put(search, "a", "a grant / a hive", catalog=BY_SENTENCES)
    understood(search, BY_SENTENCES)
    [before] = await search.nearest(BY_SENTENCES, "loan")
    await put(search, "a", "a well / a hive", catalog=BY_SENTENCES)
    understood(search, BY_SENTENCES)
    [after] = await search.nearest(BY_SENTENCES, "loan")
    assert after.likeness < 0.1 < 0.5 < before.likeness
    await put(search, "a", None, catalog=BY_SENTENCES)
    assert await search.nearest(BY_SENTENCES, "loan") == ()


@pytest.fixture
def whole_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The turns at which all vectors were read."""
    turns: list[int] = []
    read = _Vectors.read

    def noted(connection: apsw.Connection, slug: str, model: str, turn: int, since: int) -> _Vectors:
        turns.append(turn)
        return read(connection, slug, model, turn, since)

    monkeypatch.setattr(_Vectors, "read", staticmethod(noted))
    return turns


async def both(search: Search, file: Path) -> tuple[list[Alike], list[Alike]]:
    """What somebody finds who has looked before, and somebody who looks for the first time."""
    understood(search)
    fresh = Search(file, CursorKeys(b"s" * 32), meaning=Kinds())
    try:
        found = [
            sorted(await each.nearest(CATALOG, "well river honey"), key=lambda alike: alike.id)
            for each in (search, fresh)
        ]
    finally:
        fresh.close()
    return found[0], found[1]


@in_a_loop
async def test_after_the_first_search_only_vectors_that_changed_are_read(
    tmp_path: Path, search: Search, whole_reads: list[int]
) -> None:
    """And what is found is what reading all of them would find."""
    dice = random.Random(7)
    await put(search, "0", "a well")
    await nearest(search, "well")
    for _ in range(12):
        for _ in range(dice.randrange(1, 4)):
            title = dice.choice([None, "ውኃ", *(f"a {one} {other}" for one in WORDS for other in WORDS)])
            await put(search, str(dice.randrange(6)), title)
        after, fresh = await both(search, tmp_path / "search.db")
        assert after == fresh
    assert len(whole_reads) == 1 + 12, "once, and once by each who looked for the first time"


@in_a_loop
async def test_vectors_of_tables_that_were_made_anew_are_read_anew(tmp_path: Path, search: Search) -> None:
    await put(search, "a", "a well")
    await put(search, "b", "a river")
    assert len(await nearest(search, "well")) == 2
    other = replace(CATALOG, filters=("shelf", "year"))
    await search.put(other, "x", Document("x", {"title": "a hive"}, {"shelf": "a"}), sequence=str(next(ORDER)))
    await put(search, "c", "honey")
    after, fresh = await both(search, tmp_path / "search.db")
    assert [each.id for each in after] == ["c"]
    assert after == fresh
    await search.rebuild_from(CATALOG, {})
    assert await both(search, tmp_path / "search.db") == ([], [])


@in_a_loop
async def test_vectors_of_an_earlier_version_of_the_index_stay(tmp_path: Path, model: Kinds) -> None:
    file = tmp_path / "search.db"
    first = Search(file, CursorKeys(b"s" * 32), meaning=model)
    await put(first, "a", "a well")
    await put(first, "b", "a hive")
    understood(first)
    first.close()
    connection, slug = apsw.Connection(str(file)), CATALOG.slug
    connection.execute(f"DROP TABLE changes_{slug}")
    for name, event in (("in", "INSERT"), ("out", "DELETE")):
        connection.execute(
            f"DROP TRIGGER vectors_{slug}_{name}; CREATE TRIGGER vectors_{slug}_{name} AFTER {event} ON vectors_{slug}"
            f" BEGIN UPDATE turns_{slug} SET turn = turn + 1; END"
        )
    connection.close()
    model.made = 0
    later = Search(file, CursorKeys(b"s" * 32), meaning=model)
    assert sorted(await nearest(later, "well")) == ["a", "b"]
    assert model.made == 1, "of the question alone"
    await put(later, "b", "a river")
    await put(later, "a", None)
    after, fresh = await both(later, file)
    later.close()
    assert [each.id for each in after] == ["b"]
    assert after == fresh


def vectors(count: int, seed: int) -> _Vectors:
    """Unit vectors in some fifty heaps, as passages about fifty subjects would be."""
    dice = np.random.default_rng(seed)
    heaps = dice.normal(size=(50, 384))
    made = heaps[dice.integers(0, 50, count)] + 0.8 * dice.normal(size=(count, 384))
    made = made / np.linalg.norm(made, axis=1, keepdims=True)
    numbers = (made * 127).round().astype(np.int8)
    return _Vectors(0, np.arange(count, dtype=np.int64), numbers, _signs(numbers))


@given(st.integers(0, 2**32 - 1), st.integers(1, 3 * _CANDIDATES), st.integers(1, 20))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_nearest_are_those_that_comparing_all_of_them_finds(seed: int, count: int, limit: int) -> None:
    """Exactly if there are no more than are compared; of more, almost always, though signs alone choose them."""
    known = vectors(count, seed)
    asked = known.numbers[random.Random(seed).randrange(count)]
    likeness = known.numbers.astype(np.float32) @ asked.astype(np.float32)
    exact = list(np.lexsort((known.docs, -likeness))[:limit])
    found = list(known.nearest(asked.tobytes(), None, limit))
    assert len(found) == min(limit, count)
    if count <= _CANDIDATES:
        assert found == exact
    assert found[0] == exact[0]
    assert len(set(found) & set(exact)) >= 0.9 * len(exact)
    allowed = [each for each in range(count) if each % 7 == 0]
    assert set(known.nearest(asked.tobytes(), allowed, limit)) <= set(allowed)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=4))
@settings(max_examples=40)
def test_fused_lists_hold_everything_once_and_keep_an_order_that_all_share(lists: list[list[str]]) -> None:
    merged = fused(*lists)
    assert sorted(merged) == sorted({each for some in lists for each in some})
    for one in merged:
        for other in merged:
            if all(one in some and (other not in some or some.index(one) < some.index(other)) for some in lists):
                assert merged.index(one) <= merged.index(other)


@in_a_loop
async def test_a_model_with_a_damaged_file_finds_nothing_and_makes_nothing_until_it_is_installed_again(
    search: Search, model: Kinds, caplog: pytest.LogCaptureFixture
) -> None:
    def damaged(_texts: Sequence[str]) -> bytes:
        raise WrongModelError("Install it again.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "vector", damaged)
        await put(search, "a", "a grant")
        assert await nearest(search, "loan") == []
    assert "nothing is found by its meaning: Install it again." in caplog.text
    assert await nearest(search, "loan") == ["a"]
