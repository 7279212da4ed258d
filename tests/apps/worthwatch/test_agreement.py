"""Agreement is 100 × (1 - mean difference / 9) over titles both rated, five at least."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.worthwatch.schema import Rating
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.agreement import examples, percent
from partita.apps.worthwatch.service.labels import Ref
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.store.observe import Observation
from partita.table import Put
from tests.apps.worthwatch.conftest import curator, film, member

pytestmark = pytest.mark.anyio
NOW = "2026-05-01T09:30:00.000000Z"
STARS = st.integers(1, 10)
TASTES = st.dictionaries(st.tuples(st.just("MOVIE"), st.text("abc", min_size=1, max_size=2)), STARS)


async def rate(kit: Kit, viewer: Viewer, **stars: int) -> None:
    await kit.store.batch_write(
        Put(Rating(user_id=viewer.id, content_type="MOVIE", content_id=each, rating=value, rated_at=NOW))
        for each, value in stars.items()
    )


async def test_five_titles_give_a_percentage_with_examples(kit: Kit, service: WorthWatchService) -> None:
    ada, viewer = await curator(kit), await member(kit)
    films = [await film(service) for _ in range(6)]
    theirs, mine = (10, 9, 8, 2, 5, 7), (10, 8, 3, 9, 5)
    await rate(kit, ada, **dict(zip((each.movie_id for each in films), theirs, strict=True)))
    await rate(kit, viewer, **dict(zip((each.movie_id for each in films), mine, strict=False)))
    found = await service.agreements.with_curator(viewer, ada.id)
    assert (found.common, found.percent, found.missing) == (5, round(100 * (1 - 13 / 5 / 9)), 0)
    assert [each.title.content_id for each in found.loved] == [films[0].movie_id, films[1].movie_id]
    assert [(each.mine, each.theirs) for each in found.differ] == [(9, 2), (3, 8)]


async def test_with_fewer_than_five_it_names_titles_to_rate(kit: Kit, service: WorthWatchService) -> None:
    ada, viewer = await curator(kit), await member(kit)
    films = [await film(service) for _ in range(6)]
    await rate(kit, ada, **{each.movie_id: 5 + number for number, each in enumerate(films)})
    await rate(kit, viewer, **{each.movie_id: 5 for each in films[:2]})
    found = await service.agreements.with_curator(viewer, ada.id)
    assert (found.common, found.percent, found.missing) == (2, None, 3)
    assert [each.content_id for each in found.to_rate] == [each.movie_id for each in films[5:2:-1]]
    with pytest.raises(NotFound):
        await service.agreements.with_curator(ada, viewer.id)


@given(mine=TASTES, theirs=TASTES)
def test_agreement_is_symmetric_and_within_bounds(mine: dict[Ref, int], theirs: dict[Ref, int]) -> None:
    found = percent(mine, theirs)
    assert found == percent(theirs, mine)
    assert (found is None) == (len(mine.keys() & theirs.keys()) < 5)
    assert found is None or 0 <= found <= 100
    if len(mine) >= 5:
        assert percent(mine, mine) == 100
    loved, differ = examples(mine, theirs)
    assert not set(loved) & set(differ) or all(abs(mine[ref] - theirs[ref]) <= 3 for ref in set(loved) & set(differ))


async def test_five_hundred_ratings_each_are_read_without_their_reviews(kit: Kit, service: WorthWatchService) -> None:
    ada, viewer = await curator(kit), await member(kit)
    for person in (ada, viewer):
        await kit.store.batch_write(
            Put(
                Rating(
                    user_id=person.id,
                    content_type="MOVIE",
                    content_id=kit.ids.new() if person is ada and number > 400 else f"{number:026}",
                    rating=1 + number % 10,
                    rated_at=NOW,
                    review="x" * 2000,
                )
            )
            for number in range(500)
        )
    seen: list[Observation] = []
    kit.tables.observe(seen.append)
    found = await service.agreements.with_curator(viewer, ada.id)
    kit.tables.observers.remove(seen.append)
    assert found.common == 401
    assert sum(call.units for call in seen) <= 15, [(call.operation, call.index, call.units) for call in seen]
