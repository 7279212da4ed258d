"""A small schema for writes: a value that is unique, things that are counted, versions, what expires, what is large."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from partita.table import Aggregate, Attribute, Guard, Item, Table, attribute, camel_case, key_part, version
from partita.table.types import ExpiresAt

CLUB = Table("club", pk="PK", sk="SK", ttl="expiresAt")
KEYS = CLUB.index("keys", pk="kind", sk="SK", projection="KEYS_ONLY")


class Player(Item, table=CLUB, pk="PLAYER#{player_id}", sk="PROFILE", names=camel_case):
    """Somebody who plays; an email is optional and unique."""

    player_id: Attribute[str] = key_part()
    name: Attribute[str]
    email: Attribute[str | None] = attribute(default=None)
    team: Attribute[str | None] = attribute(default=None)
    updated_at: Attribute[str] = attribute(default="2026-01-01")


class PlayerEmail(Item, table=CLUB, pk="EMAIL#{address}", sk="UNIQUE", names=camel_case):
    """The guard of an email address; it says whose it is, and of which team."""

    address: Attribute[str] = key_part()
    of_player: Attribute[str]
    of_team: Attribute[str | None] = attribute(default=None)


def _email_of(player: Player) -> PlayerEmail | None:
    if player.email is None:
        return None
    return PlayerEmail(address=player.email.lower(), of_player=player.player_id, of_team=player.team)


EMAIL = Guard(Player, _email_of)


class Plan(Item, table=CLUB, pk="PLAN#{plan_id}", sk="METADATA", names=camel_case):
    """What several people edit."""

    plan_id: Attribute[str] = key_part()
    text: Attribute[str] = attribute(default="")
    stage: Attribute[str | None] = attribute(default=None, null=True)
    done: Attribute[frozenset[str]] = attribute(default=frozenset())
    revision: Attribute[int] = version()


class Game(Item, table=CLUB, pk="GAME#{game_id}", sk="METADATA", names=camel_case):
    """What people vote on, with what their votes add up to."""

    game_id: Attribute[str] = key_part()
    votes: Attribute[int | None] = attribute(default=None, ge=0)
    points: Attribute[int] = attribute(default=0)
    lost: Attribute[int | None] = attribute(default=None, ge=0)
    drawn: Attribute[int | None] = attribute(default=None, ge=0)
    won: Attribute[int | None] = attribute(default=None, ge=0)
    score: Attribute[Decimal | None] = attribute(default=None)


POINTS = Aggregate(count=Game.votes, total=Game.points, histogram={0: Game.lost, 1: Game.drawn, 3: Game.won})
SCORE = Aggregate(count=Game.votes, total=Game.points, average=Game.score)


class Vote(Item, table=CLUB, pk="GAME#{game_id}", sk="VOTE#{player_id}", names=camel_case):
    """How a player says a game went."""

    game_id: Attribute[str] = key_part()
    player_id: Attribute[str] = key_part()
    points: Attribute[int]


class Invitation(Item, table=CLUB, pk="INVITATIONS#{player_id}", sk="{number:04}", names=camel_case):
    """Good for a while."""

    player_id: Attribute[str] = key_part()
    number: Attribute[int] = key_part()
    text: Attribute[str] = attribute(default="")
    kind: Attribute[str | None] = attribute(default=None)
    expires_at: Attribute[ExpiresAt | None] = attribute(default=None)


class Story(Item, table=CLUB, pk="STORIES#{player_id}", sk="{number:04}", names=camel_case):
    """What may be too long for an item."""

    player_id: Attribute[str] = key_part()
    number: Attribute[int] = key_part()
    text: Attribute[str] = attribute(default="", large=True)
    picture: Attribute[bytes | None] = attribute(default=None, large=2000)
    facts: Attribute[dict[str, Any]] = attribute("theFacts", default_factory=dict, large=1000)
    notes: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    revision: Attribute[int] = version()
