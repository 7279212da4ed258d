"""A failed condition is raised as what its write says it means."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from partita.dynamo.errors import ConditionalCheckFailedError, TransactionCanceledError
from partita.dynamo.expressions.tree import AddAction, Path, Value
from partita.store import EmbeddedStore
from partita.table import Check, Delete, ModelError, Put, Transaction, Update, Write
from tests.table.forum import Member, Post

POST = Post(member_id="ada", post_id="1", text="first")
KEY = POST.own_key
NOWHERE = Post.key(Post.member_id("ada"), Post.post_id("2"))


class PostTaken(Exception):
    """Somebody has posted under this number."""


class PostGone(Exception):
    """There is no such post."""


@pytest.fixture(params=["blocking", "asynchronous"])
def run(request: pytest.FixtureRequest, store: EmbeddedStore) -> Callable[[Put | Update | Delete | Transaction], None]:
    def blocking(wanted: Put | Update | Delete | Transaction) -> None:
        store.transact(wanted) if isinstance(wanted, Transaction) else store.write(wanted)

    def asynchronous(wanted: Put | Update | Delete | Transaction) -> None:
        face = store.asynchronous
        asyncio.run(face.transact(wanted) if isinstance(wanted, Transaction) else face.write(wanted))

    store.write(Put(POST))
    return blocking if request.param == "blocking" else asynchronous


Run = Callable[[Put | Update | Delete | Transaction], None]
FAILING: list[Put | Update | Delete] = [
    Put(POST).if_new(),
    Update(NOWHERE, Post.text.set("x")),
    Delete(NOWHERE).if_there(),
]


@pytest.mark.parametrize("write", FAILING, ids=lambda write: type(write).__name__)
def test_a_failed_condition_is_the_error_its_write_names_with_dynamodbs_as_its_cause(
    run: Run, write: Put | Update | Delete
) -> None:
    meaning = PostTaken("1")
    with pytest.raises(PostTaken) as failed:
        run(write.otherwise(meaning))
    assert failed.value is meaning
    assert isinstance(failed.value.__cause__, ConditionalCheckFailedError)


@pytest.mark.parametrize("write", FAILING, ids=lambda write: type(write).__name__)
def test_without_a_meaning_it_is_dynamodbs_own_error(run: Run, write: Put | Update | Delete) -> None:
    with pytest.raises(ConditionalCheckFailedError):
        run(write)


def test_a_meaning_can_be_made_of_the_item_that_was_there(run: Run) -> None:
    with pytest.raises(PostTaken, match="first"):
        run(Put(Post(member_id="ada", post_id="1")).if_new().otherwise(lambda there: PostTaken(there and there.text)))
    with pytest.raises(PostGone, match="None"):
        run(Transaction(Delete(NOWHERE).if_there().otherwise(PostGone)))


def test_of_several_failed_conditions_the_first_in_order_decides(run: Run) -> None:
    taken = Put(POST).if_new()
    gone = Check(NOWHERE, NOWHERE.present())
    fine: Write = Put(Member(member_id="ada", name="Ada")).if_new().otherwise(AssertionError("this one holds"))
    with pytest.raises(PostGone) as failed:
        run(Transaction(fine, gone.otherwise(PostGone("2")), taken.otherwise(PostTaken("1"))))
    assert isinstance(failed.value.__cause__, TransactionCanceledError)
    with pytest.raises(PostTaken):
        run(Transaction(taken.otherwise(PostTaken("1")), gone.otherwise(PostGone("2"))))
    with pytest.raises(TransactionCanceledError):
        run(Transaction(gone, taken.otherwise(PostTaken("1"))))


def test_a_write_that_fails_twice_does_not_pile_up_its_tracebacks(run: Run) -> None:
    write = Put(POST).if_new().otherwise(PostTaken("1"))
    lengths = []
    for _ in range(3):
        with pytest.raises(PostTaken) as failed:
            run(write)
        lengths.append(len(failed.traceback))
    assert len(set(lengths)) == 1


def test_conditions_and_meanings_can_be_given_in_any_order(run: Run) -> None:
    with pytest.raises(PostTaken):
        run(Update(KEY, Post.text.set("x")).otherwise(PostTaken("1")).when(Post.stars > 3).knowing(Post.state("draft")))


def test_an_error_that_is_no_failed_condition_has_no_other_meaning(run: Run) -> None:
    put = Put(Post(member_id="ada", post_id="1")).otherwise(PostTaken("1"))
    name = Member.key(Member.member_id("ada"))
    run(Put(Member(member_id="ada", name="Ada")))
    text = replace(Member.post_count.add(1), action=AddAction(Path(("name",)), Value({"N": "1"})))
    with pytest.raises(TransactionCanceledError, match="ValidationError"):
        run(Transaction(put, Update(name, text).otherwise(PostGone())))


def test_an_update_that_changes_nothing_is_refused_before_it_is_sent() -> None:
    with pytest.raises(ModelError, match="leave it out, or use a Check"):
        Update(KEY).request()
