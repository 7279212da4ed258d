"""Key templates both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.table.errors import KeyPartError, SchemaError
from partita.table.template import parse_template

plain = st.text(st.characters(exclude_characters="#", exclude_categories=["Cs"]), min_size=1)
anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(plain, anything)
def test_what_is_rendered_reads_back_also_with_a_separator_in_the_last_part(user: str, tag: str) -> None:
    made = parse_template("USER#{user}#TAG#{tag}")
    text = made.render({"user": user, "tag": tag})
    assert text is not None
    assert made.parse(text) == {"user": user, "tag": tag}


@given(st.lists(st.integers(0, 999_999), min_size=2))
def test_padded_numbers_sort_as_numbers(numbers: list[int]) -> None:
    made = parse_template("CHUNK#{position:06}")
    assert sorted(numbers) == sorted(numbers, key=lambda number: str(made.render({"position": number})))


@pytest.mark.parametrize("number", [-1, 1_000_000])
def test_a_number_that_does_not_fit_its_padding_is_refused(number: int) -> None:
    with pytest.raises(KeyPartError, match="does not fit into 6 digits"):
        parse_template("CHUNK#{position:06}").render({"position": number})


def test_a_missing_input_makes_no_key() -> None:
    assert parse_template("A#{a}#{b}").render({"a": "1"}) is None


def test_an_empty_input_is_refused() -> None:
    with pytest.raises(KeyPartError, match="a is empty"):
        parse_template("A#{a}").render({"a": ""})


@pytest.mark.parametrize(
    ("text", "why"), [("{a}{b}", "need text between"), ("{a:>8}", "only format is padding"), ("{0}", "not the name")]
)
def test_a_template_that_could_not_be_read_back_is_refused(text: str, why: str) -> None:
    with pytest.raises(SchemaError, match=why):
        parse_template(text)


@given(anything)
def test_text_that_the_template_did_not_make_is_not_parsed(text: str) -> None:
    made = parse_template("USER#{user}#PROFILE")
    parts = made.parse(text)
    assert (parts is not None) == (text.startswith("USER#") and text.endswith("#PROFILE") and len(text) > 13)


def test_a_part_ends_at_the_text_after_it_also_if_a_field_comes_twice() -> None:
    template = parse_template("{mood}#{flag}-{flag}")
    assert template.parse("glad#yes-yes") == {"mood": "glad", "flag": "yes"}
    assert template.parse("glad#der#yes-yes") is None
    with pytest.raises(KeyPartError, match="holds the text that"):
        template.render({"mood": "glad#der", "flag": "yes"})


def test_a_text_between_two_parts_may_have_any_characters() -> None:
    for between in ("^", "]", "\\", "-", "^-", "[]", "aa"):
        template = parse_template("{one}" + between + "{two}")
        assert template.parse(f"1{between}2{between}3") == {"one": "1", "two": f"2{between}3"}
        with pytest.raises(KeyPartError):
            template.render({"one": f"1{between}2", "two": "3"})
