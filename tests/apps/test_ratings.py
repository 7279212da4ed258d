"""What ratings add up to is kept on what they rate."""

from decimal import Decimal

from partita.apps.fus.schema import STARS, Site
from partita.apps.worthwatch.schema import MOVIE_RATING, SHOW_RATING, Movie, Show
from partita.table import Update

NOW = "2026-01-26T10:30:00Z"


def test_a_site_counts_its_stars_each_for_itself() -> None:
    site = Site(site_id="1", url="https://example.org", title="", created_at=NOW, updated_at=NOW)
    request = Update(site.own_key, *STARS.change(2, 5)).request()
    assert request.update is not None
    assert [action.path.parts for action in request.update.actions] == [("ratingSum",), ("rated2",), ("rated5",)]
    assert site.rating_histogram == (0, 0, 0, 0, 0)
    rated = site.model_copy(update={"rating_count": 3, "rating_sum": 13, "rated_5": 2, "rated_3": 1})
    assert (rated.rating_histogram, STARS.mean(rated)) == ((0, 0, 1, 0, 2), Decimal("4.33"))


def test_a_title_has_the_average_of_its_ratings() -> None:
    movie = Movie(movie_id="m", title="A", created_at=NOW, updated_at=NOW, rating_count=1, rating_sum=8)
    show = Show(show_id="s", title="A", created_at=NOW, updated_at=NOW)
    (of_movie,), (of_show,) = MOVIE_RATING.update(movie, None, 9), SHOW_RATING.update(show, None, 9)
    assert [update.actions[-1].value for update in (of_movie, of_show)] == [Decimal("8.5"), Decimal(9)]
