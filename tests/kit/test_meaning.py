"""The model: the right files, the pieces of words, and numbers as its authors published them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita
from partita.kit.meaning import model_folder
from partita.kit.meaning.pieces import pieces
from partita.kit.meaning.weights import DIGESTS, WrongModelError, checked

VOCABULARY = {name: number for number, name in enumerate(("[UNK]", "un", "##happi", "##ness", "well", "##s", ",", "a"))}
FOLDER = model_folder()
installed = pytest.mark.skipif(FOLDER is None, reason="the model is not installed")


def test_words_are_taken_apart_into_their_longest_pieces() -> None:
    assert pieces("Unhappiness, wélls", VOCABULARY, 99) == [1, 2, 3, 6, 4, 5]
    assert pieces("unhappy", VOCABULARY, 99) == [0], "a word with a piece that nobody knows is unknown"
    assert pieces("well well well", VOCABULARY, 2) == [4, 4]


@given(st.text(max_size=200), st.integers(0, 20))
@settings(max_examples=60)
def test_any_text_has_pieces_and_never_more_than_the_model_reads(text: str, most: int) -> None:
    found = pieces(text, VOCABULARY, most)
    assert len(found) <= most
    assert set(found) <= set(VOCABULARY.values())


def test_other_files_than_those_that_were_measured_are_refused(tmp_path: Path) -> None:
    for name in DIGESTS:
        (tmp_path / name).write_bytes(b"something else")
        with pytest.raises(WrongModelError, match="Install it again"):
            checked(tmp_path, name)


def test_a_folder_without_the_files_is_no_model(tmp_path: Path) -> None:
    assert model_folder(tmp_path) is None
    assert model_folder(tmp_path / "nowhere") is None


def test_only_the_encoder_imports_numpy_and_nobody_imports_the_encoder_at_the_start() -> None:
    """So neither the server nor the engine loads either before somebody asks something."""
    source = Path(partita.__file__).parent
    names = ("numpy", "partita.kit.meaning.encoder")
    found = {
        (str(file.relative_to(source)), name)
        for file in source.rglob("*.py")
        for name in names
        if re.search(rf"^(?:import|from) {re.escape(name)}\b", file.read_text(), re.MULTILINE)
    }
    assert found == {("kit/meaning/encoder.py", "numpy")}


@installed
def test_likeness_is_what_the_authors_published() -> None:
    """From the model's own page: 0.6660, 0.1046 and 0.1411 for these three sentences."""
    import numpy as np

    from partita.kit.meaning.encoder import MiniLM

    assert FOLDER is not None
    model = MiniLM(FOLDER)
    texts = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
    numbers = [np.frombuffer(model.vector((each,)), np.int8).astype(np.float32) / 127 for each in texts]
    likeness = [float(numbers[one] @ numbers[other]) for one, other in ((0, 1), (0, 2), (1, 2))]
    assert likeness == pytest.approx([0.6660, 0.1046, 0.1411], abs=0.01)
    assert model.understands("Rural well grants")
    assert not model.understands("የጤፍ ዝርያ")
    assert not model.understands("1234")


@installed
def test_texts_that_are_read_together_mean_what_they_mean_alone() -> None:
    import numpy as np

    from partita.kit.meaning.encoder import MiniLM

    assert FOLDER is not None
    texts = (("Wells",), ("Who repairs the pumps of the village?", "Pumps"), ("Goats eat acacia pods. " * 20,), ("",))
    together = MiniLM(FOLDER).vectors(texts)
    alone = [MiniLM(FOLDER).vector(each) for each in texts]
    for one, other in zip(together, alone, strict=True):
        apart = np.frombuffer(one, np.int8).astype(int) - np.frombuffer(other, np.int8)
        assert abs(apart).max() <= 1, "but for rounding"


@installed
def test_words_mean_something_where_they_stand() -> None:
    import numpy as np

    from partita.kit.meaning.encoder import MiniLM

    assert FOLDER is not None
    model = MiniLM(FOLDER)

    def words(text: str) -> Any:
        return np.frombuffer(model.words(text), np.int8).reshape(-1, 384).astype(np.float32) / 127

    assert model.words("What is it, and why? …") == b""
    assert len(words("The bank of the river")) == 2
    money, water, loan = words("Money in the bank")[1], words("The bank of the river")[0], words("The bank's loan")[0]
    assert money @ loan > money @ water
    assert model.words("The bank of the river") == MiniLM(FOLDER).words("The bank of the river")
