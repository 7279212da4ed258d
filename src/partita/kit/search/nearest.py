"""Documents that mean what a text means, in whatever words. All of it runs in worker threads, on their connections.

Vectors are in the file of the index, one for each document, and are read into memory when somebody asks: their signs
first, a bit for each dimension, by which a thousand candidates are chosen among all of them; the numbers decide among
those. If a catalog has sentences, their vectors are read for the best of these, and the likest one counts beside the
whole. If it is compared word by word, each word of the question looks for the likest word of a document, and the mean
of these counts too; of the documents' words only signs are kept. After that, only vectors that changed are read. It
runs only where there is a model, and numpy with it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import apsw

from partita.kit.search import reads
from partita.kit.search.catalog import Catalog, column_names
from partita.kit.search.reads import Chosen, Matching, Row
from partita.kit.search.tables import made, writing

if TYPE_CHECKING:
    import numpy as np

# Before anybody imports numpy: matrices this small are computed no faster by several threads, each with a buffer.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_CANDIDATES = 1_000
"""So many are compared number by number."""
_CLOSER = 120
"""Of so many the sentences are compared too."""
_SENTENCE = 0.5
"""What the likest sentence counts beside the whole, which counts one."""
_WORDS = 1.5
"""And what words do, compared one by one."""
_WORD_BY_WORD = 60
"""Of so many, the words."""
_MOST_SENTENCES = 16
_ONE = 127 * 127


@dataclass(frozen=True, slots=True)
class Alike:
    """A document, and how alike its meaning is: 1 for the same, about 0 for something else."""

    id: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Meant:
    """What a question means: as a whole, and each of its words, one behind the other."""

    vector: bytes
    words: bytes = b""


@dataclass(frozen=True, slots=True)
class Unmade:
    """A document whose vector is missing, with the texts it is to be made of."""

    doc: int
    fields: tuple[str, ...]
    texts: tuple[str, ...]
    sentences: tuple[str, ...] = ()
    word_by_word: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """What was made of a document; nothing if the model has not learnt its language."""

    of: Unmade
    vector: bytes
    sentences: bytes = b""
    """The vectors of its sentences, one behind the other."""
    pieces: bytes = b""
    """The signs of its words' vectors."""


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
    words = catalog.word_by_word or (lambda _: "")
    return [
        Unmade(doc, fields, catalog.meaning(by_name), sentences(by_name)[:_MOST_SENTENCES], words(by_name))
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
            _keep_part(connection, f"sentences_{slug}", "vectors", doc, each.sentences)
            if catalog.word_by_word is not None:
                _keep_part(connection, f"pieces_{slug}", "signs", doc, each.pieces)


def _keep_part(connection: apsw.Connection, table: str, column: str, doc: int, part: bytes) -> None:
    if part:
        connection.execute(f"INSERT OR REPLACE INTO {table} (doc, {column}) VALUES (?, ?)", (doc, part))
    else:
        connection.execute(f"DELETE FROM {table} WHERE doc = ?", (doc,))


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
        meant: Meant,
        chosen: Sequence[Chosen],
        limit: int,
    ) -> tuple[Alike, ...]:
        """The documents that are most like a question."""
        slug = catalog.slug
        with connection:  # one moment for all of it
            if not made(connection, catalog):
                return ()
            vectors = self._vectors(connection, slug, model)
            allowed = None if not chosen else _allowed(connection, catalog, chosen)
            if catalog.sentences is None and catalog.word_by_word is None:
                found = vectors.nearest(meant.vector, allowed, limit)
            else:
                near = vectors.nearest(meant.vector, allowed, max(limit, _CLOSER))
                found = _closer(connection, catalog, meant, near, limit)
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


def together(whole: float, sentence: float | None = None, words: float | None = None) -> float:
    """How alike a document is: by the whole of it, by its likest sentence, and word by word, as far as it has them."""
    total, weight = whole, 1.0
    for part, counts in ((sentence, _SENTENCE), (words, _WORDS)):
        if part is not None:
            total, weight = total + counts * part, weight + counts
    return total / weight


def likest_sentences(asked: Meant, vectors: Sequence[bytes]) -> list[float]:
    """How alike the likest sentence of each document is, by the vectors of its sentences."""
    import numpy as np

    vector = np.frombuffer(asked.vector, np.int8).astype(np.float32)
    numbers = np.frombuffer(b"".join(vectors), np.int8).reshape(-1, len(vector)).astype(np.float32)
    best = np.maximum.reduceat(numbers @ vector / _ONE, _begins(vectors, len(vector)))
    return [float(each) for each in best]


def word_by_word(asked: Meant, signs: Sequence[bytes]) -> list[float]:
    """How alike the words of each document are, by the signs of their vectors: the mean, over the words of the
    question, of the likest one."""
    import numpy as np

    dimensions = len(asked.vector)
    words = np.frombuffer(asked.words, np.int8).reshape(-1, dimensions).astype(np.float32) / 127
    size = -(-dimensions // 8)
    bits = np.frombuffer(b"".join(signs), np.uint8).reshape(-1, size)
    positive = np.unpackbits(bits, axis=1, count=dimensions).astype(np.float32)
    # A sign is plus or minus one: twice the sum of what is positive, without the sum of all.
    each = (2 * (positive @ words.T) - words.sum(axis=1)) / np.float32(dimensions**0.5)
    return [float(best) for best in np.maximum.reduceat(each, _begins(signs, size), axis=0).mean(axis=1)]


def signs_of(vectors: bytes, dimensions: int) -> bytes:
    """A bit for each number that is not negative, of vectors that lie one behind the other."""
    import numpy as np

    if not vectors:
        return b""
    return np.packbits(np.frombuffer(vectors, np.int8).reshape(-1, dimensions) >= 0, axis=1).tobytes()


def _begins(parts: Sequence[bytes], size: int) -> list[int]:
    """Where the rows of each part begin, if all lie one behind the other."""
    return [0, *accumulate(len(each) // size for each in parts[:-1])]


def _closer(
    connection: apsw.Connection, catalog: Catalog[Any], asked: Meant, found: Mapping[int, float], limit: int
) -> dict[int, float]:
    """The best of some documents by their sentences and words too."""
    slug = catalog.slug
    sentences: dict[int, float] = {}
    if catalog.sentences is not None:
        sentences = _parts(connection, f"vectors FROM sentences_{slug}", found, asked, likest_sentences)
    likeness = {doc: together(whole, sentences.get(doc)) for doc, whole in found.items()}
    if catalog.word_by_word is not None and asked.words:
        nearest = sorted(likeness, key=lambda doc: (-likeness[doc], doc))[: max(limit, _WORD_BY_WORD)]
        words = _parts(connection, f"signs FROM pieces_{slug}", nearest, asked, word_by_word)
        likeness = {doc: together(found[doc], sentences.get(doc), words.get(doc)) for doc in nearest}
    return {doc: likeness[doc] for doc in sorted(likeness, key=lambda doc: (-likeness[doc], doc))[:limit]}


def _parts(
    connection: apsw.Connection,
    column: str,
    docs: Iterable[int],
    asked: Meant,
    compare: Callable[[Meant, Sequence[bytes]], list[float]],
) -> dict[int, float]:
    numbers = ", ".join(map(str, docs))
    rows: list[Row] = connection.execute(f"SELECT doc, {column} WHERE doc IN ({numbers})").fetchall()
    if not rows:
        return {}
    return dict(zip((doc for doc, _ in rows), compare(asked, [part for _, part in rows]), strict=True))


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
            np.concatenate((self.signs[:, left], _signs(numbers)), axis=1),
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
            signs = self.signs if allowed is None else self.signs[:, rows]
            apart = np.zeros(len(rows), np.uint16)
            for some, wanted in zip(signs, _signs(asked[None, :])[:, 0], strict=True):
                apart += np.bitwise_count(some ^ wanted)
            rows = rows[np.argpartition(apart, _CANDIDATES)[:_CANDIDATES]]
        likeness = self.numbers[rows].astype(np.float32) @ asked.astype(np.float32) / _ONE
        best = np.lexsort((self.docs[rows], -likeness))[:limit]
        return {int(self.docs[rows[each]]): float(likeness[each]) for each in best}


def _signs(numbers: np.ndarray[Any, np.dtype[np.int8]]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A bit for each number that is not negative, in words of 64: first the first word of each vector, then the second.
    So they are compared in a sixth of the time that it takes if each vector's words lie together."""
    import numpy as np

    packed = np.packbits(numbers >= 0, axis=1)
    spare = -packed.shape[1] % 8
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, spare))).view(np.uint64).T)
