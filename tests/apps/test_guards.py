"""What must be unique in the systems is guarded, and free again when nobody has it any more."""

from partita.apps.fus.schema import SITE_URL, Site, SiteUrl
from partita.apps.kelifax.schema import RESOURCE_URL, Resource
from partita.apps.kelifax.service.bookkeeping import completed
from partita.apps.worthwatch.schema import MOVIE_IDS, SHOW_IDS, USER_EMAIL, Movie, Show, User
from partita.table import Delete, Put

NOW = "2026-01-26T10:30:00Z"


def test_addresses_that_lead_to_the_same_place_are_one() -> None:
    site = Site(site_id="1", url="https://Example.org:443/a/?utm_source=x", title="", created_at=NOW, updated_at=NOW)
    assert SITE_URL.make(site) == SiteUrl(url="https://example.org/a", of_site="1")
    user = User(user_id="u1", email="John@Example.com", username="john", created_at=NOW, updated_at=NOW)
    (claimed,) = USER_EMAIL.claim(user)
    assert claimed.item.own_key.wire["PK"] == {"S": "EMAIL#john@example.com"}


def test_a_number_may_be_a_movie_and_a_show_at_tmdb_but_one_title_at_imdb() -> None:
    movie = Movie(movie_id="m", title="A", tmdb_id="5", imdb_id="tt5", created_at=NOW, updated_at=NOW)
    show = Show(show_id="s", title="A", tmdb_id="5", imdb_id="tt5", created_at=NOW, updated_at=NOW)
    movie_keys = [guard.claim(movie)[0].key.wire["PK"]["S"] for guard in MOVIE_IDS]
    show_keys = [guard.claim(show)[0].key.wire["PK"]["S"] for guard in SHOW_IDS]
    assert movie_keys == ["EXTERNAL#tmdb#movie/5", "EXTERNAL#imdb#tt5"]
    assert show_keys == ["EXTERNAL#tmdb#tv/5", "EXTERNAL#imdb#tt5"]
    assert MOVIE_IDS[0].claim(movie.model_copy(update={"tmdb_id": None})) == ()


def test_a_rejected_resource_leaves_its_url_to_others() -> None:
    pending = Resource(
        resource_slug="tool",
        submission_id="s",
        created_at=NOW,
        submitted_at=NOW,
        submitter_first_name="A",
        submitter_last_name="B",
        submitter_email="a@example.org",
        resource_name="Tool",
        resource_url="https://tool.example",
        usage_purpose="",
        category="other",
        key_features="",
        use_cases="",
    )
    rejected = completed(pending.model_copy(update={"resource_status": "rejected"}))
    pending = completed(pending)
    (released,) = RESOURCE_URL.move(pending, rejected)
    assert isinstance(released, Delete)
    (claimed,) = RESOURCE_URL.move(rejected, pending)
    assert isinstance(claimed, Put)
