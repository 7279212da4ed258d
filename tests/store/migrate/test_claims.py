"""Who has what only one row can have."""

from __future__ import annotations

from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from partita.store.migrate.claims import Claims
from partita.table.migrations import Already, Claim, Move, Problem, Skip


def claiming(*what: str, rank: str = "1", harmless: bool = False) -> Move:
    claims = tuple(Claim(each, losing="skip" if harmless else "problem") for each in what)
    return Move(reads=(), decide=lambda _found: Already(), claims=claims, rank=rank)


RIVALS = st.lists(
    st.tuples(st.text(min_size=1, max_size=3), st.sampled_from(["1", "2", "3"])), min_size=1, unique_by=lambda r: r[0]
)


@given(RIVALS, st.randoms(use_true_random=False))
def test_of_several_rows_the_one_of_the_lowest_rank_has_it_in_whatever_order_they_come(
    rivals: list[tuple[str, str]], dice: object
) -> None:
    winner = min(rivals, key=lambda rival: (rival[1].encode(), rival[0].encode()))
    shuffled = sorted(rivals, key=lambda _rival: dice.random())  # type: ignore[attr-defined]
    with closing(Claims()) as claims:
        for label, rank in shuffled:
            claims.add([(label, claiming("the email", rank=rank))])
        for label, rank in rivals:
            lost = claims.lost(label, claiming("the email", rank=rank))
            expected = None if label == winner[0] else Problem(f"the email belongs to the row {winner[0]}")
            assert lost == expected


def test_a_row_must_have_all_it_claims() -> None:
    with closing(Claims()) as claims:
        claims.add([("a", claiming("x", "y", rank="2")), ("b", claiming("y", "z", rank="1"))])
        assert claims.lost("a", claiming("x", "y")) == Problem("y belongs to the row b")
        assert claims.lost("b", claiming("y", "z")) is None


def test_a_harmless_loss_is_a_skip() -> None:
    with closing(Claims()) as claims:
        claims.add([("a", claiming("x", harmless=True)), ("b", claiming("x", harmless=True))])
        assert claims.lost("b", claiming("x", harmless=True)) == Skip("x belongs to the row a")


def test_what_came_after_the_survey_is_nobodys() -> None:
    with closing(Claims()) as claims:
        assert claims.lost("new", claiming("x")) is None
