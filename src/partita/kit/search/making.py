"""Making the vectors that are missing, behind whoever writes documents: a text takes long, and words need not wait."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import apsw

from partita.kit.meaning import Meaning
from partita.kit.search import nearest
from partita.kit.search.catalog import Catalog
from partita.kit.search.nearest import Made, Unmade

_log = logging.getLogger(__name__)
_BATCH = 16


class VectorMaking:
    """One thread makes vectors, for one catalog after the other. Whoever is killed goes on with those that are
    missing."""

    def __init__(self, meaning: Meaning, connection: Callable[[], apsw.Connection]) -> None:
        self._meaning = meaning
        self._connection = connection
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="meaning")
        self._guard = threading.Lock()
        self._begun: dict[Catalog[Any], Future[int]] = {}
        self._ended = threading.Event()

    def begin(self, catalog: Catalog[Any]) -> Future[int]:
        """Make what is missing, some time soon; the number of vectors. What waits already is not begun twice."""
        with self._guard:
            waiting = self._begun.get(catalog)
            if waiting is not None and not waiting.running() and not waiting.done():
                return waiting
            begun = self._begun[catalog] = self._pool.submit(self._make, catalog)
            return begun

    def close(self) -> None:
        """Stop after the batch that is being made."""
        self._ended.set()
        self._pool.shutdown(cancel_futures=True)

    def _make(self, catalog: Catalog[Any]) -> int:
        made, last = 0, -1
        try:
            while not self._ended.is_set():
                some = nearest.unmade(self._connection(), catalog, self._meaning.name, last, _BATCH)
                if not some:
                    break
                vectors = [make(self._meaning, each) for each in some if not self._ended.is_set()]
                nearest.keep(self._connection(), catalog, self._meaning.name, vectors)
                made, last = made + len(vectors), some[-1].doc
        except Exception:  # nobody waits for this thread; searching by words goes on
            _log.exception("search: the vectors of %s cannot be made", catalog.name)
        return made


def make(meaning: Meaning, unmade: Unmade) -> Made:
    """What a document means; nothing of a text in a language that the model has not learnt."""
    if not meaning.understands(" ".join(unmade.texts)):
        return Made(unmade, b"")
    vector, *sentences = meaning.vectors([unmade.texts, *((each,) for each in unmade.sentences)])
    words = meaning.words(unmade.word_by_word) if unmade.word_by_word else b""
    return Made(unmade, vector, b"".join(sentences), nearest.signs_of(words, len(vector)))
