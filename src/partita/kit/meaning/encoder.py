"""The model all-MiniLM-L6-v2, computed with numpy: six layers of attention, whose mean is what a text means."""

from __future__ import annotations

import math
import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

# Matrices this small are computed no faster by several threads, which only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from partita.kit.meaning.languages import is_understood
from partita.kit.meaning.pieces import pieces
from partita.kit.meaning.weights import Weights, read_vocabulary, read_weights

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"

DIMENSIONS = 384
_LAYERS, _HEADS = 6, 12
_MOST_PIECES = 256
"""The model was trained with texts of this length; what comes behind is not read."""
_BEGIN, _END = 101, 102
_REMEMBERED = 2_000
"""Vectors of texts that were asked for lately: headings come again, and so do questions."""
_REMEMBERED_WORDS = 50
"""The words of so many: of a long text they are 100 KB."""
_TOGETHER = 2_000
"""So many pieces are read at once, unless one text has more."""
_SMALL_WORDS = (
    "a an and are as at be by can could did do does for from had has have how i in is it its of on or s should than"
    " that the their them there they this to was were what when where which who whom whose why will with would"
)
"""They mean nothing by themselves, and neither do signs."""


class MiniLM:
    """Understands English. Its files are read with the first text."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._guard = threading.Lock()
        self._remembered: OrderedDict[bytes, Array] = OrderedDict()
        self._remembered_words: OrderedDict[bytes, bytes] = OrderedDict()

    def understands(self, text: str) -> bool:
        return is_understood(text)

    def vector(self, texts: Sequence[str]) -> bytes:
        """What some texts mean together."""
        return self.vectors((texts,))[0]

    def vectors(self, texts: Sequence[Sequence[str]]) -> list[bytes]:
        """The same of several at once: the model is read once for all of them."""
        known = self._meanings(each for some in texts for each in some)
        return [_bytes(_unit(np.sum([known[each] for each in some], axis=0))) for some in texts]

    def words(self, text: str) -> bytes:
        """What each piece of a meaningful word means where it stands."""
        with self._guard:
            found = self._remembered_words.get(_key(text))
        return self._read([text])[0][1] if found is None else found

    @cached_property
    def _vocabulary(self) -> Mapping[str, int]:
        return read_vocabulary(self._folder)

    @cached_property
    def _weights(self) -> Weights:
        return read_weights(self._folder)

    @cached_property
    def _meaningful(self) -> frozenset[int]:
        """The numbers of pieces that are words, or parts of words, which mean something by themselves."""
        small = frozenset(_SMALL_WORDS.split(" "))
        return frozenset(
            number for piece, number in self._vocabulary.items() if piece not in small and piece.strip("#").isalnum()
        )

    def _meanings(self, texts: Iterable[str]) -> dict[str, Array]:
        with self._guard:
            wanted = {each: _key(each) for each in texts}
            known = {each: self._remembered[key] for each, key in wanted.items() if key in self._remembered}
            for each in known:
                self._remembered.move_to_end(wanted[each])
        missing = [each for each in wanted if each not in known]
        return known | {text: meaning for text, (meaning, _) in zip(missing, self._read(missing), strict=True)}

    def _read(self, texts: Sequence[str]) -> list[tuple[Array, bytes]]:
        """What texts and their words mean."""
        with self._guard:  # the files are read once
            weights, vocabulary, meaningful = self._weights, self._vocabulary, self._meaningful
        numbers = [[_BEGIN, *pieces(each, vocabulary, _MOST_PIECES - 2), _END] for each in texts]
        read: list[tuple[Array, bytes]] = []
        for some in _heaps(numbers):
            for of_text, found in zip(some, encode(weights, some), strict=True):
                kept = [place for place, number in enumerate(of_text) if number in meaningful]
                read.append((_unit(found.mean(axis=0)), _bytes(_unit(found[kept]))))
        with self._guard:
            for text, (meaning, words) in zip(texts, read, strict=True):
                _remember(self._remembered, text, meaning, _REMEMBERED)
                _remember(self._remembered_words, text, words, _REMEMBERED_WORDS)
        return read


def _key(text: str) -> bytes:
    """What stands for a text: it may be long itself."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def _remember(known: OrderedDict[bytes, Any], text: str, value: object, most: int) -> None:
    key = _key(text)
    known[key] = value
    known.move_to_end(key)
    if len(known) > most:
        known.popitem(last=False)


def _heaps(texts: Sequence[Sequence[int]]) -> Iterable[list[Sequence[int]]]:
    """Texts in order, some at a time: many short ones, or few long ones."""
    heap: list[Sequence[int]] = []
    for each in texts:
        if heap and sum(map(len, heap)) + len(each) > _TOGETHER:
            yield heap
            heap = []
        heap.append(each)
    if heap:
        yield heap


def encode(model: Weights, texts: Sequence[Sequence[int]]) -> list[Array]:
    """What each piece of some texts means where it stands, by the numbers of the pieces. The texts lie one behind the
    other, as matrices are multiplied quicker by many rows than by few; only the attention is of each text alone."""
    weights = model.matrices
    ends = np.cumsum([len(each) for each in texts])
    begins = [0, *ends[:-1]]
    spans = list(zip(begins, ends, strict=True))
    words = model.words.of([number for each in texts for number in each])
    places = np.concatenate([weights["embeddings.position_embeddings.weight"][: len(each)] for each in texts])
    x = _normal(weights, "embeddings.LayerNorm", words + places + weights["embeddings.token_type_embeddings.weight"][0])
    for number in range(_LAYERS):
        layer = f"encoder.layer.{number}"
        attended = _attention(weights, f"{layer}.attention.self", x, spans)
        attended = _line(weights, f"{layer}.attention.output.dense", attended)
        x = _normal(weights, f"{layer}.attention.output.LayerNorm", attended + x)
        inner = _gelu(_line(weights, f"{layer}.intermediate.dense", x))
        x = _normal(weights, f"{layer}.output.LayerNorm", _line(weights, f"{layer}.output.dense", inner) + x)
    return [x[begin:end] for begin, end in spans]


def _attention(weights: Mapping[str, Array], name: str, x: Array, spans: Sequence[tuple[int, int]]) -> Array:
    count, width = x.shape
    query, key, value = (
        _line(weights, f"{name}.{part}", x).reshape(count, _HEADS, width // _HEADS).transpose(1, 0, 2)
        for part in ("query", "key", "value")
    )
    found = np.empty((_HEADS, count, width // _HEADS), np.float32)
    for begin, end in spans:
        scores = query[:, begin:end] @ key[:, begin:end].transpose(0, 2, 1) / np.float32(math.sqrt(width // _HEADS))
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        found[:, begin:end] = shares @ value[:, begin:end]
    return np.asarray(found.transpose(1, 0, 2).reshape(count, width))


def _line(weights: Mapping[str, Array], name: str, x: Array) -> Array:
    return np.asarray(x @ weights[f"{name}.weight"] + weights[f"{name}.bias"])


def _normal(weights: Mapping[str, Array], name: str, x: Array) -> Array:
    away = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((away * away).mean(axis=-1, keepdims=True) + np.float32(1e-12))
    return np.asarray(away / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"])


def _gelu(x: Array) -> Array:
    """x times the chance that a normal variable is less; the error function after Abramowitz and Stegun, 7.1.26."""
    y = x / np.float32(math.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * np.abs(y))
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    error = np.sign(y) * (1 - series * np.exp(-y * y))
    return np.asarray(x * np.float32(0.5) * (1 + error))


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths, lengths, np.float32(1)))


def _bytes(vectors: Array) -> bytes:
    return (vectors * 127).round().astype(np.int8).tobytes()
