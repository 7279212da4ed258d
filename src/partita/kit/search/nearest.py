"""Documents that mean what a text means, in whatever words. All of it runs in worker threads, on their connections.

Vectors are in the file of the index, one for each document, and are read into memory when somebody asks: their signs
first, a bit for each dimension, by which a thousand candidates are chosen among all of them; the numbers decide among
those. If a catalog has sentences, their vectors are read for the best of these, and the likest one counts beside the
whole. After that, only vectors that changed are read. It runs only where there is a model, and numpy with it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from partita.kit.search import reads
from partita.kit.search.catalog import Catalog, column_names
from partita.kit.search.reads import Chosen, Matching, Row
from partita.kit.search.tables import made, writing

if TYPE_CHECKING:
    import numpy as np

_CANDIDATES = 1_000
"""So many are compared number by number."""
_CLOSER = 120
"""Of so many the sentences are compared too."""
_SENTENCE = 0.5
"""What the likest sentence counts beside the whole, which counts one."""
_MOST_SENTENCES = 16
_ONE = 127 * 127


@dataclass(frozen=True, slots=True)
class Alike:
    """A document, and how alike its meaning is: 1 for the same, about 0 for something else."""

    id: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Unmade:
    """A document whose vector is missing, with the texts it is to be made of."""

    doc: int
    fields: tuple[str, ...]
    texts: tuple[str, ...]
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """What was made of a document; nothing if the model has not learnt its language."""

    of: Unmade
    vector: bytes
    sentences: bytes = b""
    """The vectors of its sentences, one behind the other."""


def unmade(connection: apsw.Connection, catalog: Catalog[Any], model: str, after: int, limit: int) -> list[Unmade]:
    """The first documents behind one of them that have no vector of a model."""
    if catalog.meaning is None or not made(connection, catalog):
        return []
    slug = catalog.slug
    rows: list[Row] = connection.execute(
        f"SELECT t.doc, {column_names(catalog)} FROM texts_{slug} AS t WHERE t.doc > ? AND NOT EXISTS"
        f" (SELECT 1 FROM vectors_{slug} AS v WHERE v.doc = t.doc AND v.model = ?) ORDER BY t.doc LIMIT ?",
        (after, model, limit),
    ).fetchall()
    named = [(doc, tuple(fields), dict(zip(catalog.weights, fields, strict=True))) for doc, *fields in rows]
    sentences = catalog.sentences or (lambda _: ())
    return [
        Unmade(doc, fields, catalog.meaning(by_name), sentences(by_name)[:_MOST_SENTENCES])
        for doc, fields, by_name in named
    ]


def keep(connection: apsw.Connection, catalog: Catalog[Any], model: str, vectors: Sequence[Made]) -> None:
    """Keep vectors, unless the text changed meanwhile: then another one is made of it."""
    slug = catalog.slug
    with writing(connection):
        if not made(connection, catalog):
            return
        for each in vectors:
            doc = each.of.doc
            row = connection.execute(f"SELECT {column_names(catalog)} FROM texts_{slug} WHERE doc = ?", (doc,))
            if row.fetchone() != each.of.fields:
                continue
            connection.execute(
                f"INSERT OR REPLACE INTO vectors_{slug} (doc, model, vector) VALUES (?, ?, ?)",
                (doc, model, each.vector),
            )
            if each.sentences:
                connection.execute(
                    f"INSERT OR REPLACE INTO sentences_{slug} (doc, vectors) VALUES (?, ?)", (doc, each.sentences)
                )
            else:
                connection.execute(f"DELETE FROM sentences_{slug} WHERE doc = ?", (doc,))


class Nearest:
    """The vectors of catalogs in memory, as they are now."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: dict[str, _Vectors] = {}

    def find(
        self,
        connection: apsw.Connection,
        catalog: Catalog[Any],
        model: str,
        vector: bytes,
        chosen: Sequence[Chosen],
        limit: int,
    ) -> tuple[Alike, ...]:
        """The documents whose vectors are most like one."""
        slug = catalog.slug
        with connection:  # one moment for all of it
            if not made(connection, catalog):
                return ()
            vectors = self._vectors(connection, slug, model)
            allowed = None if not chosen else _allowed(connection, catalog, chosen)
            if catalog.sentences is None:
                found = vectors.nearest(vector, allowed, limit)
            else:
                found = _closer(connection, slug, vector, vectors.nearest(vector, allowed, max(limit, _CLOSER)), limit)
            docs = ", ".join(str(doc) for doc in found)
            ids: Mapping[int, str] = dict(
                connection.execute(f"SELECT doc, id FROM documents_{slug} WHERE live AND doc IN ({docs})")
            )
        return tuple(Alike(ids[doc], likeness) for doc, likeness in found.items() if doc in ids)

    def _vectors(self, connection: apsw.Connection, slug: str, model: str) -> _Vectors:
        rows: list[Row] = connection.execute(
            f"SELECT t.turn, c.turn FROM turns_{slug} AS t, changes_{slug} AS c WHERE c.doc = 0"
        ).fetchall()
        ((turn, since),) = rows
        with self._guard:
            known = self._known.get(slug)
            if known is None or known.since != since:
                known = self._known[slug] = _Vectors.read(connection, slug, model, turn, since)
            elif known.turn < turn:  # otherwise another thread has looked later
                known = self._known[slug] = known.followed(connection, slug, model, turn)
            return known


def together(whole: float, sentence: float) -> float:
    """How alike a document is, by the whole of it and by its likest sentence."""
    return (whole + _SENTENCE * sentence) / (1 + _SENTENCE)


def _closer(
    connection: apsw.Connection, slug: str, vector: bytes, found: Mapping[int, float], limit: int
) -> dict[int, float]:
    """The best of some documents by their sentences too."""
    import numpy as np

    docs = ", ".join(str(doc) for doc in found)
    rows: list[Row] = connection.execute(f"SELECT doc, vectors FROM sentences_{slug} WHERE doc IN ({docs})").fetchall()
    likeness = dict(found)
    if rows:
        asked = np.frombuffer(vector, np.int8).astype(np.float32)
        numbers = np.frombuffer(b"".join(each for _, each in rows), np.int8).reshape(-1, len(asked))
        begins = np.cumsum([0, *(len(each) // len(asked) for _, each in rows[:-1])])
        best = np.maximum.reduceat(numbers.astype(np.float32) @ asked / _ONE, begins)
        for (doc, _), sentence in zip(rows, best, strict=True):
            likeness[doc] = together(found[doc], float(sentence))
    return {doc: likeness[doc] for doc in sorted(likeness, key=lambda doc: (-likeness[doc], doc))[:limit]}


def _allowed(connection: apsw.Connection, catalog: Catalog[Any], chosen: Sequence[Chosen]) -> list[int]:
    matching = Matching(catalog, None, None, reads.restrictions(connection, catalog, chosen, ()))
    where, parameters = matching.where()
    return [doc for (doc,) in connection.execute(f"SELECT d.doc FROM {matching.source()} WHERE {where}", parameters)]


@dataclass(frozen=True, slots=True)
class _Vectors:
    """All vectors of a catalog, and their signs."""

    turn: int
    """Which state of the index they are of."""
    docs: np.ndarray[Any, np.dtype[np.int64]]
    numbers: np.ndarray[Any, np.dtype[np.int8]]
    signs: np.ndarray[Any, np.dtype[np.uint64]]
    since: int = 0
    """Since which turn the index has noted which vectors change."""

    @staticmethod
    def read(connection: apsw.Connection, slug: str, model: str, turn: int, since: int) -> _Vectors:
        import numpy as np

        rows: list[Row] = connection.execute(
            f"SELECT doc, vector FROM vectors_{slug} WHERE model = ? AND length(vector) > 0", (model,)
        ).fetchall()
        docs = np.fromiter((doc for doc, _ in rows), np.int64, len(rows))
        numbers = np.frombuffer(b"".join(vector for _, vector in rows), np.int8).reshape(len(rows), -1 if rows else 0)
        return _Vectors(turn, docs, numbers, _signs(numbers), since)

    def followed(self, connection: apsw.Connection, slug: str, model: str, turn: int) -> _Vectors:
        """These with what changed up to a later turn."""
        import numpy as np

        if not len(self.docs):
            return _Vectors.read(connection, slug, model, turn, self.since)
        rows: list[Row] = connection.execute(
            f"SELECT c.doc, v.vector FROM changes_{slug} AS c LEFT JOIN vectors_{slug} AS v"
            " ON v.doc = c.doc AND v.model = ? AND length(v.vector) > 0 WHERE c.turn > ? AND c.doc > 0",
            (model, self.turn),
        ).fetchall()
        left = ~np.isin(self.docs, [doc for doc, _ in rows])
        made = [(doc, vector) for doc, vector in rows if vector is not None]
        docs = np.fromiter((doc for doc, _ in made), np.int64, len(made))
        numbers = np.frombuffer(b"".join(vector for _, vector in made), np.int8)
        numbers = numbers.reshape(len(made), self.numbers.shape[1])
        return _Vectors(
            turn,
            np.concatenate((self.docs[left], docs)),
            np.concatenate((self.numbers[left], numbers)),
            np.concatenate((self.signs[left], _signs(numbers))),
            self.since,
        )

    def nearest(self, vector: bytes, allowed: Sequence[int] | None, limit: int) -> dict[int, float]:
        """The best documents, best first; among those with the same likeness, the first one."""
        import numpy as np

        asked = np.frombuffer(vector, np.int8)
        rows = np.arange(len(self.docs)) if allowed is None else np.flatnonzero(np.isin(self.docs, allowed))
        if not len(rows) or not limit:
            return {}
        if len(rows) > _CANDIDATES:
            signs = self.signs if allowed is None else self.signs[rows]
            apart = np.bitwise_count(signs ^ _signs(asked[None, :])[0]).sum(axis=1, dtype=np.uint16)
            rows = rows[np.argpartition(apart, _CANDIDATES)[:_CANDIDATES]]
        likeness = self.numbers[rows].astype(np.float32) @ asked.astype(np.float32) / _ONE
        best = np.lexsort((self.docs[rows], -likeness))[:limit]
        return {int(self.docs[rows[each]]): float(likeness[each]) for each in best}


def _signs(numbers: np.ndarray[Any, np.dtype[np.int8]]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A bit for each number that is not negative, in words of 64."""
    import numpy as np

    packed = np.packbits(numbers >= 0, axis=1)
    spare = -packed.shape[1] % 8
    return np.pad(packed, ((0, 0), (0, spare))).view(np.uint64)
