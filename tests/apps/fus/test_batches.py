"""Many sites change as one job: each once, with exact counts, killed anywhere; what cannot change is reported."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.fus import schema
from partita.apps.fus.inputs import RatingInput, SiteChanges, SiteEdit, TagRename
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import FUS, Site
from partita.apps.fus.service import FusService, batches
from partita.apps.fus.service.batches import BatchReport
from partita.apps.fus.service.notifications import KINDS
from partita.kit.jobs import Job, JobWorker
from partita.kit.jobs.holds import Hold
from partita.kit.kit import Kit
from partita.kit.problems import Forbidden, Invalid, NotFound
from tests.apps.fus.conftest import manager, member, put
from tests.apps.fus.imports import now
from tests.apps.house import kit_on, person
from tests.kit.jobs.kills import go_on, kill

pytestmark = pytest.mark.anyio
TAGS = ("map", "maps", "old")
CHANGES = st.one_of(
    st.builds(TagRename, tag=st.just("map"), to=st.sampled_from(["maps", "atlas"])),
    st.builds(SiteChanges, tag=st.just("map"), add_tags=st.just(("new", "old")), remove_tags=st.just(("map",))),
    st.builds(SiteChanges, tag=st.just("map"), add_tags=st.just(("new",))),
    st.builds(SiteChanges, tag=st.just("map"), delete=st.just(True)),
)


def ready(kit: Kit, service: FusService) -> Kit:
    if kit.jobs.kind("fus.change-sites") is None:
        kit.jobs.use([service.batches.kind])
        kit.notifications.use(KINDS)
    return kit


async def begun(service: FusService, wanted: TagRename | SiteChanges) -> Job:
    viewer = manager()
    if isinstance(wanted, TagRename):
        return await service.batches.begin_rename(viewer, wanted)
    return await service.batches.begin(viewer, wanted)


async def done(kit: Kit, service: FusService, wanted: TagRename | SiteChanges) -> BatchReport:
    job = await begun(service, wanted)
    await JobWorker(kit.jobs).drain()
    ended = await now(kit, job)
    assert ended.state == "done", ended
    return await service.batches.report(ended)


async def tags_agree(kit: Kit) -> dict[str, tuple[str, ...]]:
    """Every site's tags by title; the lists of tags and their counts say the same."""
    sites = [site async for site in kit.store.stream(schema.newest_sites())]
    for tag in {tag for site in sites for tag in site.tags} | {"map", "maps", "atlas", "new"}:
        having = {site.site_id for site in sites if tag in site.tags}
        assert {entry.site_id async for entry in kit.store.stream(schema.sites_with_tag(tag))} == having
        total = await kit.store.get(schema.tag_total(tag))
        assert (0 if total is None else total.count) == len(having), tag
    return {site.title: site.tags for site in sites}


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    CHANGES,
    st.lists(st.lists(st.sampled_from(TAGS), max_size=3, unique=True), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(1, 8), st.booleans()), max_size=4, unique_by=lambda kill: kill[0]),
)
async def test_killed_at_any_save_every_site_changes_once_and_counts_are_exact(
    tmp_path_factory: pytest.TempPathFactory,
    wanted: TagRename | SiteChanges,
    tagged: list[list[str]],
    kills: list[tuple[int, bool]],
) -> None:
    with kit_on(tmp_path_factory.mktemp("batch"), FUS) as kit, pytest.MonkeyPatch.context() as monkeypatch:
        service = FusService(kit)
        ready(kit, service)
        before = {(await put(service, tags=tags)).title: tuple(tags) for tags in [*tagged, ["map", "old"]]}
        job = await begun(service, wanted)
        kill(monkeypatch, Hold, "save", at=kills)
        await go_on(kit.jobs, len(kills))
        ended = await now(kit, job)
        assert ended.state == "done", ended
        after = await tags_agree(kit)
        concerned = {title for title, tags in before.items() if "map" in tags}
        report = await service.batches.report(ended)
        assert sum(report.counts.values()) == len(report.rows) == len(concerned)
        assert await service.sites.total() == len(after)
        for title, tags in before.items():
            if title not in concerned:
                assert after[title] == tags
            elif isinstance(wanted, TagRename):
                assert set(after[title]) == {wanted.to if tag == "map" else tag for tag in tags}
            elif wanted.delete:
                assert title not in after
            else:
                assert set(after[title]) == set(tags) - set(wanted.remove_tags) | set(wanted.add_tags)


async def test_a_renamed_tag_keeps_its_place_and_the_history_names_who_did_it(kit: Kit, service: FusService) -> None:
    ready(kit, service)
    site = await put(service, tags=["first", "map", "last"])
    report = await done(kit, service, TagRename(tag="Map", to="Atlas "))
    assert report.counts == {"changed": 1, "deleted": 0, "same": 0, "refused": 0}
    changed = await service.sites.site(site.site_id)
    assert (changed.tags, changed.revision) == (("first", "atlas", "last"), site.revision + 1)
    (entry,) = await service.history.of_site(site.site_id)
    assert entry.by.startswith("manager-")
    with pytest.raises(NotFound, match="No site has the tag “map”"):
        await done(kit, service, TagRename(tag="map", to="atlas"))


async def test_a_site_that_gets_the_tag_meanwhile_is_renamed_too(
    kit: Kit, service: FusService, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(kit, service)
    await put(service, tags=["map"])
    late: list[Site] = []

    async def adopted(site_id: str) -> Site:
        site = await service.sites.site(site_id)
        if not late:
            late.append(await put(service, "Newer than all", tags=["map"]))
        return site

    monkeypatch.setattr(service.batches._sites, "adopted", adopted)
    report = await done(kit, service, TagRename(tag="map", to="maps"))
    assert report.counts["changed"] == 2
    assert "map" not in {tag for tags in (await tags_agree(kit)).values() for tag in tags}


async def test_an_edit_at_the_same_time_is_not_lost(
    kit: Kit, service: FusService, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(kit, service)
    site = await put(service, tags=["map"])
    adopted, edited = service.sites.adopted, False

    async def edited_meanwhile(site_id: str) -> Site:
        nonlocal edited
        read = await adopted(site_id)
        if not edited:
            edited = True
            await service.sites.edit(manager(), site_id, SiteEdit(title="Edited", tags=("map", "more")))
        return read

    monkeypatch.setattr(service.batches._sites, "adopted", edited_meanwhile)
    report = await done(kit, service, TagRename(tag="map", to="maps"))
    changed = await service.sites.site(site.site_id)
    assert (changed.title, changed.tags, report.counts["changed"]) == ("Edited", ("maps", "more"), 1)
    await tags_agree(kit)


async def test_sites_that_are_full_gone_or_right_already_are_reported_and_stop_nothing(
    kit: Kit, service: FusService
) -> None:
    ready(kit, service)
    full = await put(service, tags=[f"t{number}" for number in range(20)])
    right, plain = await put(service, tags=["new"]), await put(service)
    ids = (full.site_id, "gone", right.site_id, plain.site_id)
    report = await done(kit, service, SiteChanges(site_ids=ids, add_tags=("new",)))
    assert [row.outcome for row in report.rows] == ["refused", "same", "same", "changed"]
    assert "20 are the most" in report.rows[0].reason
    await tags_agree(kit)


async def test_deleting_many_removes_what_belonged_to_each(kit: Kit, service: FusService) -> None:
    ready(kit, service)
    sites = [await put(service, tags=["gone"]) for _ in range(3)]
    await service.ratings.rate(member(), sites[0].site_id, RatingInput(stars=4))
    report = await done(kit, service, SiteChanges(tag="gone", delete=True))
    assert (report.counts["deleted"], await service.sites.total()) == (3, 0)
    assert await kit.store.get(schema.removal(sites[0].site_id)) is not None
    assert await tags_agree(kit) == {}


async def test_what_makes_no_sense_or_is_not_allowed_is_refused(kit: Kit, service: FusService) -> None:
    ready(kit, service)
    site = await put(service, tags=["a"])
    editor = person("editor", Fus.EDIT)
    with pytest.raises(Forbidden, match="Delete sites"):
        await service.batches.begin(editor, SiteChanges(site_ids=(site.site_id,), delete=True))
    with pytest.raises(Invalid):
        await service.batches.begin(editor, SiteChanges(add_tags=("b",)))
    with pytest.raises(Invalid):
        await service.batches.begin(editor, SiteChanges(tag="a"))
    with pytest.raises(NotFound):
        await service.batches.find(
            person("another", Fus.EDIT), (await begun(service, TagRename(tag="a", to="b"))).job_id
        )
    for bad in (
        {"tag": "a", "siteIds": ["1"]},
        {"addTags": ["x"], "removeTags": ["x"]},
        {"delete": True, "addTags": "x"},
    ):
        with pytest.raises(ValueError, match="validation error"):
            SiteChanges.model_validate(bad)
    with pytest.raises(ValueError, match="what the tag is called now"):
        TagRename(tag="A", to="a")


async def test_two_presses_are_one_job(kit: Kit, service: FusService) -> None:
    ready(kit, service)
    await put(service, tags=["map"])
    viewer, rename = manager(), TagRename(tag="map", to="maps")
    jobs = await asyncio.gather(*(service.batches.begin_rename(viewer, rename) for _ in range(3)))
    assert len({job.job_id for job in jobs}) == 1


async def test_a_long_report_names_the_first_sites_and_counts_all(
    kit: Kit, service: FusService, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(kit, service)
    monkeypatch.setattr(batches, "_MOST_ROWS", 2)
    for _ in range(5):
        await put(service, tags=["map"])
    report = await done(kit, service, TagRename(tag="map", to="maps"))
    assert (report.counts["changed"], len(report.rows)) == (5, 2)
    await tags_agree(kit)
