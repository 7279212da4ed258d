"""The model all-MiniLM-L6-v2, computed with numpy: six layers of attention, whose mean is what a text means."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

# Matrices this small are computed no faster by several threads, which only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from partita.kit.meaning.pieces import pieces
from partita.kit.meaning.weights import read_vocabulary, read_weights

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"

DIMENSIONS = 384
_LAYERS, _HEADS = 6, 12
_MOST_PIECES = 256
"""The model was trained with texts of this length; what comes behind is not read."""
_BEGIN, _END = 101, 102
_REMEMBERED = 2_000
"""Vectors of texts that were asked for lately: headings come again, and so do questions."""
_LATIN = 0.7
"""The share of a text's letters that must be Latin."""


class MiniLM:
    """Understands English. Its files are read with the first text."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._guard = threading.Lock()
        self._remembered: Callable[[str], Array] = lru_cache(_REMEMBERED)(self._meaning)

    def understands(self, text: str) -> bool:
        """Whether most letters are Latin: of other scripts the model has learnt next to nothing."""
        letters = [each for each in text[:1_000] if each.isalpha()]
        return bool(letters) and sum(each < "\u0250" for each in letters) >= _LATIN * len(letters)

    def vector(self, texts: Sequence[str]) -> bytes:
        """What some texts mean together."""
        total = np.sum([self._remembered(each) for each in texts], axis=0)
        return (_unit(total) * 127).round().astype(np.int8).tobytes()

    @cached_property
    def _vocabulary(self) -> Mapping[str, int]:
        return read_vocabulary(self._folder)

    @cached_property
    def _weights(self) -> Mapping[str, Array]:
        return read_weights(self._folder)

    def _meaning(self, text: str) -> Array:
        with self._guard:  # the files are read once
            weights, vocabulary = self._weights, self._vocabulary
        return encode(weights, [_BEGIN, *pieces(text, vocabulary, _MOST_PIECES - 2), _END])


def encode(weights: Mapping[str, Array], numbers: Sequence[int]) -> Array:
    """The vector of a text, by the numbers of its pieces."""
    count = len(numbers)
    words = weights["embeddings.word_embeddings.weight"][list(numbers)]
    places = weights["embeddings.position_embeddings.weight"][:count]
    x = _normal(weights, "embeddings.LayerNorm", words + places + weights["embeddings.token_type_embeddings.weight"][0])
    for number in range(_LAYERS):
        layer = f"encoder.layer.{number}"
        attended = _line(weights, f"{layer}.attention.output.dense", _attention(weights, f"{layer}.attention.self", x))
        x = _normal(weights, f"{layer}.attention.output.LayerNorm", attended + x)
        inner = _gelu(_line(weights, f"{layer}.intermediate.dense", x))
        x = _normal(weights, f"{layer}.output.LayerNorm", _line(weights, f"{layer}.output.dense", inner) + x)
    return _unit(x.mean(axis=0))


def _attention(weights: Mapping[str, Array], name: str, x: Array) -> Array:
    count, width = x.shape
    query, key, value = (
        _line(weights, f"{name}.{part}", x).reshape(count, _HEADS, width // _HEADS).transpose(1, 0, 2)
        for part in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(width // _HEADS))
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return np.asarray((shares @ value).transpose(1, 0, 2).reshape(count, width))


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


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector
