"""Retrieval over stored sources: the index follows them, the step stores what was found, and pages show why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import TOPICS
from partita.apps.newsletter.inputs import NewItem, NewNewsletter, NewSource, SourceEdit, TopicsEdit
from partita.apps.newsletter.schema import Issue, Newsletter, Source
from partita.apps.newsletter.service.topics import passages
from partita.kit.lists import find
from partita.table import Put, Update
from tests.apps.house import kit_on
from tests.apps.newsletter.served import ServedLetters, Somebody, serve, served_in
from tests.apps.newsletter.test_sources_web import _multipart

pytestmark = pytest.mark.anyio

LIVESTOCK, FUNDING = "Livestock & Animal Health", "Funding Opportunities"
TODAY = datetime.now(UTC).date()
GOATS = (
    "Vaccination of 480,000 goats and cattle began in Garissa. Herders bring their animals to eleven camps. Each team"
    " of three vaccinates about 900 animals a day. The veterinary service pays the vaccine."
)
CAMELS = (
    "Camels that received acacia pods gave 1.3 litres more milk in the dry season. Herders collect the fodder in"
    " spring. Pasture was scarce in two districts. Livestock markets stayed open all year."
)
COFFEE = (
    "Coffee exporters mapped 1.7 million plots. Buyers paid eleven cents more per pound. Maps cost two dollars each."
)
GRANTS = (
    "The fund offers grants of 60,000 dollars for dryland farming. Cooperatives are eligible. Applications close in"
    " spring. Proposals need a budget and a deadline."
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as served:
        yield served


async def source(served: ServedLetters, owner: Somebody, title: str, text: str, **facts: Any) -> Source:
    values = {"published": TODAY - timedelta(days=3), **facts}
    added = await served.service.sources.add(owner.viewer, NewSource(title=title, text=text, **values))
    await served.catch_up()
    read = await find(served.kit.store, schema.source, added.source_id)
    assert read is not None
    assert read.status == "ready", read.error
    return read


async def edition(served: ServedLetters, owner: Somebody, *topics: str, **fields: Any) -> str:
    made = await served.service.newsletters.create(owner.viewer, NewNewsletter(title="Digest", **fields))
    code = made.newsletter_code
    await served.service.topics.edit(owner.viewer, code, TopicsEdit(selected_types=topics))
    return code


async def found(served: ServedLetters, owner: Somebody, code: str) -> list[dict[str, Any]]:
    await served.run(owner, code, "retrieval")
    topics = await find(served.kit.store, schema.topics, code)
    assert topics is not None
    assert topics.retrieval_status == "completed", topics.retrieval_error
    return list(passages(topics))


async def test_content_is_found_for_each_topic_and_stored_as_the_document_says(served: ServedLetters) -> None:
    ada = await served.person("editor")
    goats = await source(served, ada, "Vaccination of goats", GOATS)
    await source(served, ada, "Coffee maps", COFFEE)
    await source(served, ada, "Small grants", GRANTS)
    code = await edition(served, ada, LIVESTOCK, FUNDING, frequency="monthly")
    entries = await found(served, ada, code)
    assert [(each["topic"], each["metadata"]["title"]) for each in entries] == [
        (LIVESTOCK, "Vaccination of goats"),
        (FUNDING, "Small grants"),
    ]
    entry = entries[0]
    assert set(entry) == {"id", "topic", "source", "score", "content", "metadata"}
    assert entry["content"] == GOATS
    assert entry["id"].startswith("chunk-")
    assert 0 < entry["score"] <= 1
    assert entry["metadata"]["source_id"] == goats.source_id
    assert entry["metadata"]["date"] == (TODAY - timedelta(days=3)).isoformat()
    topics = await find(served.kit.store, schema.topics, code)
    assert topics is not None
    assert topics.total_chunks_retrieved == 2
    assert topics.thin == (LIVESTOCK, FUNDING)


async def test_the_index_follows_titles_switches_and_deletions(served: ServedLetters) -> None:
    ada = await served.person("editor")
    goats = await source(served, ada, "Vaccination of goats", GOATS)
    code = await edition(served, ada, LIVESTOCK)
    assert len(await found(served, ada, code)) == 1
    edit = SourceEdit(enabled=False, revision=goats.revision)
    goats = await served.service.sources.edit(ada.viewer, goats.source_id, edit)
    await served.catch_up()
    assert await found(served, ada, code) == []
    edit = SourceEdit(enabled=True, title="Goats of Garissa", revision=goats.revision)
    await served.service.sources.edit(ada.viewer, goats.source_id, edit)
    await served.catch_up()
    assert [each["metadata"]["title"] for each in await found(served, ada, code)] == ["Goats of Garissa"]
    ranked = await served.kit.search.rank(served.service.passages.catalog, ("garissa",))
    assert len(ranked.ids) == 1


async def test_an_index_that_is_lost_is_built_from_the_sources(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    before = await served.kit.search.rank(served.service.passages.catalog, ("goats", "cattle"))
    handler = served.service.passages.handler()
    assert handler.kept is not None
    await handler.kept.build()
    after = await served.kit.search.rank(served.service.passages.catalog, ("goats", "cattle"))
    assert before.ids == after.ids != ()


async def test_a_private_source_is_found_for_its_newsletter_alone(served: ServedLetters) -> None:
    ada = await served.person("editor")
    mine, other = await edition(served, ada, LIVESTOCK), await edition(served, ada, LIVESTOCK)
    await source(served, ada, "Our own herd", CAMELS, shelf=mine)
    assert [each["metadata"]["title"] for each in await found(served, ada, mine)] == ["Our own herd"]
    assert await found(served, ada, other) == []


async def test_pinned_passages_stay_and_dropped_ones_go(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    await source(served, ada, "Camels and pods", CAMELS)
    code = await edition(served, ada, LIVESTOCK)
    first, second = await found(served, ada, code)
    await served.service.topics.mark(ada.viewer, code, second["id"], "pinned")
    await served.service.topics.mark(ada.viewer, code, first["id"], "dropped")
    assert [each["id"] for each in await found(served, ada, code)] == [second["id"]]
    # A pinned passage need not be found by words.
    words = TopicsEdit(search_words={LIVESTOCK: "zebra unicorn"})
    await served.service.topics.edit(ada.viewer, code, words)
    assert [each["id"] for each in await found(served, ada, code)] == [second["id"]]


async def test_the_persons_own_words_are_searched(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    await source(served, ada, "Coffee maps", COFFEE)
    code = await edition(served, ada, LIVESTOCK)
    await served.service.topics.edit(ada.viewer, code, TopicsEdit(search_words={LIVESTOCK: "coffee plots maps"}))
    assert [each["metadata"]["title"] for each in await found(served, ada, code)] == ["Coffee maps"]


async def test_what_an_earlier_issue_cited_ranks_lower_and_says_so(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    code = await edition(served, ada, LIVESTOCK)
    (entry,) = await found(served, ada, code)
    newsletter = await find(served.kit.store, schema.newsletter, code)
    assert newsletter is not None
    series = newsletter.model_copy(update={"series_id": "series-1", "issue_number": 12})
    await served.kit.store.write(Put(series))
    earlier = Issue(
        series_id="series-1",
        created_at="2026-01-02T00:00:00.000000Z",
        newsletter_code="NL-20260102-AAAA",
        issue_number=11,
        chunk_ids=(entry["id"],),
    )
    await served.kit.store.write(Put(earlier))
    (again,) = await found(served, ada, code)
    assert again["metadata"]["used_in"] == "No. 11"
    assert again["metadata"]["parts"]["earlier"] == 0.5
    assert again["score"] < entry["score"]


async def test_what_only_a_later_issue_cited_was_not_used_before(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    code = await edition(served, ada, LIVESTOCK)
    (entry,) = await found(served, ada, code)
    for number in range(2, 16):  # more than the issues that are looked at
        later = await served.service.newsletters.next_issue(ada.viewer, code)
        issue = Issue.key(Issue.series_id(later.series_id or ""), Issue.created_at(later.created_at))
        assert later.issue_number == number
        await served.kit.store.write(Update(issue, Issue.chunk_ids.set((entry["id"],))))
    (again,) = await found(served, ada, code)
    assert not again["metadata"].get("used_in")
    assert again["score"] == entry["score"]
    first = await find(served.kit.store, schema.newsletter, code)
    assert first is not None
    assert await served.service.newsletters.earlier(first) == {}
    assert await served.service.newsletters.earlier(later) == {entry["id"]: 14}


async def test_an_earlier_issue_is_called_by_its_own_label(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    code = await edition(served, ada, LIVESTOCK)
    (entry,) = await found(served, ada, code)
    first = await find(served.kit.store, schema.newsletter, code)
    assert first is not None
    await served.kit.store.write(Update(first.own_key, Newsletter.issue_label.set("Issue 9")))
    second = await served.service.newsletters.next_issue(ada.viewer, code)
    cited = Issue.key(Issue.series_id(second.series_id or ""), Issue.created_at(first.created_at))
    await served.kit.store.write(Update(cited, Issue.chunk_ids.set((entry["id"],))))
    (again,) = await found(served, ada, second.newsletter_code)
    assert (second.issue_label, again["metadata"]["used_in"]) == ("Issue 10", "Issue 9")


# -- pages and API


async def test_the_plan_page_leads_from_topics_to_passages(served: ServedLetters) -> None:
    ada = await served.person("editor")
    made = await served.service.newsletters.create(ada.viewer, NewNewsletter(title="Digest"))
    here = f"/newsletter/editions/{made.newsletter_code}/plan"
    page = await ada.get(here)
    assert page.status == 200
    assert "No sources yet" in page.text
    await source(served, ada, "Vaccination of goats", GOATS)
    page = await ada.get(here)
    assert "No content yet" in page.text
    assert page.text.count("Recommended") == 5
    answer = await ada.post(here, {"selected_types": LIVESTOCK, "then": "find"})
    assert answer.status == 303, answer.text
    await served.catch_up()
    page = await ada.get(here)
    assert "<mark>Vaccination</mark>" in page.text
    assert "Create outline" in page.text
    assert "Only one passage was found." in page.text
    (entry,) = passages(await served.service.topics.of(made))
    answer = await ada.post(f"{here}/passages/{entry['id']}", {"mark": "pinned"})
    assert answer.status == 303
    page = await ada.get(here)
    assert "Pinned" in page.text
    assert "changed since" in page.text


async def test_a_topic_whose_passage_fits_another_one_better_says_so(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", f"{GOATS} {GRANTS}")
    code = await edition(served, ada, LIVESTOCK, FUNDING)
    (entry,) = await found(served, ada, code)
    lost = ({LIVESTOCK, FUNDING} - {entry["topic"]}).pop()
    page = unescape((await ada.get(f"/newsletter/editions/{code}/plan")).text)
    assert f"What fits this topic is used under {entry['topic']}, which it fits better." in page
    assert f"No source speaks of {lost}." not in page
    assert "changed since" not in page


async def test_no_topic_is_refused_beside_the_topics(served: ServedLetters) -> None:
    ada = await served.person("editor")
    code = await edition(served, ada, LIVESTOCK)
    answer = await ada.post(f"/newsletter/editions/{code}/plan", {"then": "find"})
    assert answer.status == 422
    assert 'class="notice bad"' in answer.text


async def test_search_words_are_changed_and_a_topic_is_left_out_on_the_page(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    code = await edition(served, ada, LIVESTOCK, FUNDING)
    await found(served, ada, code)
    here = f"/newsletter/editions/{code}/plan"
    page = await ada.get(here)
    assert f"No source speaks of {FUNDING.replace('&', '&amp;')}." in page.text
    answer = await ada.post(f"{here}/words", {"topic": FUNDING, "words": "goats money", "then": "save"})
    assert answer.status == 303
    assert (await ada.post(f"{here}/leave-out", {"topic": LIVESTOCK})).status == 303
    _, topics = await served.service.topics.get(ada.viewer, code)
    assert topics.selected_types == (FUNDING,)
    assert topics.search_words == {FUNDING: "goats money"}


async def test_a_thin_topic_looks_further_back_and_at_recent_content_again(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    long_ago = TODAY - timedelta(days=400)
    for number, text in enumerate(
        (GOATS, CAMELS, GOATS.replace("goats", "sheep").replace("Garissa", "Wajir") + " Wool.")
    ):
        await source(served, ada, f"Report {number}", text * 3, published=long_ago)
    code = await edition(served, ada, LIVESTOCK, frequency="weekly")
    few = await found(served, ada, code)
    plan = f"/newsletter/editions/{code}/plan"
    assert "Look further back" in (await ada.get(plan)).shown
    assert (await ada.post(f"{plan}/further", {"topic": LIVESTOCK})).status == 303
    await served.jobs.drain()
    page = await ada.get(plan)
    assert "Content of any age is included." in page.shown
    assert (await ada.api("GET", f"/newsletters/{code}/topics")).json["any_age"] == [LIVESTOCK]
    topics = await find(served.kit.store, schema.topics, code)
    assert topics is not None
    assert len(passages(topics)) > len(few)
    assert "is out of date" not in page.shown
    await ada.post(f"{plan}/further", {"topic": LIVESTOCK, "back": "recent"})
    await served.jobs.drain()
    assert "Look further back" in (await ada.get(plan)).shown


async def test_a_missing_source_is_added_in_place(served: ServedLetters) -> None:
    ada = await served.person("author", "Ada")
    code = await edition(served, ada, LIVESTOCK)
    plan = f"/newsletter/editions/{code}/plan"
    page = await ada.get(plan)
    action = f"/newsletter/sources?shelf={code}&amp;back_to=plan"
    assert f'action="{action}"' in page.text
    body, kind = _multipart({"title": "Goats", "text": GOATS * 3})
    answer = await ada.ask("POST", unescape(action), body, {"content-type": kind, "sec-fetch-site": "same-origin"})
    assert answer.location == f"{plan}#own-sources"
    waiting = await ada.get(plan)
    assert "“Goats” is being processed. Find content again when it is ready." in waiting.shown
    assert 'hx-select="#own-sources"' in waiting.text
    await served.catch_up()
    ready = await ada.get(plan)
    assert 'hx-select="#own-sources"' not in ready.text
    assert "Goats" in ready.shown
    assert await found(served, ada, code)
    body, kind = _multipart({"title": "Goats", "text": GOATS * 3})
    again = await ada.ask("POST", unescape(action), body, {"content-type": kind, "sec-fetch-site": "same-origin"})
    assert again.status == 409
    assert "480,000 goats" in again.text, "what was typed is kept"


async def test_a_strangers_plan_is_not_there(served: ServedLetters) -> None:
    ada, ben = await served.person("author"), await served.person("author")
    code = await edition(served, ada, LIVESTOCK)
    assert (await ben.get(f"/newsletter/editions/{code}/plan")).status == 404


async def test_a_search_shows_scores_part_by_part(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    await source(served, ada, "Coffee maps", COFFEE)
    assert "See why passages are found" in (await ada.get("/newsletter/search")).text
    page = await ada.get("/newsletter/search?q=goats+vaccinated+in+Garissa")
    assert "Vaccination of goats" in page.text
    assert "<dt>Words</dt>" in page.text
    nothing = await ada.get("/newsletter/search?q=barber+opera+composer")
    assert "Nothing found" in nothing.text
    assert "No passage contains any of these words" in nothing.shown
    near = await ada.get("/newsletter/search?q=barber+opera+composer+goats+singer+piano+violin")
    assert "No passage reaches 0.26 in Words" in near.shown
    assert ">Closest " in near.text
    topic = await ada.get("/newsletter/search?type=livestock")
    assert topic.status == 200
    assert "Vaccination of goats" in topic.text


async def test_a_search_that_finds_only_what_is_left_out_says_why(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    page = await ada.get("/newsletter/search?type=livestock&language=am&q=goats+vaccinated+in+Garissa")
    assert "Passages match, and all are left out for the reason that each one says." in page.shown
    assert "Left out: in another language." in page.shown
    assert "No passage reaches" not in page.shown
    assert "1 passage in shared sources." in page.shown


async def test_the_api_searches_passages(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    answer = await ada.get("/api/newsletter/sources/search?q=goats+in+Garissa")
    assert answer.status == 200
    (hit,) = answer.json["items"]
    assert hit["title"] == "Vaccination of goats"
    assert set(hit["parts"]) == {"words", "meaning", "age", "region", "audience", "earlier"}
    assert (await ada.get("/api/newsletter/sources/search")).status == 422
    assert (await ada.get("/api/newsletter/sources/search?type=cooking")).status == 422
    nobody = await served.person("", "Nora")
    assert (await nobody.get("/api/newsletter/sources/search?q=goats")).status == 403


async def test_draft_it_all_goes_from_sources_to_a_draft(served: ServedLetters) -> None:
    ada = await served.person("editor")
    for title, text in (("Goats", GOATS), ("Camels", CAMELS), ("Grants", GRANTS), ("Coffee", COFFEE)):
        await source(served, ada, title, text)
    code = await edition(served, ada, LIVESTOCK, FUNDING, length_preference="short")
    await served.service.making.all(ada.viewer, code)
    for _ in range(4):
        await served.catch_up()
    draft = await find(served.kit.store, schema.draft, code)
    assert draft is not None
    assert draft.draft_status == "completed", draft.draft_error
    assert "Vaccination of 480,000 goats" in draft.generated_content
    assert draft.quality["faithful"]["value"] == 1


NOTICE = (
    "Our office in Meru moves to the second floor of the library on Monday. Visitors find the reception beside the"
    " lift. The telephone numbers stay the same."
)


async def test_a_source_on_the_newsletters_own_shelf_is_used_even_if_no_topic_asks_for_its_words(
    served: ServedLetters,
) -> None:
    ada = await served.person("editor")
    for number in range(3):
        await source(served, ada, f"Vaccination of goats {number}", f"{GOATS} Camp {number} {'hosts ' * number * 4}it.")
    code = await edition(served, ada, LIVESTOCK, FUNDING, length_preference="short", frequency="weekly")
    await found(served, ada, code)
    old = TODAY - timedelta(days=400)
    await source(served, ada, "We move", NOTICE, shelf=code, published=old)
    again = [each["metadata"]["title"] for each in await found(served, ada, code)]
    assert again.count("We move") == 1
    assert len(again) > 1
    other = await edition(served, ada, LIVESTOCK)
    assert "We move" not in [each["metadata"]["title"] for each in await found(served, ada, other)]


async def test_an_own_story_is_told_from_sources_that_answer_its_title_and_note(served: ServedLetters) -> None:
    ada = await served.person("editor")
    await source(served, ada, "Vaccination of goats", GOATS)
    await source(served, ada, "Coffee maps", COFFEE)
    await source(served, ada, "We move", NOTICE)
    code = await edition(served, ada, LIVESTOCK)
    await served.run(ada, code, "retrieval")
    await served.run(ada, code, "outline")
    outline = await find(served.kit.store, schema.outline, code)
    assert outline is not None
    section = next(each for each in outline.sections if each.get("topic") == LIVESTOCK)
    for title, note in (("Visit us", "the reception of our office in Meru"), ("Zebras", "unicorns")):
        item = NewItem(section=section["id"], title=title, description="Come and see us.", note=note)
        await served.service.outline.add_item(ada.viewer, code, item)
    page = (await ada.get(f"/newsletter/editions/{code}/outline")).text
    speechless = page[page.index("No source speaks of") : page.index("Add a source, or describe")]
    assert "Zebras" in speechless
    assert "Visit us" not in speechless
    await served.run(ada, code, "draft")
    draft = await find(served.kit.store, schema.draft, code)
    assert draft is not None
    text = draft.sections[section["key"]]
    visit = text[text.index("### Visit us") : text.index("### Zebras")]
    number = int(visit[visit.rindex("[") + 1 : visit.rindex("]")])
    assert "Visitors find the reception beside the lift." in visit
    assert next(each["title"] for each in draft.citations if int(each["n"]) == number) == "We move"
    # What no source tells is the person's own words.
    assert text.endswith("### Zebras\n\nCome and see us.")


class Pairs:
    """A model that has learnt one thing: that money for herds is a grant for dryland farming."""

    name = "pairs"

    def understands(self, text: str) -> bool:
        return True

    def vector(self, texts: Sequence[str]) -> bytes:
        alike = any(word in " ".join(texts) for word in ("cash for shepherds", "dryland farming"))
        return (b"\x7f\x00" if alike else b"\x00\x7f") + bytes(62)

    def vectors(self, texts: Sequence[Sequence[str]]) -> list[bytes]:
        return [self.vector(each) for each in texts]

    def words(self, text: str) -> bytes:
        return b""


async def test_what_is_asked_in_other_words_is_found_on_the_page_in_the_top_bar_and_for_a_story(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    with kit_on(tmp_path, schema.MAIN, meaning=Pairs()) as kit:
        served = serve(kit)
        ada = await served.person("editor")
        await source(served, ada, "A call for proposals", GRANTS)
        await source(served, ada, "Coffee maps", COFFEE)
        making = kit.search.understand(served.service.passages.catalog)
        assert making is not None
        making.result(30)
        tried = await served.service.retrieval.try_search(ada.viewer, "cash for shepherds")
        assert [(each.passage.title, each.parts.words) for each in tried.hits] == [("A call for proposals", 0.0)]
        assert tried.hits[0].parts.meaning == pytest.approx(1.0)
        assert "<dt>Meaning</dt>" in (await ada.get("/newsletter/search?q=cash+for+shepherds")).text
        bar = await served.service.source_search.sources(ada.viewer, "cash for shepherds", 5)
        assert [each.title for each in bar] == ["A call for proposals"]
        other = await served.service.retrieval.try_search(ada.viewer, "zebras")
        assert other.hits[0].passage.title == "Coffee maps", "as the model says, however odd"


async def test_the_refusal_of_an_unknown_topic_and_the_docs_name_all_topics(served: ServedLetters) -> None:
    ada = await served.person()
    made = await served.service.newsletters.create(ada.viewer, NewNewsletter(title="Rains"))
    path = f"/newsletters/{made.newsletter_code}/topics"
    sent = await ada.api("PUT", path, {"selected_types": ["News of the day"]})
    asked = await ada.api("GET", "/sources/search?type=news")
    documented = (Path(__file__).parents[3] / "docs/newsletter.md").read_text()
    for key, label in TOPICS.items():
        assert f"*{label}* (`{key}`)" in documented
        for answer in (sent, asked):
            assert answer.status == 422
            assert label in answer.json["errors"][0]["message"]
