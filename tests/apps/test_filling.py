"""What is filled in quickly is what the layer writes."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch.schema import WORTHWATCH, Movie, Rating, Watchlist, WatchlistItem
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Item, Put
from tests.apps.filling import Like, fill, partition_hash

MOMENT, OTHER = "2026-05-01T12:00:00.000000Z", "2026-06-02T13:01:01.000001Z"
FILM = Movie(movie_id="film-0", title="Film 0", created_at=MOMENT, updated_at=MOMENT, listed_in=1)
LISTED = WatchlistItem(
    watchlist_id="list-0", content_type="MOVIE", content_id="film-0", position=7, added_at=MOMENT, live_since=MOMENT
)


def like(number: int) -> list[Item | Like]:
    """Rows with entries in many indexes, some of them made from examples."""
    return [
        Like(FILM, ("film-0", "Film 0", MOMENT), (f"film-{number}", f"Film {number}", OTHER)),
        Like(LISTED, ("list-0", "film-0", MOMENT), (f"list-{number}", f"film-{number}", OTHER)),
        Watchlist(watchlist_id=f"list-{number}", curator_id="ada", title="A", created_at=OTHER, updated_at=OTHER),
        Rating(
            user_id="mina",
            content_type="MOVIE",
            content_id=f"film-{number}",
            rating=number,
            review="So.",
            rated_at=OTHER,
        ),
    ]


def stored(engine: Engine) -> object:
    """Everything of the table in the file but its stream: rows, entries of indexes, counters."""
    table = engine.writer.catalog.table(WORTHWATCH.name)
    connection = engine.database.writer
    entries = (
        f"SELECT index_row.key, row.key FROM {{}} AS index_row JOIN {table.rows} AS row ON row.id = item ORDER BY 1"
    )
    return (
        list(connection.execute(f"SELECT key, size, expires, crc, body FROM {table.rows} ORDER BY key")),
        [list(connection.execute(entries.format(index.rows))) for index in table.indexes],
        list(connection.execute("SELECT * FROM counters ORDER BY owner")),
    )


def test_what_is_filled_in_quickly_is_what_the_layer_writes() -> None:
    items = [item for number in range(1, 10) for item in like(number)]
    with Engine.temporary() as quick, Engine.temporary() as usual:
        for engine in (quick, usual):
            EmbeddedStore(engine).create(WORTHWATCH)
        assert fill(quick, WORTHWATCH.name, items) == len(items)
        store = EmbeddedStore(usual)
        for item in items:
            row = item.row if isinstance(item, Like) else item.to_row()
            made = type(item.example if isinstance(item, Like) else item).from_row(row)
            assert made.to_row() == row
            store.write(Put(made))
        assert stored(quick) == stored(usual)


def test_a_text_of_another_length_would_give_a_wrong_size_and_is_refused() -> None:
    with Engine.temporary() as engine:
        EmbeddedStore(engine).create(WORTHWATCH)
        with pytest.raises(ValueError, match="not as long as"):
            fill(engine, WORTHWATCH.name, [Like(FILM, ("film-0",), ("film-10",))])


def test_partitions_are_ordered_as_in_the_file() -> None:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(WORTHWATCH)
        fill(engine, WORTHWATCH.name, [item for number in range(1, 10) for item in like(number)][::4])
        table = engine.writer.catalog.table(WORTHWATCH.name)
        bodies = engine.database.writer.execute(f"SELECT json_extract(body, '$.PK.S') FROM {table.rows} ORDER BY key")
        found = [text for (text,) in bodies]
        assert found == sorted(found, key=partition_hash)
