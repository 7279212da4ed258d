"""Which model a suite uses, if any; its code is imported with the first text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from partita.kit.meaning.protocol import Meaning
from partita.kit.meaning.weights import model_folder
from partita.kit.settings import Settings


class LaterMeaning:
    """A model that is loaded when it is needed: a server that nobody asks anything never loads it."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _model(self) -> Meaning:
        from partita.kit.meaning.encoder import MiniLM

        return MiniLM(self._folder)

    def understands(self, text: str) -> bool:
        return self._model.understands(text)

    def vector(self, texts: Sequence[str]) -> bytes:
        return self._model.vector(texts)

    def vectors(self, texts: Sequence[Sequence[str]]) -> list[bytes]:
        return self._model.vectors(texts)

    def words(self, text: str) -> bytes:
        return self._model.words(text)


def meaning_for(settings: Settings) -> Meaning | None:
    """The model of the settings; None if it is switched off or not installed."""
    if not settings.meaning:
        return None
    folder = model_folder(settings.meaning_model)
    return None if folder is None else LaterMeaning(folder)
