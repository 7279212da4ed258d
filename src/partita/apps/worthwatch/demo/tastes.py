"""Some thousand ratings that follow from what people like: always the same, and shaped as real ones are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from partita.apps.worthwatch.demo.texts import Person, Review, Title, TitleTaste

_PULL = 0.35
"""What one step of a person's taste for a genre adds to a rating."""

_AVERSION = 0.06
"""How often somebody cannot stand what others love."""


@dataclass(frozen=True, slots=True)
class DemoRating:
    """What somebody gave a title."""

    title: str
    by: str
    rating: int
    days_ago: int


def demo_ratings(
    titles: Sequence[Title], people: Sequence[Person], reviews: Sequence[Review]
) -> tuple[DemoRating, ...]:
    """As many ratings as each person's appetite; those with a review are as the review says."""
    rated = {title.id: (title, title.taste) for title in titles if title.taste is not None}
    written: dict[str, dict[str, Review]] = {}
    for review in reviews:
        written.setdefault(review.by, {})[review.title] = review
    return tuple(rating for person in people for rating in _of(person, rated, written.get(person.username, {})))


def _of(
    person: Person, rated: Mapping[str, tuple[Title, TitleTaste]], reviews: Mapping[str, Review]
) -> Iterable[DemoRating]:
    sure = list(dict.fromkeys((*reviews, *person.favourites)))
    others = sorted(rated.keys() - set(sure), key=lambda key: _eagerness(person, *rated[key]), reverse=True)
    for key in (*sure, *others)[: max(person.appetite, len(sure))]:
        title, taste = rated[key]
        if key in reviews:
            yield DemoRating(key, person.username, reviews[key].rating, reviews[key].days_ago)
            continue
        chance = _chance(person, title, "rating")
        middle = taste.mean + person.leaning + _PULL * _likes(person, title)
        if chance.random() < _AVERSION:
            middle -= 3
        rating = round(chance.gauss(middle, taste.spread))
        least = 9 if key in person.favourites else 1
        days = chance.randint(1, min(person.days_ago, title.days_ago))
        yield DemoRating(key, person.username, min(max(rating, least), 10), days)


def _eagerness(person: Person, title: Title, taste: TitleTaste) -> float:
    """Who comes first has seen it: well-known titles and those in favourite genres, and chance has a say."""
    weight = taste.known * 1.5 ** _likes(person, title)
    return float(_chance(person, title, "seen").random() ** (1 / weight))


def _likes(person: Person, title: Title) -> int:
    return sum(person.taste.get(genre, 0) for genre in title.genres)


def _chance(person: Person, title: Title, purpose: str) -> Random:
    return Random(f"{purpose}/{person.username}/{title.id}")
