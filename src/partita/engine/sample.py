"""A sample table: films and their reviews, with an index by director."""

from __future__ import annotations

from partita.dynamo.errors import ResourceInUseError
from partita.dynamo.python_values import item_from_python
from partita.engine.engine import Engine

_TABLE = {
    "TableName": "films",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
        {"AttributeName": "director", "AttributeType": "S"},
        {"AttributeName": "year", "AttributeType": "N"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "byDirector",
            "KeySchema": [
                {"AttributeName": "director", "KeyType": "HASH"},
                {"AttributeName": "year", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}

_FILMS = (
    ("metropolis", "Metropolis", "Fritz Lang", 1927),
    ("m", "M", "Fritz Lang", 1931),
    ("seven-samurai", "Seven Samurai", "Akira Kurosawa", 1954),
    ("ikiru", "Ikiru", "Akira Kurosawa", 1952),
    ("cleo", "Cléo from 5 to 7", "Agnès Varda", 1962),
    ("the-gleaners", "The Gleaners and I", "Agnès Varda", 2000),
)


def make_sample(engine: Engine) -> None:
    """Create and fill the table, unless it exists."""
    try:
        engine.call("CreateTable", _TABLE)
    except ResourceInUseError:
        return
    for slug, title, director, year in _FILMS:
        film = {"pk": f"FILM#{slug}", "sk": "METADATA", "title": title, "director": director, "year": year}
        review = {"pk": f"FILM#{slug}", "sk": "REVIEW#ada", "stars": 5 - year % 2, "note": f"Seen {title} twice."}
        for item in (film, review):
            engine.call("PutItem", {"TableName": "films", "Item": item_from_python(item)})
