"""What texts mean, as vectors: texts about the same thing have like vectors, whatever their words. See docs/search.md.

Nothing here is imported by a server's start; numpy and the model's files come with the first text.
"""

from partita.kit.meaning.protocol import Meaning
from partita.kit.meaning.weights import WrongModelError, model_folder

__all__ = ["Meaning", "WrongModelError", "model_folder"]
