"""Which model a suite uses, if any."""

from __future__ import annotations

from partita.kit.meaning.apart import MeaningApart
from partita.kit.meaning.weights import model_folder
from partita.kit.settings import Settings


def meaning_for(settings: Settings) -> MeaningApart | None:
    """The model of the settings; None if it is switched off or not installed."""
    if not settings.meaning:
        return None
    folder = model_folder(settings.meaning_model)
    return None if folder is None else MeaningApart(folder)
