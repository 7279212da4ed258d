"""Answers to comments: kept with what they answer, with the stars of whoever writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.fus.inputs import CommentEdit, NewComment, RatingInput
from partita.apps.fus.schema import Comment
from partita.apps.fus.service import FusService
from partita.apps.fus.service.comments import CommentWithAuthor, in_threads
from partita.apps.fus.service.people import Person
from partita.kit.kit import Kit
from partita.kit.problems import Invalid
from tests.apps.fus.conftest import account, as_viewer, put

pytestmark = pytest.mark.anyio


def entry(number: int, answers: int | None) -> CommentWithAuthor:
    moment = f"2026-01-01T00:00:{number:02}.000000Z"
    comment = Comment(
        user_id="ada",
        site_id="1",
        comment_id=str(number),
        body="-",
        created_at=moment,
        updated_at=moment,
        reply_to=None if answers is None else f"ada.{answers}",
    )
    return CommentWithAuthor(comment, Person("ada", "ada", "Ada"))


@given(st.lists(st.none() | st.integers(0, 9), max_size=8), st.booleans())
def test_every_comment_is_shown_once_and_behind_what_it_answers(answers: list[int | None], backwards: bool) -> None:
    """Whatever answers what: also comments that are gone, themselves, or each other in a circle."""
    comments = [entry(number, answered) for number, answered in enumerate(answers)]
    shown = in_threads(comments[::-1] if backwards else comments)
    names = [each.comment.name for each, _ in shown]
    assert sorted(names) == sorted(each.comment.name for each in comments)
    for place, (each, is_answer) in enumerate(shown):
        there = {other.comment.name for other in comments} - {each.comment.name}
        assert not is_answer or each.comment.reply_to in there
        if each.comment.reply_to in there and int(each.comment.reply_to.rpartition(".")[2]) < int(
            each.comment.comment_id
        ):
            assert is_answer or _circle(each, comments)
        if is_answer:
            assert not shown[0][1]
            assert place > 0


def _circle(start: CommentWithAuthor, comments: list[CommentWithAuthor]) -> bool:
    by_name = {each.comment.name: each.comment for each in comments}
    seen: set[str] = set()
    name: str | None = start.comment.name
    while name in by_name and name not in seen:
        seen.add(name)
        name = by_name[name].reply_to
    return name in seen


async def test_an_answer_names_whom_it_answers_and_shows_the_stars_of_its_author(kit: Kit, service: FusService) -> None:
    site = await put(service)
    ada, bob = [await as_viewer(kit, await account(kit, name)) for name in ("Ada", "Bob")]
    await service.ratings.rate(bob, site.site_id, RatingInput(stars=4))
    first = await service.comments.write(ada, site.site_id, NewComment(body="Is it open?"))
    name = first.comment.name
    answer = await service.comments.write(bob, site.site_id, NewComment(body="On Mondays.", reply_to=name))
    listed = (await service.comments.of_site(site.site_id)).items
    assert [(each.author.name, each.stars, each.answered and each.answered.name) for each in listed] == [
        ("Ada", None, None),
        ("Bob", 4, "Ada"),
    ]
    assert answer == listed[1]
    edited = await service.comments.edit(bob, site.site_id, answer.comment.name, CommentEdit(body="On Tuesdays."))
    assert edited.comment.reply_to == name
    await service.comments.delete(ada, site.site_id, name)
    (left,) = (await service.comments.of_site(site.site_id)).items
    assert left.answered is not None


async def test_what_is_gone_or_belongs_to_another_site_cannot_be_answered(kit: Kit, service: FusService) -> None:
    site, other = await put(service), await put(service)
    ada = await as_viewer(kit, await account(kit, "Ada"))
    name = (await service.comments.write(ada, other.site_id, NewComment(body="Elsewhere"))).comment.name
    for wrong in (name, "nobody.1", "nonsense"):
        with pytest.raises(Invalid) as refused:
            await service.comments.write(ada, site.site_id, NewComment(body="Hello", reply_to=wrong))
        assert [error.field for error in refused.value.errors] == ["replyTo"]
