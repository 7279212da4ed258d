"""Reports: once for each person and thing; moderators keep, remove or suspend, which ends all reports of a thing."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import CommentInput, ReportInput, ResolutionInput
from partita.apps.worthwatch.schema import Rating
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.curators import NothingToDecide
from partita.apps.worthwatch.service.reports import REPORTING, AlreadyReported, What
from partita.kit.kit import Kit
from partita.kit.problems import Conflict, NotFound, TooMany
from partita.table import Put
from tests.apps.worthwatch.conftest import MODERATOR, curator, film, member, new_list, published

pytestmark = pytest.mark.anyio
KEEP, REMOVE, SUSPEND = (ResolutionInput(decision=each) for each in ("keep", "remove", "suspend"))


def objection(what: What, id: str) -> ReportInput:
    return ReportInput(what=what, id=id, reason="Copied from a magazine.")


async def test_each_person_reports_a_thing_once(kit: Kit, service: WorthWatchService) -> None:
    ada, people = await curator(kit), [await member(kit) for _ in range(3)]
    watchlist = (await published(service, ada)).watchlist_id
    for viewer in people:
        await service.reports.report(viewer, objection("list", watchlist))
        with pytest.raises(AlreadyReported):
            await service.reports.report(viewer, objection("list", watchlist))
    waiting = (await service.reports.waiting()).items
    assert [each.report.user_id for each in waiting] == [viewer.id for viewer in people]
    assert {each.thing.watchlist and each.thing.watchlist.watchlist_id for each in waiting} == {watchlist}
    assert await service.reports.resolve(MODERATOR, "list", watchlist, KEEP) == 3
    assert (await service.reports.waiting()).items == ()
    with pytest.raises(NotFound):
        await service.reports.resolve(MODERATOR, "list", watchlist, KEEP)
    assert (await service.lists.watchlist(watchlist)).live


async def test_what_cannot_be_seen_cannot_be_reported(kit: Kit, service: WorthWatchService) -> None:
    ada, viewer, suspended = await curator(kit), await member(kit), await curator(kit)
    private = await new_list(service, ada)
    await service.curators.suspend(MODERATOR, suspended.id, "So.")
    wanted: list[tuple[What, str]] = [
        ("list", private.watchlist_id),
        ("list", "nothing"),
        ("comment", f"{private.watchlist_id}/2026-05-01T09:30:00.000000Z~{ada.id}"),
        ("comment", "nothing"),
        ("review", f"MOVIE/nothing/{ada.id}"),
        ("person", suspended.id),
        ("person", "nobody"),
    ]
    for what, id in wanted:
        with pytest.raises(NotFound):
            await service.reports.report(viewer, objection(what, id))
    assert (await service.reports.waiting()).items == ()


async def test_removing_takes_the_list_the_comment_or_the_words_of_the_review(
    kit: Kit, service: WorthWatchService
) -> None:
    ada, viewer, other = await curator(kit), await member(kit), await member(kit)
    kept, gone = await published(service, ada), await published(service, ada)
    comment = await service.comments.write(other, kept.watchlist_id, CommentInput(comment_text="Rude."))
    title = await film(service)
    review = Rating(
        user_id=other.id,
        content_type="MOVIE",
        content_id=title.movie_id,
        rating=3,
        review="Rude.",
        rated_at="2026-05-01T09:30:00.000000Z",
    )
    await kit.store.write(Put(review))
    things: list[tuple[What, str]] = [
        ("list", gone.watchlist_id),
        ("comment", f"{kept.watchlist_id}/{comment.name}"),
        ("review", f"MOVIE/{title.movie_id}/{other.id}"),
    ]
    for what, id in things:
        await service.reports.report(viewer, objection(what, id))
        thing, words = await service.reports.of_thing(what, id)
        assert thing.there
        assert [each.report.reason for each in words] == ["Copied from a magazine."]
        assert await service.reports.resolve(MODERATOR, what, id, REMOVE) == 1
        thing, words = await service.reports.of_thing(what, id)
        assert not thing.there
        assert [each.report.state for each in words] == ["removed"]
    stored = await kit.store.get(schema.rating(other.id, "MOVIE", title.movie_id))
    assert stored is not None
    assert (stored.rating, stored.review) == (3, None)
    assert await kit.store.count(schema.reviews_of("MOVIE", title.movie_id)) == 0
    assert (await service.comments.threads(viewer, kept.watchlist_id)).items == ()


async def test_suspending_concerns_curators(kit: Kit, service: WorthWatchService) -> None:
    ada, viewer, other = await curator(kit), await member(kit), await member(kit)
    watchlist = (await published(service, ada)).watchlist_id
    await service.reports.report(viewer, objection("list", watchlist))
    assert await service.reports.resolve(MODERATOR, "list", watchlist, SUSPEND) == 1
    user = await service.people.person(ada.id)
    assert (user.curator_status, user.is_curator) == ("suspended", False)
    assert (await service.curators.applicant(ada.id)).application.reason == "Copied from a magazine."
    await service.reports.report(viewer, objection("person", other.id))
    with pytest.raises(NothingToDecide):
        await service.reports.resolve(MODERATOR, "person", other.id, SUSPEND)
    with pytest.raises(Conflict):
        await service.reports.resolve(MODERATOR, "person", other.id, REMOVE)
    assert len((await service.reports.waiting()).items) == 1


async def test_twenty_reports_a_day_are_enough(kit: Kit, service: WorthWatchService) -> None:
    ada, viewer = await curator(kit), await member(kit)
    watchlist = (await published(service, ada)).watchlist_id
    for _ in range(REPORTING.most):
        await kit.limits.check(REPORTING, viewer.id)
    with pytest.raises(TooMany):
        await service.reports.report(viewer, objection("list", watchlist))
