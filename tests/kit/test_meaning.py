"""The model: the right files, the pieces of words, and numbers as its authors published them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita
from partita.kit.meaning import Meaning, model_folder
from partita.kit.meaning.apart import MeaningApart
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


def _alike(some: list[bytes], others: list[bytes]) -> bool:
    """The same but for rounding: the order in which numbers are added up depends on what is read together."""
    import numpy as np

    assert [len(each) for each in some] == [len(each) for each in others]
    one, other = (np.frombuffer(b"".join(each), np.int8).astype(int) for each in (some, others))
    return bool((abs(one - other) <= 1).all())


@installed
def test_texts_that_are_read_together_mean_what_they_mean_alone() -> None:
    from partita.kit.meaning.encoder import MiniLM

    assert FOLDER is not None
    texts = (("Wells",), ("Who repairs the pumps of the village?", "Pumps"), ("Goats eat acacia pods. " * 20,), ("",))
    together = MiniLM(FOLDER).vectors(texts)
    alone = [MiniLM(FOLDER).vector(each) for each in texts]
    assert _alike(together, alone)


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


@pytest.fixture(scope="module")
def apart() -> Iterator[MeaningApart]:
    assert FOLDER is not None
    model = MeaningApart(FOLDER)
    yield model
    model.close()


@installed
@given(st.lists(st.lists(st.text(max_size=60), min_size=1, max_size=2), min_size=1, max_size=3))
@settings(max_examples=15, deadline=None)
def test_in_a_process_of_its_own_the_model_says_the_same(apart: MeaningApart, texts: list[list[str]]) -> None:
    here = _model_here()
    assert _alike(apart.vectors(texts), here.vectors(texts))
    assert _alike([apart.words(texts[0][0])], [here.words(texts[0][0])])


@cache
def _model_here() -> Meaning:
    from partita.kit.meaning.encoder import MiniLM

    assert FOLDER is not None
    return MiniLM(FOLDER)


@installed
def test_the_serving_process_holds_neither_numpy_nor_the_model() -> None:
    program = (
        "import sys; from partita.kit.meaning.apart import MeaningApart; from pathlib import Path\n"
        f"model = MeaningApart(Path({str(FOLDER)!r})); assert len(model.vector(('Wells',))) == 384; model.close()\n"
        "print(sorted({'numpy', 'partita.kit.meaning.encoder'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout == "[]\n"


@installed
def test_the_process_ends_when_nobody_asks_and_a_killed_one_is_started_again() -> None:
    assert FOLDER is not None
    model = MeaningApart(FOLDER, idle_seconds=0.2)
    first = model.vector(("Wells",))
    pid = model.pid
    assert pid is not None
    _, alive = psutil.wait_procs([psutil.Process(pid)], timeout=30)
    assert not alive, "its memory should be given back"
    patient = MeaningApart(FOLDER)
    assert model.vector(("Wells",)) == patient.vector(("Wells",)) == first
    assert patient.pid is not None
    psutil.Process(patient.pid).kill()
    assert patient.vector(("Wells",)) == first
    for each in (model, patient):
        each.close()
        assert each.pid is None
        with pytest.raises(OSError, match="closed"):
            each.words("Wells")


def test_files_that_are_not_the_models_are_told_by_its_process_too(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="comes with the extra `meaning`")
    for name in DIGESTS:
        (tmp_path / name).write_bytes(b"something else")
    model = MeaningApart(tmp_path)
    try:
        with pytest.raises(WrongModelError, match="Install it again"):
            model.vector(("Wells",))
    finally:
        model.close()


@installed
def test_those_who_ask_at_once_are_answered_one_after_the_other(apart: MeaningApart) -> None:
    texts = [f"Well number {number}" for number in range(12)]
    with ThreadPoolExecutor(4) as threads:
        at_once = list(threads.map(lambda text: apart.vector((text,)), texts))
    assert at_once == [apart.vector((text,)) for text in texts]
