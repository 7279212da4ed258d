"""An outline tells stories: clusters of passages with headlines, gists and budgets."""

from __future__ import annotations

import pytest

from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.writing.outline import fits, main_clause, make_outline
from partita.apps.newsletter.service.writing.retrieval import Match, Parts
from partita.apps.newsletter.service.writing.terms import alike, terms
from partita.apps.newsletter.service.writing.values import Edition, Passage, Section, Story
from tests.apps.newsletter.writing.editions import EDITIONS, of
from tests.apps.newsletter.writing.questions import TODAY


def stories(outline: tuple[Section, ...]) -> list[Story]:
    return [story for each in outline if each.topic for story in each.stories]


@pytest.mark.parametrize("name", EDITIONS)
def test_an_outline_has_opening_topics_and_closing(name: str) -> None:
    made = of(name)
    assert made.outline[0].key == "introduction"
    assert made.outline[-1].key == "conclusion"
    assert len({each.key for each in made.outline}) == len(made.outline)
    fewest = {"short": 3, "mixed": 6, "long": 12}[made.edition.length]
    assert len(stories(made.outline)) >= fewest
    told = {each.topic for each in made.retrieval.matches}
    assert {each.topic for each in made.outline if each.topic} <= told


@pytest.mark.parametrize("name", EDITIONS)
def test_headlines_have_a_headlines_length_and_no_two_are_alike(name: str) -> None:
    titles = [each.title for each in stories(of(name).outline)]
    assert all(map(fits, titles)), [each for each in titles if not fits(each)]
    known = [frozenset(terms(each)) for each in titles]
    assert all(alike(one, other) < 0.6 for at, one in enumerate(known) for other in known[:at])


@pytest.mark.parametrize("name", EDITIONS)
def test_stories_have_a_gist_references_and_words(name: str) -> None:
    made = of(name)
    known = made.library.passages
    for each in stories(made.outline):
        assert any(each.gist.rstrip(".") in known[id].text or each.gist for id in each.references)
        assert each.references
        assert each.words >= 30
    referred = [id for each in stories(made.outline) for id in each.references]
    assert len(referred) == len(set(referred))


def test_budgets_add_up_to_the_length() -> None:
    for name in ("friendly and short", "mixed", "formal and long"):
        made = of(name)
        headings = sum(word_count(each.title) for each in stories(made.outline))
        total = sum(story.words for each in made.outline for story in each.stories) + headings
        assert abs(total - made.edition.words) <= made.edition.words * 0.1


def test_days_ahead_become_a_section_if_there_are_two() -> None:
    assert "coming_up" in {each.key for each in of("mixed").outline}
    assert make_outline(Edition("Empty", TODAY), ())[0].stories[0].shape == "opening"


GOATS = "Goats ate the leaves of tall trees in the valley. Herders kept half of their animals alive that way."
CAMELS = "Camels drink little water in the hot months. Most herds came back to the wells in autumn."


def match(name: str, heading: str, text: str, title: str = "About goats and their herders") -> Match:
    return Match(Passage(name, f"source {name}", text, title, heading), "Livestock & Animal Health", Parts(0.5), ())


@pytest.mark.parametrize(
    ("heading", "text", "headline"),
    [
        ("Goats survive drought better than cattle", GOATS, "Goats survive drought better than cattle"),
        ("Summary", GOATS, "About goats and their herders"),
        ("Results", GOATS, "About goats and their herders"),
        ("Next steps", GOATS, "About goats and their herders"),
        ("Limits of the study", GOATS, "About goats and their herders"),
    ],
)
def test_a_heading_makes_the_headline_unless_it_is_generic(heading: str, text: str, headline: str) -> None:
    outline = make_outline(Edition("Digest", TODAY), (match("a", heading, text),))
    assert stories(outline)[0].title == headline


@pytest.mark.parametrize(
    ("sentence", "clause"),
    [
        ("Goats eat the leaves of trees.", "Goats eat the leaves of trees"),
        (
            "Herders sold fewer goats in the district last year, because prices fell by half within six weeks.",
            "Herders sold fewer goats in the district last year",
        ),
        ("Herders in the seven districts sold goats, although the traders did not pay more than before.", None),
        ("The herd of each household in the northern districts of the region had about 12, 14 or 16 animals.", None),
        (
            "The coastal bank paid 70 per cent of it, the municipality 20 per cent, and the fishers 10 per cent.",
            None,
        ),
        (
            "Herders in the seven districts sold goats in June, and prices fell by half within the six weeks after.",
            "Herders in the seven districts sold goats in June",
        ),
        (
            "Before the quay was built, one landing in five was lost to the waves, as all fishers of the bay say.",
            None,
        ),
        (
            "In March 2026 and in April, one landing in five was lost to the waves, as all fishers of the bay say.",
            None,
        ),
    ],
    ids=[
        "short",
        "cut at a clause",
        "keeps a not",
        "parts no number from its unit",
        "keeps a list",
        "parts two clauses",
        "leads in",
        "says when",
    ],
)
def test_a_main_clause_says_what_its_sentence_says(sentence: str, clause: str | None) -> None:
    assert main_clause(sentence) == clause


def test_pinned_passages_make_stories_first() -> None:
    strong = match("strong", "Goats survive drought better than cattle", GOATS)
    weak = Match(
        Passage("weak", "source weak", CAMELS, "Camels", "Camels drink little water in summer"),
        "Livestock & Animal Health",
        Parts(0.1),
        (),
        pinned=True,
    )
    outline = make_outline(Edition("Digest", TODAY, length="short"), (strong, weak))
    assert stories(outline)[0].references == ("weak",)


@pytest.mark.parametrize(
    ("title", "heading", "headline"),
    [
        ("Desert locust bulletin, reprinted", "", "Two desert locust swarms crossed into Mandera County"),
        ("Pest Watch circular no. 12", "", "Two desert locust swarms crossed into Mandera County"),
        ("Minutes of the pest forum", "Summary", "Two desert locust swarms crossed into Mandera County"),
        ("Desert locust bulletin, reprinted", "Swarms cross into Mandera", "Swarms cross into Mandera"),
        ("Bulletin boards bring herders together", "", "Bulletin boards bring herders together"),
    ],
)
def test_a_headline_says_what_happened_and_not_what_kind_of_document_it_stands_in(
    title: str, heading: str, headline: str
) -> None:
    text = (
        "Two desert locust swarms crossed into Mandera County on 13 November 2026, the first for three years."
        " Survey teams measured the larger swarm near the town at fourteen square kilometres."
    )
    outline = make_outline(Edition("D", TODAY), [match("a", heading, text, title)])
    assert [each.title for each in stories(outline)] == [headline]


@pytest.mark.parametrize(
    "planned",
    ["A first report is due on 18 June.", "The last herds will be counted in June.", "It is planned to go on."],
)
def test_a_headline_tells_what_happened_before_what_is_planned(planned: str) -> None:
    happened = "All 23 herds of the valley were brought to wells."
    long = "Herders who had lost the way in the storm walked for nine days over the hills with all of their goats."
    outline = make_outline(Edition("Digest", TODAY), (match("a", "Summary", f"{long} {planned} {happened}", "Fire"),))
    assert stories(outline)[0].title == happened.rstrip(".")


def test_a_headline_without_a_heading_is_what_the_source_tells_first() -> None:
    first = "Every herd of the valley was brought to a well."
    later = "Losses in the storm rose to 40 goats, 9 more than in 2025."
    long = "Herders who had lost the way in the storm walked for nine days over the hills with all of their goats."
    outline = make_outline(Edition("Digest", TODAY), (match("a", "Summary", f"{long} {first} {later}", "Storm"),))
    assert stories(outline)[0].title == first.rstrip(".")
