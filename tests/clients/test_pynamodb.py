"""A small program with PynamoDB: threads of a forum with an index, counters, versions and transactions."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pynamodb.attributes import (
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import PutError, TransactWriteError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from tests.serving import Served


class ByAuthor(GlobalSecondaryIndex[Any]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "by_author"
        projection = AllProjection()
        billing_mode = "PAY_PER_REQUEST"

    author = UnicodeAttribute(hash_key=True)
    posted = UTCDateTimeAttribute(range_key=True)


class Thread(Model):
    class Meta:
        table_name = "threads"
        region = "us-east-1"
        billing_mode = "PAY_PER_REQUEST"
        host = ""

    forum = UnicodeAttribute(hash_key=True)
    subject = UnicodeAttribute(range_key=True)
    author = UnicodeAttribute()
    posted = UTCDateTimeAttribute()
    views = NumberAttribute(default=0)
    tags = UnicodeSetAttribute(default=set)
    version = VersionAttribute()
    by_author = ByAuthor()


def test_a_forum_lives_through_pynamodb(door: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    Thread.Meta.host = door.url
    Thread.create_table(wait=True)
    with Thread.batch_write() as batch:
        for number in range(40):
            batch.save(
                Thread(
                    "cooking",
                    f"subject {number:02d}",
                    author="ada" if number % 2 else "grace",
                    posted=datetime(2026, 1, 1, number % 24, tzinfo=UTC),
                    tags={"soup", f"tag{number}"},
                )
            )
    assert Thread.count("cooking") == 40
    assert [thread.subject for thread in Thread.query("cooking", Thread.subject.startswith("subject 1"), limit=3)] == [
        "subject 10",
        "subject 11",
        "subject 12",
    ]
    by_ada = list(Thread.by_author.query("ada", filter_condition=Thread.tags.contains("tag7"), page_size=4))
    assert [thread.subject for thread in by_ada] == ["subject 07"]

    thread = Thread.get("cooking", "subject 07")
    thread.update(actions=[Thread.views.add(1), Thread.tags.delete({"soup"})])
    assert thread.views == 1
    assert thread.tags == {"tag7"}
    stale = Thread.get("cooking", "subject 08")
    stale.version = 7
    with pytest.raises(PutError):
        stale.save()

    connection = Connection(region="us-east-1", host=door.url)
    transaction = TransactWrite(connection=connection)
    transaction.delete(Thread.get("cooking", "subject 00"))
    transaction.condition_check(Thread, "cooking", "no such subject", condition=Thread.subject.exists())
    with pytest.raises(TransactWriteError) as failed:
        transaction.__exit__(None, None, None)  # type: ignore[no-untyped-call]
    # PynamoDB sends condition checks first.
    reasons = [reason.code if reason else None for reason in failed.value.cancellation_reasons]
    assert reasons == ["ConditionalCheckFailed", None]
    assert Thread.count("cooking") == 40
    Thread.delete_table()
