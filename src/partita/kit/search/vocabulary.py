"""What the words of an index are good for: correcting what was typed, and completing what is being typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apsw

from partita.kit.search.catalog import Catalog
from partita.kit.search.folding import STEM, fold, places, stem, tokens
from partita.kit.search.query import MOST_CHARACTERS, Query, Term
from partita.kit.search.results import FacetValue
from partita.kit.search.tables import made, vocabulary

FEW = 2
"""A search that finds no more than this may have been meant otherwise."""
_MOST_TERMS = 300_000
"""How many words of the index are compared with what was typed."""
_RARER = 10
"""A word that is in the index is only taken for an error if the other is so many times more frequent."""
_LAST = "\U0010ffff"


def corrected(
    connection: apsw.Connection,
    catalog: Catalog[Any],
    text: str,
    query: Query,
    found: int,
    sample: Callable[[str], tuple[int, str | None]],
) -> str | None:
    """The query with its typing errors corrected, if that finds more than was found.

    `sample` tells of a text how many documents it finds, and the words of the first.
    """
    replaced: dict[tuple[int, int], list[str]] = {}
    changed = False
    for term in query.wanted:
        better = None if term.phrase else _better(connection, catalog, term)
        changed = changed or better is not None
        replaced.setdefault(term.span, []).append(better or " ".join(term.words))
    if not changed:
        return None
    total, first = sample(_rewritten(text, query, replaced))
    if total <= found or first is None:
        return None
    spelled = {word: _spelling(first, word) for words in replaced.values() for word in words}
    return _rewritten(text, query, {span: [spelled[word] for word in words] for span, words in replaced.items()})


def _rewritten(text: str, query: Query, replaced: dict[tuple[int, int], list[str]]) -> str:
    """The text with new words where words have changed; everything else stays as it was typed."""
    pieces: list[str] = []
    place = 0
    for start, end in sorted(replaced):
        old = [" ".join(term.words) for term in query.wanted if term.span == (start, end)]
        if replaced[start, end] != old and fold(" ".join(replaced[start, end])) != fold(" ".join(old)):
            pieces += [text[place:start], " ".join(replaced[start, end])]
            place = end
    return "".join((*pieces, text[place:]))


def _spelling(document: str, word: str) -> str:
    """A word as a document spells it, with its accents."""
    for start, end, folded in places(document):
        if folded == word:
            return document[start:end].lower()
    return word


def _better(connection: apsw.Connection, catalog: Catalog[Any], term: Term) -> str | None:
    """The word that was probably meant: few letters away, and frequent."""
    (word,) = term.words
    most = 0 if len(word) < 3 else 1 if len(word) < 6 else 2
    if not most or word.isdecimal():
        return None
    words = vocabulary(connection, catalog, "row")
    known = _held_by(connection, catalog, word)
    if known is None or (not known and _is_known(connection, words, term)):
        return None
    # An error at the very beginning leaves one of the first two letters near it, unless everything there is wrong.
    near = "substr(term, 1, 1) IN (?, ?) OR substr(term, 2, 1) IN (?, ?)"
    rows = connection.execute(
        f"SELECT term FROM terms_{catalog.slug} WHERE length BETWEEN ? AND ? AND ({near}) LIMIT ?",
        (len(word) - most, len(word) + most, *word[:2], *word[:2], _MOST_TERMS),
    )
    letters = dict.fromkeys(map(ord, word))
    best: tuple[int, int, str] | None = None
    for (other,) in rows:
        # Each letter that only one of them has is a step away, or half of a changed one.
        if len(other.translate(letters)) > most or other == word:
            continue
        if sum(letter not in other for letter in word) > most:
            continue
        away = distance(word, other, most)
        if away > (most if best is None else best[0]):
            continue
        documents = connection.execute(f"SELECT doc FROM {words} WHERE term = ?", (other,)).get or 0
        if documents > known * _RARER and (best is None or (away, -documents, other) < best):
            best = (away, -documents, other)
    return None if best is None else best[2]


def _held_by(connection: apsw.Connection, catalog: Catalog[Any], word: str) -> int | None:
    """How many documents have a word; None if so many that no other can be `_RARER` times more frequent."""
    enough = (connection.execute(f"SELECT max(doc) FROM documents_{catalog.slug}").get or 0) // _RARER + 1
    words = f"words_{catalog.slug}"
    some = f"SELECT 1 FROM {words} WHERE {words} MATCH ? LIMIT ?"
    held: int = connection.execute(f"SELECT count(*) FROM ({some})", (f'"{word}"', enough)).get
    return None if held == enough else held


def _is_known(connection: apsw.Connection, words: str, term: Term) -> bool:
    """Whether the index has another form of a word, or a word that begins with it."""
    (word,) = term.words
    word_stem = stem(word)
    if word_stem is not None and connection.execute(f"SELECT 1 FROM {words} WHERE term = ?", (STEM + word_stem,)).get:
        return True
    begins = (word, word + _LAST)
    return term.unfinished and bool(
        connection.execute(f"SELECT 1 FROM {words} WHERE term >= ? AND term < ? LIMIT 1", begins).get
    )


def distance(one: str, other: str, most: int) -> int:
    """How many letters must be added, dropped, changed or swapped with their neighbour; `most` + 1 if more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    far = most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, before, row = before, row, [far] * len(row)
        if i <= most:
            row[0] = i
        for j in range(max(1, i - most), min(len(other), i + most) + 1):  # elsewhere it is too far anyway
            another = other[j - 1]
            steps = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != another))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == another:
                steps = min(steps, last[j - 2] + 1)
            row[j] = steps
        if min(row) > most and min(before) >= most:  # a swap goes on from the row before
            return far
    return min(row[-1], far)


# -- completing


def complete_value(
    connection: apsw.Connection, catalog: Catalog[Any], name: str, start: str, limit: int
) -> tuple[FacetValue, ...]:
    """The values of a filter that begin so, the most frequent first."""
    begin = fold(start[:MOST_CHARACTERS])
    with connection:  # one moment for all of it
        if not made(connection, catalog):
            return ()
        rows: list[Any] = connection.execute(
            f"SELECT text, count FROM values_{catalog.slug} WHERE name = ? AND folded >= ? AND folded < ? AND count > 0"
            " ORDER BY count DESC, text LIMIT ?",
            (name, begin, begin + _LAST, limit),
        ).fetchall()
    return tuple(FacetValue(text, count) for text, count in rows)


def complete_word(
    connection: apsw.Connection, catalog: Catalog[Any], field: str, start: str, limit: int
) -> tuple[FacetValue, ...]:
    """The words of a field that begin like the last word of a text, the most frequent first."""
    words = tokens(start[:MOST_CHARACTERS])
    with connection:
        if not words or not made(connection, catalog):
            return ()
        rows: list[Any] = connection.execute(
            f"SELECT term, doc FROM {vocabulary(connection, catalog, 'col')}"
            " WHERE term >= ? AND term < ? AND col = ? ORDER BY doc DESC, term LIMIT ?",
            (words[-1], words[-1] + _LAST, field, limit),
        ).fetchall()
    return tuple(FacetValue(term, documents) for term, documents in rows)
