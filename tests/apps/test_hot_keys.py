"""The hot keys of the documents are spread, and tables renamed, by settings; the schema files stay as they are."""

import json
import os
import subprocess
import sys

HOT = {
    "PARTITA_SHARDS_KELIFAX_RESOURCES_RESOURCESTATUSINDEX": "kelifax.approved_resources",
    "PARTITA_SHARDS_FUS_MAIN_BYENTITY": "fus.all_sites",
    "PARTITA_SHARDS_FUS_MAIN_BYSTARS": "fus.ratings_with",
    "PARTITA_SHARDS_WORTHWATCH_GSI3": "worthwatch.public_watchlists",
    "PARTITA_SHARDS_WORTHWATCH_GSI4": "worthwatch.all_movies",
    "PARTITA_SHARDS_WORTHWATCH_FEEDS": "worthwatch.live_lists",
    "PARTITA_SHARDS_EVENTS": "enablement.events_on",
}
PROGRAM = """
import json, sys
from itertools import islice
from partita.bootstrap import examples, patterns
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Put


def pages(store, query):
    found, cursor = [], None
    while True:
        page = store.page(query, limit=7, after=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


def places(query, items):
    return [[item.to_row()[key.name]["S"] for key in query.sort_names()] for item in items]


def program(pattern, made):
    query = pattern.request(made)
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(pattern.table)
        items = list(islice(made.of(query), 60))
        store.batch_write(map(Put, items))
        expected = sorted(places(query, items), reverse=not query.forward)
        return pattern.table.name, query.shards, places(query, pages(store, query)) == expected


made = examples()
print(json.dumps({each.label: program(each, made) for each in patterns() if each.label in sys.argv[1:]}))
"""


def test_the_documents_hot_keys_are_spread_by_settings_alone() -> None:
    settings = {"PARTITA_TABLE_WORTHWATCH": "another-name", **dict.fromkeys(HOT, "6")}
    command = [sys.executable, "-c", PROGRAM, *HOT.values()]
    ran = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    names = {"kelifax": "kelifax-resources", "fus": "fus-main", "worthwatch": "another-name", "enablement": "events"}
    assert json.loads(ran.stdout) == {label: [names[label.partition(".")[0]], 6, True] for label in HOT.values()}
