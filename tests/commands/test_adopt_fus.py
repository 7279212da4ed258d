from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from partita.apps.fus.schema import FUS, Site, SiteTag, site, tag_total, total
from partita.cli import app
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Put

NOTHING_ELSE = "0 ratings, 0 comments, 0 groups, 0 memberships"


def _foreign(site_id: str, url: str) -> Site:
    """A site as the design document has it, without what our lists need."""
    now = "2026-01-01T00:00:00Z"
    return Site(site_id=site_id, url=url, title=site_id, tags=("maps",), created_at=now, updated_at=now)


def _write(engine: Engine, site: Site) -> None:
    """As another program writes it: without what we derive."""
    row = {name: value for name, value in site.to_row().items() if name not in ("timeline", "titleKey")}
    engine.call("PutItem", {"TableName": FUS.name, "Item": row})


def _run(folder: Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["adopt", "fus", "--data", str(folder)])
    return result.exit_code, result.output


def test_sites_that_another_program_wrote_are_taken_in_once(tmp_path: Path) -> None:
    sites = [_foreign("1", "https://one.example.org"), _foreign("2", "https://two.example.org")]
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine)
        store.create(FUS)
        for each in sites:
            _write(engine, each)
        store.batch_write(Put(SiteTag(site_id=each.site_id, tag="maps")) for each in sites)
    assert _run(tmp_path) == (0, f"adopted  2 sites, {NOTHING_ELSE}\n")
    assert _run(tmp_path) == (0, f"adopted  0 sites, {NOTHING_ELSE}\n")
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine)
        _write(engine, _foreign("3", "https://one.example.org/"))
        counted, tagged = store.get(total("sites")), store.get(tag_total("maps"))
        assert counted is not None
        assert tagged is not None
        assert (counted.amount, tagged.count) == (2, 2)
    code, output = _run(tmp_path)
    assert code == 1
    assert re.search("refused  .*SITE#3.*: another site has its address https://one.example.org/", output)


def test_what_people_wrote_with_another_program_is_counted(tmp_path: Path) -> None:
    said = {"stars": {"N": "4"}, "starRating": {"N": "4"}, "updatedAt": {"S": "2026-01-01T00:00:00Z"}}
    rating = {"PK": {"S": "USER#u"}, "SK": {"S": "SITE#1"}, "siteId": {"S": "SITE#1"}, **said}
    bad = {**rating, "PK": {"S": "USER#bad"}, "stars": {"N": "12"}}
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine)
        store.create(FUS)
        _write(engine, _foreign("1", "https://one.example.org"))
        for row in (rating, bad):
            engine.call("PutItem", {"TableName": FUS.name, "Item": row})
    code, output = _run(tmp_path)
    assert code == 1
    assert "adopted  1 site, 1 rating, 0 comments, 0 groups, 0 memberships\n" in output
    assert "left     The Rating stored as PK=USER#bad, SK=SITE#1 does not fit its type: stars" in output
    with Engine(tmp_path) as engine:
        found = EmbeddedStore(engine).get(site("1"))
        assert found is not None
        assert (found.rating_count, found.rating_sum) == (1, 4)
