"""Items to rows and back, and telling rows apart."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from partita.table import (
    Attribute,
    ForeignItemError,
    Item,
    ItemTooLargeError,
    KeyPartError,
    SchemaError,
    Table,
    attribute,
    key_part,
)
from tests.table.forum import Member, Post, Reply

identifiers = st.text("abc0-#", min_size=1, max_size=6)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    st.builds(
        Post,
        member_id=st.text("ab0", min_size=1),
        post_id=st.text("ab0", min_size=1),
        text=texts,
        state=st.sampled_from(["draft", "public", None]),
        stars=st.none() | st.integers(1, 5),
        tags=st.frozensets(st.text("xyz", min_size=1)),
        lines=st.lists(texts).map(tuple),
    )
)
def test_an_item_reads_back_as_itself(post: Post) -> None:
    assert Post.from_row(post.to_row()) == post


@given(identifiers, identifiers, st.integers(0, 99))
def test_a_row_is_read_as_one_type_only_or_never_written(member: str, post: str, number: int) -> None:
    for item in (
        Post(member_id=member, post_id=post),
        Reply(member_id=member, post_id=post, number=number),
        Member(member_id=member, name="x"),
    ):
        try:
            row = item.to_row()
        except KeyPartError:
            continue
        owners = [kind for kind in (Member, Post, Reply) if kind.owns(row)]
        assert owners == [type(item)]
        assert type(item).from_row(row) == item


def test_a_key_longer_than_any_key_is_refused_before_anything_is_sent() -> None:
    assert Member.key(Member.member_id("é" * 1000)).wire
    with pytest.raises(KeyPartError, match="over 2,048 bytes"):
        Member.key(Member.member_id("é" * 1030))
    with pytest.raises(KeyPartError, match="over 1,024 bytes"):
        Post.key(Post.member_id("a"), Post.post_id("p" * 1030))
    with pytest.raises(KeyPartError, match="over 2,048 bytes"):
        Post.query(Post.member_id("a" * 3000))


def test_a_key_that_would_read_as_another_type_is_refused() -> None:
    with pytest.raises(KeyPartError, match="would not be read as a Post"):
        Post(member_id="ada", post_id="1#REPLY#000001").to_row()


def test_a_row_of_another_type_is_not_taken_for_ours() -> None:
    reply = Reply(member_id="ada", post_id="1", number=1).to_row()
    with pytest.raises(ForeignItemError, match="is not a Post"):
        Post.from_row(reply)


def test_a_row_that_does_not_fit_its_type_is_told_by_its_key_and_fields_without_what_they_hold() -> None:
    row = {**Post(member_id="ada", post_id="1").to_row(), "text": {"L": [{"S": "a secret"}]}}
    with pytest.raises(ForeignItemError, match=r"The Post stored as PK=.*ada.* does not fit its type: text") as told:
        Post.from_row(row)
    assert "a secret" not in str(told.value)


def test_attributes_of_another_program_are_kept() -> None:
    row = {**Post(member_id="ada", post_id="1").to_row(), "legacy": {"M": {"a": {"N": "1"}}}}
    assert Post.from_row(row).to_row() == row


def test_a_missing_input_leaves_the_index_key_out() -> None:
    row = Post(member_id="ada", post_id="1", state=None).to_row()
    assert "stateKey" not in row
    assert "stateSort" not in row


def test_an_item_over_400_kb_is_refused_before_it_is_sent() -> None:
    with pytest.raises(ItemTooLargeError, match="file store"):
        Post(member_id="ada", post_id="1", text="x" * 410_000).to_row()


def test_constraints_are_checked_when_an_item_is_made() -> None:
    with pytest.raises(ValidationError):
        Post(member_id="ada", post_id="1", stars=6)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"pk": "A#{nothing}", "sk": "B"}, "names nothing, which is not a field"),
        ({"pk": "A#{a}"}, "nothing says how SK is made"),
        ({"pk": "A", "sk": "B"}, "neither stored nor part of the key"),
        ({"pk": "A#{a}", "sk": "B", "keys": {"b": "x"}}, "both a field and made of others"),
    ],
)
def test_a_type_that_cannot_work_is_refused_when_it_is_declared(body: dict[str, Any], why: str) -> None:
    table = Table("broken", pk="PK", sk="SK")
    with pytest.raises(SchemaError, match=why):

        class Broken(Item, table=table, **body):
            a: Attribute[str] = key_part()
            b: Attribute[str] = attribute(default="")


def test_comparing_an_attribute_with_equals_signs_is_refused_since_it_would_say_nothing() -> None:
    with pytest.raises(Exception, match="equals"):
        _ = Post.text == "x"
