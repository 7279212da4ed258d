"""Amazon Ion: which lines are items, and that no line is worse than none."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError
from partita.dynamo.parse import parse
from partita.engine import ion, ion_reading
from tests.dynamo.strategies import items
from tests.engine.tables import Wire
from tests.engine.test_ion import ODD

LINES = [
    b'$ion_1_0 {Item:{pk:"a",n:6d2,i:-5,s:$dynamodb_SS::["x"],b:{{aGk=}},l:[1,{a:null}],t:2026-11-19T}}',
    b"{Item:{pk:'''a''' /* note */ '''b''','q r':[true,null.null,],h:0xF_f}} // note",
    b'{Item:{s:"\\U0001F600\\u00e9\\x41\\n",$10:1,x:a::(b c),c:{{"clob"}}}}',
]
MARKS = [b"", *(bytes([mark]) for mark in b"{}[]()\"'\\:,.019adeTxU+-_/*$ \xf0")]


def _checked(item: Any) -> Any:
    return parse("PutItem", {"TableName": "music", "Item": item}).item  # type: ignore[union-attr]


@given(items)
def test_an_item_is_read_as_it_was_written(item: Wire) -> None:
    line = ion.line(orjson.dumps({"Item": item}))
    assert _checked(ion_reading.item(line)) == _checked(item)


@given(
    st.recursive(
        st.sampled_from(ODD).map(lambda text: {"S": text}),
        lambda inner: (
            st.lists(inner, max_size=3).map(lambda members: {"L": members})
            | st.dictionaries(st.sampled_from(ODD), inner, max_size=3).map(lambda members: {"M": members})
        ),
    )
)
def test_names_and_texts_may_look_like_anything(value: Wire) -> None:
    assert ion_reading.item(ion.line(orjson.dumps({"Item": {"pk": value}}))) == {"pk": value}


@pytest.mark.parametrize("value", [{"S": "a" * 390_000}, {"S": '\\"\n' * 130_000}, {"B": "aGk=" * 97_000}])
def test_texts_may_be_as_long_as_those_of_items(value: Wire) -> None:
    assert ion_reading.item(ion.line(orjson.dumps({"Item": {"pk": value}}))) == {"pk": value}


@pytest.mark.parametrize(
    ("line", "item"),
    [
        (
            '$ion_1_0 {Item:{pk:"a",n:6d2,i:5,s:$dynamodb_SS::["x"]}}',
            {"n": {"N": "600"}, "i": {"N": "5"}, "s": {"SS": ["x"]}},
        ),
        ("{'Item':{'pk':\"a\", // a note\n}}", {}),
        (
            "{Item:{pk:'''''' /* two */ '''a''',h:-0xF_f,b:0b1_0,n:1_0.0_1d-2,}}",
            {"h": {"N": "-255"}, "b": {"N": "2"}, "n": {"N": "0.1001"}},
        ),
        (
            '{Item:{pk:"\\x61",t:"\\ud83d\\ude00 \\U0001F600\\u00e9\\n\\/",b:{{ aG k= }}}}',
            {"t": {"S": "😀 😀é\n/"}, "b": {"B": "aGk="}},
        ),
        ("{Item:{pk:'''a''',t:other::\"x\",l:[]}}", {"t": {"S": "x"}, "l": {"L": []}}),
    ],
)
def test_other_spellings_are_read(line: str, item: Wire) -> None:
    assert _checked(ion_reading.item(line.encode())) == _checked({"pk": {"S": "a"}, **item})


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{Item:{pk:2026-11-19T}}", "DynamoDB has no type for Ion's timestamp"),
        ("{Item:{pk:1e0}}", "DynamoDB has no type for Ion's float"),
        ("{Item:{pk:symbol}}", "DynamoDB has no type for Ion's symbol"),
        ('{Item:{pk:{{"clob"}}}}', "DynamoDB has no type for Ion's clob"),
        ("{Item:{pk:(a b)}}", "DynamoDB has no type for Ion's sexp"),
        ("{Item:{pk:null.string}}", r"DynamoDB has no null\.string"),
        ("{Item:null.struct}", r"DynamoDB has no null\.struct"),
        ("{Item:{pk:$dynamodb_SS::[[1]]}}", "a list of .dynamodb_SS has a member of another type"),
        ("{Item:{pk:$dynamodb_SS::[1]}}", "a list of .dynamodb_SS has a member of another type"),
        ("{Item:{pk:{{a-b}}}}", "not base64"),
        ("{Item:{pk:0x" + "f" * 5000 + "}}", "no room for"),
        ("{Item:{pk:'''a}}", "a text without an end"),
        ("{Item:{pk:007}}", "it has no value 007"),
        ("{Item:{$10:1}}", "it has no name .10"),
        ("{Item:{a}}", "a name without a value"),
        ("{Item:{a:1 b:2}}", "lacks a comma or }"),
        ("{Item:{a:null::1}}", "it has no value null"),
        ('{Item:{pk:"\\q"}}', "no character .q"),
        ('{Item:{pk:"\\UFFFFFFFF"}}', "no character FFFFFFFF"),
        ("$ion_2_0 {Item:{}}", "no type for Ion's symbol"),
        ('{pk:"a"}', "it is not {Item"),
        ("{Item:1}", "it is not {Item"),
        ("{Item:{}} {Item:{}}", "it is not {Item"),
        ("null", "it is not {Item"),
        ("", "it is not {Item"),
        ("{Item:{", "it is not Ion"),
        ("{Item:{pk:" + "[" * 100_000, "it is not Ion"),
        ('{Item:{pk:"\\ud83d"}}', "it is not Ion"),
        ("\ufffe\x00", "it is not Ion"),
    ],
)
def test_a_line_that_is_no_item_says_why(line: str, fault: str) -> None:
    with pytest.raises(ion_reading.NotReadableError, match=fault):
        ion_reading.item(line.encode())


@st.composite
def _changed_lines(draw: st.DrawFn) -> bytes:
    """Lines that are Ion but for a few characters."""
    line = bytearray(draw(st.sampled_from(LINES)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(line)))
        line[place : place + draw(st.integers(0, 2))] = draw(st.sampled_from(MARKS))
    return bytes(line)


@given(_changed_lines() | st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_line_does_worse_than_being_no_item(line: bytes) -> None:
    try:
        item = ion_reading.item(line)
    except ion_reading.NotReadableError:
        return
    try:
        _checked(item)
    except DynamoError:
        return


@pytest.mark.parametrize(
    "line",
    [
        b"\xf0a''{Item:{s:\"\\U0'   ,''b'''",
        b'{Item:{pk:"' + b"\\" * 400_001,
        b"'" * 400_000,
        b"{Item:{pk:" + b"'''a" * 200_000,
        b"{Item:{pk:" + b"1" * 400_000 + b"x",
        b"{Item:" + b"a::" * 200_000,
        b"{Item:{pk:{{" + b"a " * 200_000,
        b"{Item:{a:" * 2_000,
        b"/*" * 300_000,
    ],
)
def test_a_line_without_sense_is_refused_in_a_few_words_however_long_it_is(line: bytes) -> None:
    with pytest.raises(ion_reading.NotReadableError) as refused:
        ion_reading.item(line)
    assert len(str(refused.value)) < 200
