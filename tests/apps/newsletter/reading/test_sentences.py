"""Where sentences end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.reading.sentences import sentences, word_count

CASES = [
    ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
    ("Table 2. Prices of maize", ["Table 2. Prices of maize"]),
    ("Yields rose by 3.5 t per ha. Prices fell.", ["Yields rose by 3.5 t per ha.", "Prices fell."]),
    ("Dr. Abebe and Prof. J. K. Otieno met. They agreed.", ["Dr. Abebe and Prof. J. K. Otieno met.", "They agreed."]),
    ("Lt. Cdr. Anna Lind spoke. So did Maj. Gen. Odera.", ["Lt. Cdr. Anna Lind spoke.", "So did Maj. Gen. Odera."]),
    ("See Fig. 3 and No. 11. Then go on.", ["See Fig. 3 and No. 11.", "Then go on."]),
    ("Cereals, e.g. maize and teff, grew. Good.", ["Cereals, e.g. maize and teff, grew.", "Good."]),
    ("It was sold in the U.S. The price held.", ["It was sold in the U.S.", "The price held."]),
    ("Smith et al. Found it; so did we.", ["Smith et al. Found it; so did we."]),
    ("On 5 Jan. 2026 it rained. It stopped on 6 Jan.", ["On 5 Jan. 2026 it rained.", "It stopped on 6 Jan."]),
    ('She said "Go." Then she left.', ['She said "Go."', "Then she left."]),
    ('"Why?" she asked. Nobody knew.', ['"Why?" she asked.', "Nobody knew."]),
    ("Wait … and see. Done.", ["Wait … and see.", "Done."]),
    ("ዝናብ ጀመረ። ገበሬዎች ዘሩ፡፡ መቼ ነው፧ ዛሬ።", ["ዝናብ ጀመረ።", "ገበሬዎች ዘሩ፡፡", "መቼ ነው፧", "ዛሬ።"]),
    ("በ2018 ዓ.ም. ዝናብ ነበር። ጥሩ ነው።", ["በ2018 ዓ.ም. ዝናብ ነበር።", "ጥሩ ነው።"]),
    ("هطل المطر. متى يبدأ الموسم؟ قال د. أحمد إنه قريب.", ["هطل المطر.", "متى يبدأ الموسم؟", "قال د. أحمد إنه قريب."]),
    ("- first entry\n- second. Third\n3. fourth", ["first entry", "second.", "Third", "fourth"]),
    ("A line\nanother line.", ["A line", "another line."]),
    ("www.example.org has it. Look.", ["www.example.org has it.", "Look."]),
    ("", []),
    (" \n\n ", []),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_a_text_is_split_into_its_sentences(text: str, wanted: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == wanted


WRITING = st.text(st.sampled_from('ab A.!?1\n\t -()"።፡؟د…Ü•') | st.characters(codec="utf-8"), max_size=200)


@given(WRITING)
def test_sentences_are_slices_in_order_and_nothing_but_space_and_marks_of_lists_is_between_them(text: str) -> None:
    end = 0
    for sentence in sentences(text):
        assert sentence.text == text[sentence.start : sentence.end]
        assert sentence.text.strip() == sentence.text != ""
        between = text[end : sentence.start].strip()
        assert between == "" or "\n" in text[:end] or end == 0 or between.strip("-*•‣▪◦–—.)0123456789 \t\n") == ""
        assert not any(character.isalpha() for character in between)
        assert sentence.start >= end
        end = sentence.end
    assert text[end:].strip("-*•‣▪◦–— \t\n.)0123456789") == "" or not any(map(str.isalpha, text[end:]))


@given(WRITING)
def test_words_of_a_text_are_those_of_its_lines(text: str) -> None:
    assert word_count(text) == sum(word_count(line) for line in text.split("\n"))


def test_words_are_counted_in_every_script() -> None:
    assert word_count("Maize – 3.5 t/ha, good.") == 4
    assert word_count("ሰላም፡ለዓለም፡ሁሉ።") == 3
    assert word_count("هطل المطر اليوم") == 3
    assert word_count("—  … ") == 0


def test_a_long_text_is_split_in_time_in_proportion_to_its_length() -> None:
    text = "A. " * 100_000 + "...." * 100_000 + "((((" * 10_000
    assert len(sentences(text)) > 0
