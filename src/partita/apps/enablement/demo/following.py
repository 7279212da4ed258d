"""What people want to hear of: suites, concepts, tags, single items, people, and the approvers' queue."""

from __future__ import annotations

from partita.apps.enablement.demo.stage import Stage
from partita.apps.enablement.inputs import NewSubscription

_SINCE_AGO = 100
_SUBSCRIPTIONS = (
    ("ines", NewSubscription(product_suite="Lumen", product_concept="Pricing")),
    ("ines", NewSubscription(tags=("partners",))),
    ("kwame", NewSubscription(product_suite="Rotor")),
    ("yuki", NewSubscription(product_suite="Tara")),
    ("yuki", NewSubscription(product_suite="Lumen", product_concept="Calibration")),
    ("layla", NewSubscription(product_suite="Rotor", product_concept="Safety")),
    ("fergus", NewSubscription(tags=("quotes", "price list", "exchange"))),
    ("ioana", NewSubscription(product_suite="Lumen")),
)
_ITEMS = (("kwame", "lumen-manual"), ("fergus", "csv-contacts"), ("layla", "rotor-safety"))
_PEOPLE = (("yuki", "jesper"), ("ines", "ioana"))
_APPROVERS = ("marit", "tomas")


async def fill(stage: Stage) -> str:
    """Since before the first news of the demo's last months."""
    for username, wish in _SUBSCRIPTIONS:
        service, _ = stage.past(_SINCE_AGO, f"{username} {wish!r}")
        await service.subscriptions.create(stage.viewers[username], wish)
    for username, key in _ITEMS:
        service, _ = stage.past(10, f"{username} follows {key}")
        await service.follows.follow(stage.viewers[username], "content", stage.content[key])
    for username, other in _PEOPLE:
        service, _ = stage.past(_SINCE_AGO, f"{username} follows {other}")
        await service.follows.follow(stage.viewers[username], "person", stage.viewers[other].id)
    for username in _APPROVERS:
        service, _ = stage.past(_SINCE_AGO, f"{username} begins")
        await service.follows.visit_queue(stage.viewers[username])
    return f"{len(_SUBSCRIPTIONS)} subscriptions"
