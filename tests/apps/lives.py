"""Two people who do something in all five systems, on one engine: one of them will leave."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from partita.apps.enablement import system as enablement
from partita.apps.enablement.inputs import Approval, NewContent, NewReport, NewSubscription, VoteInput
from partita.apps.enablement.inputs import Submission as ContentSubmission
from partita.apps.enablement.service import EnablementService
from partita.apps.fus import system as fus
from partita.apps.fus.inputs import CollectionInput, NewComment, NewGroup, NewSite, NewSuggestion
from partita.apps.fus.inputs import ProfileEdit as SiteProfile
from partita.apps.fus.inputs import RatingInput as SiteRating
from partita.apps.fus.service import FusService
from partita.apps.kelifax import system as kelifax
from partita.apps.kelifax.service import KelifaxService
from partita.apps.newsletter import system as newsletter
from partita.apps.newsletter.inputs import NewNewsletter, NewNote, NewProposal, NewShare, NewSource
from partita.apps.newsletter.schema import Draft
from partita.apps.newsletter.service import NewsletterService
from partita.apps.worthwatch import system as worthwatch
from partita.apps.worthwatch.inputs import (
    ApplicationInput,
    CommentInput,
    NewItem,
    NewList,
    NewMovie,
    NewViewing,
    ProfileEdit,
    RatingInput,
)
from partita.apps.worthwatch.schema import AVATARS, Import, Log, User
from partita.apps.worthwatch.service import WorthWatchService
from partita.bootstrap import SYSTEMS
from partita.kit.accounts import Account
from partita.kit.avatars import AVATAR, avatar_handler
from partita.kit.changes import ChangeWorker
from partita.kit.changes.backlog import Backlog
from partita.kit.changes.worker import Pace
from partita.kit.clock import stamp
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.mail import Message
from partita.kit.permissions import Viewer
from partita.kit.personal_data.service import PersonalData
from partita.kit.suite import policy_of
from partita.kit.system import System
from partita.store import EmbeddedStore
from partita.table import Put, Transaction, Update
from tests.apps.house import kit_on
from tests.apps.kelifax.conftest import submission

LEAVING, STAYING = "zebulon-quark", "ottilie-staying"
"""No text has these by chance."""
CURATOR_NAMES = ("Vesuvius Marmot", "Okapi Bramble")
"""What the one who leaves is called in WorthWatch: before, and in the end."""
PASSWORD = "correct horse battery staple"
LONG = "A long description. " * 2_000
"""Too long for an item."""


@dataclass
class MovableClock:
    """A clock that a test moves; each look is a microsecond later."""

    at: datetime = field(default=datetime(2026, 3, 2, 9, 30, tzinfo=UTC))

    def now(self) -> datetime:
        self.at += timedelta(microseconds=1)
        return self.at


@dataclass(frozen=True)
class Town:
    """The suite, without the web."""

    kit: Kit
    clock: MovableClock
    systems: tuple[System, ...]
    changes: ChangeWorker
    data: PersonalData

    async def settle(self) -> None:
        """Let everything follow that follows."""
        while await self.changes.drain() + await self._jobs():
            pass
        await self.kit.notifications.finish()

    async def _jobs(self) -> int:
        return await JobWorker(self.kit.jobs, ()).drain()

    def viewer(self, person: Account) -> Viewer:
        """Somebody who may do everything, and has just signed in."""
        known = self.kit.accounts.policy.known
        return Viewer(person.user_id, person.username, person.name, known, via="session", confirmed=True)


@contextmanager
def town(folder: Path, *, waits: bool = False) -> Iterator[Town]:
    """All five systems on one engine. Erasing `waits` for change handlers as a served suite does, or else has them
    handle everything between two rounds."""
    clock = MovableClock()
    with kit_on(folder, *(table for tables in SYSTEMS.values() for table in tables), clock=clock) as kit:
        assert isinstance(kit.tables, EmbeddedStore)
        systems = tuple(each.build(kit) for each in (kelifax, fus, worthwatch, newsletter, enablement))
        kit.accounts.use(policy_of(systems), tuple(each.grants for each in systems if each.grants is not None))
        kit.notifications.use(
            [kind for each in systems for kind in each.notifications],
            [each.notification_store for each in systems if each.notification_store is not None],
        )
        handlers = [avatar_handler(kit.files), *(handler for each in systems for handler in each.changes)]
        pace = Pace(poll=0.001, first_pause=0.001, longest_pause=0.001)
        changes = ChangeWorker(kit.store, kit.tables.engine.call_async, handlers, clock, pace=pace)

        async def follow(_running: Any) -> None:
            if not waits:
                await changes.drain()

        call = kit.tables.engine.call_async
        backlog = Backlog(kit.store, call, changes.handlers, changes.progress_of) if waits else None
        data = PersonalData(kit, systems, settle=follow, backlog=backlog)
        kit.jobs.use([data.kind, *(kind for each in systems for kind in each.jobs)])
        yield Town(kit, clock, systems, changes, data)


async def two_lives(town: Town) -> tuple[Account, Account]:
    """Who leaves, who stays."""
    create = town.kit.accounts.registration.create
    one = await create(LEAVING, f"{LEAVING}@quark.example", "Zebulon Quark", PASSWORD, roles=("admin",))
    other = await create(STAYING, f"{STAYING}@example.org", "Ottilie Staying", PASSWORD, roles=("admin",))
    leaver, stayer = town.viewer(one), town.viewer(other)
    await _kelifax(KelifaxService(town.kit), leaver, stayer)
    await _fus(FusService(town.kit), leaver, stayer)
    await _worthwatch(town, WorthWatchService(town.kit), leaver, stayer)
    await _newsletter(town, NewsletterService(town.kit), leaver, stayer)
    await _enablement(EnablementService(town.kit), leaver, stayer)
    await _house(town, leaver, one)
    await town.settle()
    return one, other


async def _kelifax(service: KelifaxService, leaver: Viewer, stayer: Viewer) -> None:
    theirs = {"firstName": "Zebulon", "lastName": "Quark", "companyEmail": f"{LEAVING}@quark.example"}

    async def submit(name: str, by: Viewer, submitter: dict[str, str]) -> str:
        form = submission(name, f"https://{name}.example.org")
        form = form.model_copy(update={"submitter": form.submitter.model_validate(submitter)})
        return (await service.submissions.submit(form, "192.0.2.7", by.id)).resource_slug

    kept = await submit("kept", leaver, theirs)
    await submit("waiting", leaver, theirs)
    others = await submit("others", stayer, {**theirs, "firstName": "Ottilie", "companyEmail": "ottilie@example.org"})
    await service.moderation.approve(stayer, kept)
    await service.moderation.approve(leaver, others)
    for viewer in (leaver, stayer):
        await service.liked.upvote(viewer, others)
        await service.liked.save(viewer, others)


async def _fus(service: FusService, leaver: Viewer, stayer: Viewer) -> None:
    site = await service.sites.add(leaver, NewSite(url="https://maps.example.org", title="Maps", fetch=False))
    for viewer, stars in ((leaver, 5), (stayer, 3)):
        await service.ratings.rate(viewer, site.site_id, SiteRating(stars=stars, note="for me"))
    said = await service.comments.write(leaver, site.site_id, NewComment(body="The only map with our footpath."))
    answer = NewComment(body="So it is.", reply_to=said.comment.name)
    await service.comments.write(stayer, site.site_id, answer)
    await service.profiles.save(leaver, SiteProfile(is_public=True, about="Maps, mostly."))
    collection = await service.collections.create(leaver, CollectionInput(name="For the trip"))
    await service.collections.add(leaver, collection.collection_id, site.site_id)
    await service.collections.share(leaver, collection.collection_id)
    for viewer, page in ((leaver, "https://one.example.net"), (stayer, "https://two.example.net")):
        await service.suggestions.suggest(viewer, NewSuggestion(url=page, title="A page"))
    await service.groups.create(leaver, NewGroup(name="editors", permissions=("fus:site:edit",)))
    await service.groups.add_member(stayer, "editors", leaver.id)
    await service.groups.add_member(leaver, "editors", stayer.id)


async def _worthwatch(town: Town, service: WorthWatchService, leaver: Viewer, stayer: Viewer) -> None:
    for name in CURATOR_NAMES:
        await service.people.edit(leaver, ProfileEdit(username=name))
        if name == CURATOR_NAMES[0]:
            await service.curators.apply(
                leaver, ApplicationInput(statement="I know every film with a train in it, and some with two. " * 2)
            )
            await town.settle()
    await town.kit.mail.send(
        Message(to=f"{STAYING}@example.org", subject="New", text=f"{CURATOR_NAMES[1]} has a new list.")
    )
    for viewer in (leaver, stayer):
        user = await service.people.me(viewer)
        approved = User.curator_status.set("approved"), User.is_curator.set(True)
        await town.kit.store.write(Update(user.own_key, *approved))
    movie: Any = await service.titles.add(leaver, NewMovie(title="Night Train", release_year=1959))
    lists = {}
    for viewer in (leaver, stayer):
        made = await service.lists.create(viewer, NewList(title="Trains", tags=("trains",), is_public=True))
        item = NewItem(content_type="MOVIE", content_id=movie.movie_id, curator_note="Watch it on a train.")
        await service.items.add(viewer, made.watchlist_id, item)
        lists[viewer.id] = made.watchlist_id
    await service.lists.create(leaver, NewList(title="Not for others", is_public=False))
    for viewer, other in ((leaver, stayer), (stayer, leaver)):
        await service.ratings.rate(viewer, "MOVIE", movie.movie_id, RatingInput(rating=8, review="Good."))
        await service.saved.save(viewer, lists[other.id])
        await service.follows.follow(viewer, other.id)
    said = await service.comments.add(leaver, lists[stayer.id], CommentInput(comment_text="I missed my stop."))
    await service.comments.add(stayer, lists[stayer.id], CommentInput(comment_text="So did I.", reply_to=said.name))
    seen = NewViewing(content_type="MOVIE", content_id=movie.movie_id, day=date(2026, 2, 1))
    await service.diary.log(leaver, seen)
    await service.marks.want(leaver, "MOVIE", movie.movie_id, None)
    await _outside_the_tables(town, leaver, lists[stayer.id])


async def _outside_the_tables(town: Town, leaver: Viewer, watchlist_id: str) -> None:
    """Files, and values that are too large for their items: of the leaver's own, and in what stays."""
    store = town.kit.store
    portrait = await town.kit.uploads.keep(AVATAR.folder, f"The portrait of {leaver.name}".encode(), "image/png")
    person = Account.key(Account.user_id(leaver.id))
    await store.transact(Transaction(Update(person, Account.avatar.set(portrait)), town.kit.uploads.claim(portrait)))
    face = await town.kit.uploads.keep(AVATARS, f"The face of {leaver.name}".encode(), "image/png")
    user = User.key(User.user_id(leaver.id))
    await store.transact(Transaction(Update(user, User.avatar_file.set(face)), town.kit.uploads.claim(face)))
    when = "2026-02-01T09:00:00Z"
    brought = tuple({"line": number, "title": f"{leaver.name} saw this {'x' * 400}"} for number in range(100))
    await store.write(Put(Import(user_id=leaver.id, import_id="i1", imported_at=when, rows=brought, expires_at=2**33)))
    after = {"curatorId": leaver.id, "description": LONG}
    what = f"WATCHLIST#{watchlist_id}"
    await store.write(Put(Log(what=what, at=when, sequence="1", who=leaver.id, verb="changed", after=after)))


async def _newsletter(town: Town, service: NewsletterService, leaver: Viewer, stayer: Viewer) -> None:
    own = (await service.newsletters.create(leaver, NewNewsletter(title="My own draft"))).newsletter_code
    written = "What I wrote myself. " * 6_000  # so long that it lies in a file
    now = stamp(town.clock)
    files = _files_of(own)
    await town.kit.store.write(Put(Draft(newsletter_code=own, generated_content=written, updated_at=now, **files)))
    shared = (await service.newsletters.create(leaver, NewNewsletter(title="Ours"))).newsletter_code
    theirs = (await service.newsletters.create(stayer, NewNewsletter(title="Theirs"))).newsletter_code
    await town.kit.store.write(Put(Draft(newsletter_code=theirs, updated_at=now, **_files_of(theirs))))
    await service.shares.share(leaver, shared, NewShare(to=STAYING, role="editor"))
    await service.shares.share(stayer, theirs, NewShare(to=LEAVING, role="editor"))
    await service.notes.add(leaver, theirs, NewNote(text="Is this figure of this year?"))
    await service.proposals.create(leaver, NewProposal(title="My own proposal"))
    await service.sources.add(leaver, NewSource(title="Maize", text="Maize grows. " * 40))


def _files_of(code: str) -> dict[str, Any]:
    """An export and a picture; and what only another program can have written there."""
    pictures = (f"newsletters/{code}/images/bees.png", "newsletters/brand/logo.png", f"newsletters/{code}/../bees.png")
    return {
        "exports": {"pdf": {"s3_key": f"newsletters/{code}/export.pdf"}},
        "images": tuple({"s3_key": name, "alt": "Bees"} for name in pictures),
    }


async def _enablement(service: EnablementService, leaver: Viewer, stayer: Viewer) -> None:
    for title, owner, approver in (("Prices", leaver, stayer), ("Costs", stayer, leaver)):
        new = NewContent(title=title, summary="What it costs.", text="# Prices\n\nAtlas costs 100.\n")
        draft = await service.content.create(owner, new)
        waiting: Any = await service.lifecycle.submit(owner, draft.content_id, ContentSubmission())
        approval = Approval(version=waiting.version)
        content = await service.lifecycle.approve(approver, draft.content_id, approval)
        await service.events.viewed(approver, content)
        await service.votes.vote(approver, draft.content_id, VoteInput(helped=True))
        await service.reports.add(approver, draft.content_id, NewReport(text="The price on page 3 is old."))
        await service.follows.follow(approver, "content", draft.content_id)
        await service.follows.follow(approver, "person", owner.id)
        await service.subscriptions.create(approver, NewSubscription(product_suite="Atlas", tags=("pricing",)))


async def _house(town: Town, leaver: Viewer, person: Account) -> None:
    """Sessions, tokens, limits and mail: what nobody thinks of as theirs."""
    accounts = town.kit.accounts
    await accounts.sessions.sign_in(LEAVING, PASSWORD, user_agent="Firefox", address="192.0.2.7")
    await accounts.tokens.create(replace(leaver, via="session"), "For my script", [], 30)
    await town.kit.limits.check(Rule("anything", most=5, seconds=86_400), person.user_id)
    await write_mail(town, person)


async def write_mail(town: Town, person: Account) -> None:
    """Mail to somebody, and about them to somebody else."""
    note = f"{person.name} wrote to you from {person.email}."
    for to in (person.email or "", f"{STAYING}@example.org"):
        await town.kit.mail.send(Message(to=to, subject=f"News of {person.name}", text=note))
