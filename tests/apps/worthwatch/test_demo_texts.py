"""The demo reads like a place where people talk about films, and everything in it refers to something that is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from itertools import combinations
from statistics import mean, pstdev

import pytest

from partita.apps.worthwatch.demo.tastes import DemoRating, demo_ratings
from partita.apps.worthwatch.demo.texts import Person, Title, TitleList, demo_texts
from partita.apps.worthwatch.service.posters import Poster, poster_svg
from partita.apps.worthwatch.service.posters.inks import GENRE_HUES
from tests.apps.demo_data import demo_entries, demo_text, reaches_nobody, readable

TEXTS = demo_texts()
TITLES = {title.id: title for title in TEXTS.titles}
PEOPLE = {person.username: person for person in TEXTS.people}
LISTS = {each.id: each for each in TEXTS.lists}
COMMENTS = {comment.id: comment for comment in TEXTS.comments}
SHELVES = {each.by: each for each in TEXTS.shelves}
NAMES = ("titles", "people", "lists", "reviews", "comments", "applications", "reports", "imports", "shelves")


@cache
def ratings() -> tuple[DemoRating, ...]:
    return demo_ratings(TEXTS.titles, TEXTS.people, TEXTS.reviews)


def with_role(*roles: str) -> list[Person]:
    return [person for person in TEXTS.people if person.role in roles]


def is_live(each: TitleList) -> bool:
    return each.public and PEOPLE[each.by].role == "curator"


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_written_to_be_read(name: str) -> None:
    assert demo_text("worthwatch", f"{name}.json") == readable(demo_entries("worthwatch", f"{name}.json"))


# Titles


def test_titles_are_many_and_a_quarter_are_series() -> None:
    assert len(TITLES) == len(TEXTS.titles) >= 160
    assert 0.23 < sum(title.type == "SHOW" for title in TEXTS.titles) / len(TITLES) < 0.27


def test_titles_come_from_every_decade_and_many_countries() -> None:
    decades = {title.year // 10 for title in TEXTS.titles if title.year}
    assert decades >= set(range(192, 203))
    countries = Counter(title.country for title in TEXTS.titles)
    assert len(countries) >= 24
    assert countries.most_common(1)[0][1] < len(TITLES) / 2


def test_titles_try_the_pages() -> None:
    assert sum(len(title.title) > 45 for title in TEXTS.titles) >= 3, "long ones"
    spelled = [name for title in TEXTS.titles for name in title.other_titles]
    assert sum(not re.search("[A-Za-z]", name) for name in spelled) >= 30, "in other scripts"
    for fact in ("year", "runtime", "cast", "genres", "synopsis"):
        assert any(not getattr(title, fact) for title in TEXTS.titles if title.type == "MOVIE"), f"without {fact}"
    for fact in ("seasons", "episodes", "status", "cast", "creators"):
        assert any(not getattr(title, fact) for title in TEXTS.titles if title.type == "SHOW"), f"without {fact}"


@pytest.mark.parametrize("title", TEXTS.titles, ids=lambda title: title.id)
def test_a_title_keeps_the_rules_of_the_catalog(title: Title) -> None:
    assert re.fullmatch("[a-z0-9]+", title.id)
    assert set(title.genres) <= set(GENRE_HUES)
    assert len(set(title.genres)) == len(title.genres) <= 3
    assert len(title.cast) <= 4
    if title.type == "MOVIE":
        assert title.directors
        assert (title.creators, title.seasons, title.episodes, title.status, title.end_year) == (
            (),
            None,
            None,
            None,
            None,
        )
    else:
        assert (title.directors, title.runtime) == ((), None)
        assert title.end_year is None or title.year is None or title.end_year >= title.year
        assert not (title.status == "ongoing" and title.end_year)
        assert title.episodes is None or title.seasons is None or title.episodes >= title.seasons
    if title.synopsis:
        assert 1 <= len(re.findall(r"[.!?](?= |$)", title.synopsis)) <= 3
        assert 40 <= len(title.synopsis) <= 400
    assert len(poster_svg(_poster(title.id)).encode()) <= 3 * 1024


def _poster(key: str) -> Poster:
    title = TITLES[key]
    return Poster(title.type, title.id, title.title, title.year, title.genres, title.directors, title.seasons)


def test_external_ids_are_those_of_one_title() -> None:
    known = [title.imdb_id for title in TEXTS.titles if title.imdb_id]
    assert len(known) == len(set(known)) >= 30


def test_some_titles_wait_to_be_checked_and_two_are_one() -> None:
    unchecked = [title for title in TEXTS.titles if title.unchecked]
    assert len(unchecked) >= 3
    assert {PEOPLE[title.added_by or ""].role for title in unchecked} == {"curator"}
    (twin,) = (title for title in unchecked if title.maybe_same)
    same = TITLES[twin.maybe_same or ""]
    assert twin.title in same.other_titles
    assert (twin.type, twin.year) == (same.type, same.year)
    names = Counter((title.title, title.year, title.type) for title in TEXTS.titles)
    assert names.most_common(1)[0][1] == 1


# People


def test_people_have_names_of_their_own_and_addresses_that_reach_nobody() -> None:
    assert len(PEOPLE) == len(TEXTS.people) == len({person.email.casefold() for person in TEXTS.people})
    assert len({person.name for person in TEXTS.people}) == len(PEOPLE)
    assert all(reaches_nobody(person.email) for person in TEXTS.people)
    taken = {person["username"] for person in demo_entries("fus", "people.json")}
    assert not taken & set(PEOPLE), "another system's demo has these accounts"


def test_there_are_eight_curators_a_suspended_one_members_staff_and_somebody_with_nothing() -> None:
    roles = Counter(person.role for person in TEXTS.people)
    assert roles["curator"] == 8
    assert roles["suspended"] == roles["nothing"] == roles["admin"] == roles["moderator"] == roles["librarian"] == 1
    assert roles["applicant"] == 3
    assert len(with_role("member", "applicant", "nothing")) >= 32
    for curator in with_role("curator"):
        assert curator.bio
        assert len(curator.favourites) == 4


def test_favourites_are_titles_and_tastes_are_genres() -> None:
    for person in TEXTS.people:
        assert set(person.favourites) <= set(TITLES)
        assert set(person.taste) <= set(GENRE_HUES)


def test_three_people_apply_with_a_private_list_of_theirs() -> None:
    assert {each.by for each in TEXTS.applications} == {person.username for person in with_role("applicant")}
    for each in TEXTS.applications:
        sample = LISTS[each.sample]
        assert sample.by == each.by
        assert not sample.public
        assert all(reaches_nobody(f"x@{link.split('/')[2]}") for link in each.links)


# Lists


def test_lists_are_many_ranked_and_not_and_one_is_long() -> None:
    assert len(LISTS) == len(TEXTS.lists) >= 25
    assert sum(is_live(each) for each in TEXTS.lists) >= 20
    sizes = sorted(len(each.items) for each in TEXTS.lists)
    assert sizes[-1] == 150
    assert all(8 <= size <= 60 for size in sizes[:-1])
    ranked = sum(each.ranked for each in TEXTS.lists)
    assert 5 <= ranked <= len(LISTS) - 5
    by = Counter(each.by for each in TEXTS.lists if is_live(each))
    assert set(by) == {person.username for person in with_role("curator")}
    assert min(by.values()) >= 3


def test_a_third_of_the_lists_have_a_note_on_every_title() -> None:
    full = [each for each in TEXTS.lists if is_live(each) and all(item.note for item in each.items)]
    assert len(full) >= len(LISTS) / 3
    assert {each.by for each in full} == {person.username for person in with_role("curator")}


@pytest.mark.parametrize("each", TEXTS.lists, ids=lambda each: each.id)
def test_a_list_refers_to_titles_once_each_and_after_they_were_added(each: TitleList) -> None:
    keys = [item.title for item in each.items]
    assert len(set(keys)) == len(keys)
    assert set(keys) <= set(TITLES)
    assert each.days_ago <= PEOPLE[each.by].days_ago
    assert all(item.days_ago <= min(each.days_ago, TITLES[item.title].days_ago) for item in each.items)
    assert list(each.tags) == [tag.strip().lower() for tag in each.tags]
    assert 1 <= len(set(each.tags)) == len(each.tags) <= 10


def test_tags_are_shared_so_that_each_of_the_frequent_ones_finds_several_lists() -> None:
    tags = Counter(tag for each in TEXTS.lists if is_live(each) for tag in each.tags)
    assert sum(count >= 3 for count in tags.values()) >= 6


def test_a_list_keeps_what_its_name_promises() -> None:
    short = LISTS["under-ninety"]
    assert all((TITLES[item.title].runtime or 999) <= 90 for item in short.items)
    assert all(TITLES[item.title].type == "SHOW" for item in LISTS["box-sets-end"].items)
    assert all("Animation" in TITLES[item.title].genres for item in LISTS["drawn"].items)


def test_some_notes_are_covered() -> None:
    assert sum(item.note_spoils for each in TEXTS.lists for item in each.items) >= 3


# What people say


def test_reviews_are_many_and_a_tenth_have_spoilers() -> None:
    assert len(TEXTS.reviews) == len({(review.title, review.by) for review in TEXTS.reviews}) >= 120
    share = sum(review.has_spoilers for review in TEXTS.reviews) / len(TEXTS.reviews)
    assert 0.1 <= share < 0.2
    for review in TEXTS.reviews:
        assert review.days_ago <= min(TITLES[review.title].days_ago, PEOPLE[review.by].days_ago)
    assert {review.rating for review in TEXTS.reviews} >= {3, 4, 5, 6, 7, 8, 9, 10}
    written = {review.by for review in TEXTS.reviews}
    assert written >= {person.username for person in with_role("curator", "member", "applicant")}


def test_comments_are_many_and_replies_follow_what_they_answer() -> None:
    assert len(COMMENTS) == len(TEXTS.comments) >= 150
    replies = [comment for comment in TEXTS.comments if comment.reply_to]
    assert len(replies) >= 40
    for comment in TEXTS.comments:
        assert comment.days_ago <= min(LISTS[comment.list].days_ago, PEOPLE[comment.by].days_ago)
        assert LISTS[comment.list].public
    for reply in replies:
        answered = COMMENTS[reply.reply_to or ""]
        assert answered.reply_to is None, "one level of replies"
        assert answered.list == reply.list
        assert answered.days_ago >= reply.days_ago
        assert list(COMMENTS).index(answered.id) < list(COMMENTS).index(reply.id)


def test_nobody_says_the_same_twice_and_no_phrase_is_a_template() -> None:
    sentences = Counter(
        sentence for text in all_texts() for sentence in re.split(r"(?<=[.!?…])\s+", text) if len(sentence) > 12
    )
    assert [sentence for sentence, count in sentences.items() if count > 1] == []
    openings = Counter(" ".join(text.split()[:4]) for text in all_texts())
    assert max(openings.values()) <= 2, openings.most_common(2)


def test_no_two_notes_and_no_two_reviews_are_alike() -> None:
    notes = [item.note for each in TEXTS.lists for item in each.items if item.note]
    assert len(notes) >= 150
    for texts in (notes, [review.body for review in TEXTS.reviews]):
        assert min(map(len, texts)) >= 40
        for one, other in combinations(texts, 2):
            if len(set(one.split()) & set(other.split())) < len(one.split()) / 4:
                continue  # quickly seen
            matcher = SequenceMatcher(None, one, other, autojunk=False)
            alike = matcher.real_quick_ratio() > 0.8 and matcher.quick_ratio() > 0.8 and matcher.ratio() > 0.8
            assert not alike, (one, other)


def all_texts() -> Iterator[str]:
    """Every text that somebody wrote."""
    yield from (title.synopsis for title in TEXTS.titles if title.synopsis)
    yield from (person.bio for person in TEXTS.people if person.bio)
    for each in TEXTS.lists:
        yield from filter(None, (each.description, *(item.note for item in each.items)))
    yield from (review.body for review in TEXTS.reviews)
    yield from (comment.body for comment in TEXTS.comments)
    yield from (each.statement for each in TEXTS.applications)
    yield from (report.reason for report in TEXTS.reports)


def test_texts_are_clean() -> None:
    for text in all_texts():
        assert text == " ".join(text.split())
        assert not re.search(r"[|]|::| ,| \.|\.\.(?!\.)", text), text
        assert text[0] == text[0].upper() or not text[0].isalpha(), text


# What waits, and what people keep


def test_reports_are_about_something_that_is_there() -> None:
    assert len(TEXTS.reports) >= 4
    reviews = {f"{review.title}/{review.by}": review.days_ago for review in TEXTS.reviews}
    ages = {
        "comment": {comment.id: comment.days_ago for comment in TEXTS.comments},
        "list": {each.id: each.days_ago for each in TEXTS.lists},
        "review": reviews,
    }
    assert {report.what for report in TEXTS.reports} == set(ages)
    assert len({(report.what, report.ref, report.by) for report in TEXTS.reports}) == len(TEXTS.reports)
    for report in TEXTS.reports:
        assert report.by in PEOPLE
        assert report.days_ago <= ages[report.what][report.ref]


def test_an_import_is_half_reviewed() -> None:
    (waiting,) = TEXTS.imports
    assert PEOPLE[waiting.by].role == "member"
    assert waiting.file[0] == "Letterboxd list export v7"
    rows = waiting.file[waiting.file.index("Position,Name,Year,URL,Description") + 1 :]
    names = {title.title: title.year for title in TEXTS.titles}
    found = {row.split(",")[1]: int(row.split(",")[2]) for row in rows}
    exact = [name for name, year in found.items() if names.get(name) == year]
    near = [name for name, year in found.items() if name in names and names[name] != year]
    missing = [name for name in found if name not in names]
    assert len(exact) >= 8
    assert len(near) >= 2
    assert len(missing) >= 2
    assert 0 < len(waiting.choices) < len(near) + len(missing) + 1
    for choice in waiting.choices:
        assert 1 <= choice.row <= len(rows)
        assert choice.title is None or choice.title in TITLES


def test_shelves_refer_to_what_is_there_and_nobody_saves_before_it_exists() -> None:
    assert len(SHELVES) == len(TEXTS.shelves) >= 32
    for each in TEXTS.shelves:
        person = PEOPLE[each.by]
        assert len({saved.list for saved in each.saved}) == len(each.saved)
        for saved in each.saved:
            assert is_live(LISTS[saved.list])
            assert saved.visited_days_ago <= saved.days_ago <= min(person.days_ago, LISTS[saved.list].days_ago)
        for follow in each.follows:
            assert PEOPLE[follow.curator].role == "curator"
            assert follow.curator != each.by
            assert follow.days_ago <= person.days_ago
        for queued in each.to_watch:
            (item,) = (item for item in LISTS[queued.from_list].items if item.title == queued.title)
            assert queued.days_ago <= item.days_ago
        for viewing in each.viewings:
            assert viewing.title in TITLES
            assert viewing.days_ago <= person.days_ago


def test_nobody_is_yet_to_watch_what_they_have_seen() -> None:
    seen = {(rating.by, rating.title) for rating in ratings()}
    seen |= {(each.by, viewing.title) for each in TEXTS.shelves for viewing in each.viewings}
    queued = [(each.by, title.title) for each in TEXTS.shelves for title in each.to_watch]
    assert len(set(queued)) == len(queued) >= 100
    assert not seen & set(queued)


def test_somebody_has_seen_a_hundred_titles_and_has_news_on_saved_lists() -> None:
    seen = {rating.title for rating in ratings() if rating.by == "teodora"}
    seen |= {viewing.title for viewing in SHELVES["teodora"].viewings}
    assert len(seen) >= 100
    news = {
        saved.list: sum(item.days_ago < saved.visited_days_ago for item in LISTS[saved.list].items)
        for saved in SHELVES["teodora"].saved
    }
    assert sum(count > 0 for count in news.values()) >= 4
    assert 0 in news.values()
    assert len({viewing.days_ago for viewing in SHELVES["teodora"].viewings}) >= 20


def test_somebody_has_nothing() -> None:
    (nobody,) = with_role("nothing")
    assert nobody.username not in SHELVES
    written = {review.by for review in TEXTS.reviews} | {comment.by for comment in TEXTS.comments}
    assert nobody.username not in written | {rating.by for rating in ratings()} | {each.by for each in TEXTS.lists}


# Ratings


def test_ratings_are_many_and_the_same_every_time() -> None:
    assert len(ratings()) >= 2000
    assert demo_ratings(TEXTS.titles, TEXTS.people, TEXTS.reviews) == ratings()
    assert len({(rating.title, rating.by) for rating in ratings()}) == len(ratings())
    assert {rating.rating for rating in ratings()} == set(range(1, 11))
    for rating in ratings():
        assert 0 <= rating.days_ago <= min(PEOPLE[rating.by].days_ago, TITLES[rating.title].days_ago)


def test_everybody_rates_as_much_as_their_appetite() -> None:
    counts = Counter(rating.by for rating in ratings())
    for person in TEXTS.people:
        assert counts[person.username] == person.appetite


def test_nobody_else_changes_what_one_person_gives() -> None:
    alone = demo_ratings(TEXTS.titles, [PEOPLE["leopold"]], TEXTS.reviews)
    assert alone == tuple(rating for rating in ratings() if rating.by == "leopold")


def test_a_review_and_its_rating_agree_and_favourites_are_loved() -> None:
    given = {(rating.title, rating.by): rating.rating for rating in ratings()}
    assert all(given[review.title, review.by] == review.rating for review in TEXTS.reviews)
    for person in TEXTS.people:
        assert all(given[title, person.username] >= 8 for title in person.favourites)


def test_ratings_have_believable_shapes() -> None:
    by_title: dict[str, list[int]] = {}
    for rating in ratings():
        by_title.setdefault(rating.title, []).append(rating.rating)
    well_known = {key: given for key, given in by_title.items() if len(given) >= 12}
    assert len(well_known) >= 60
    for key, given in well_known.items():
        taste = TITLES[key].taste
        assert taste is not None
        assert abs(mean(given) - taste.mean) < 1.5, key
    agreed = mean(pstdev(given) for key, given in well_known.items() if _spread(key) <= 0.9)
    argued = mean(pstdev(given) for key, given in well_known.items() if _spread(key) >= 1.6)
    assert argued > agreed + 0.4
    bars = Counter(rating.rating for rating in ratings())
    assert bars[8] + bars[9] > bars[5] + bars[6] > bars[1] + bars[2] > 0
    sizes = [len(given) for given in by_title.values()]
    assert min(sizes) < 5 < 25 < max(sizes), "some are known to all, some to a few"


def _spread(key: str) -> float:
    taste = TITLES[key].taste
    assert taste is not None
    return taste.spread


def test_people_like_what_suits_their_taste() -> None:
    near: list[int] = []
    far: list[int] = []
    for rating in ratings():
        suits = sum(PEOPLE[rating.by].taste.get(genre, 0) for genre in TITLES[rating.title].genres)
        (near if suits >= 2 else far).append(rating.rating)
    assert mean(near) > mean(far) + 0.2


def test_the_severe_give_less_than_the_kind() -> None:
    given: dict[str, list[int]] = {}
    for rating in ratings():
        given.setdefault(rating.by, []).append(rating.rating)
    severe = mean(mean(given[person.username]) for person in TEXTS.people if person.leaning <= -0.5)
    kind = mean(mean(given[person.username]) for person in TEXTS.people if person.leaning >= 0.5)
    assert kind > severe + 0.5
