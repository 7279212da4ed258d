"""Subscriptions over HTTP: what you want to hear of."""

from __future__ import annotations

from pydantic import ConfigDict, Field
from starlette.responses import Response

from partita.apps.enablement.inputs import NewSubscription
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import Subscription
from partita.apps.enablement.service import EnablementService
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class SubscriptionView(View):
    """What you want to hear of; null means any."""

    model_config = ConfigDict(alias_generator=None)

    subscription_id: str
    product_suite: str | None
    product_concept: str | None
    tags: list[str] = Field(description="At least one of them; none means any.")
    created_at: str


class SubscriptionList(View):
    """All of your subscriptions."""

    items: list[SubscriptionView]


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    subscriptions = service.subscriptions

    @api.get("/subscriptions", Enablement.READ, response_model=SubscriptionList)
    async def browse_subscriptions(viewer: CurrentViewer) -> Json:
        """Your subscriptions."""
        return Json({"items": SubscriptionView.each(await subscriptions.list(viewer), tags=_tags)})

    @api.post("/subscriptions", Enablement.READ, status_code=201, response_model=SubscriptionView, refuses=[409, 422])
    async def subscribe(viewer: CurrentViewer, new: NewSubscription) -> Json:
        """Subscribe; whoever has the same subscription already gets that one."""
        return _answer(await subscriptions.create(viewer, new), 201)

    @api.get("/subscriptions/{subscription_id}", Enablement.READ, response_model=SubscriptionView, refuses=[404])
    async def one_subscription(viewer: CurrentViewer, subscription_id: str) -> Json:
        """One of your subscriptions."""
        return _answer(await subscriptions.get(viewer, subscription_id))

    @api.put("/subscriptions/{subscription_id}", Enablement.READ, response_model=SubscriptionView, refuses=[404, 422])
    async def replace_subscription(viewer: CurrentViewer, subscription_id: str, new: NewSubscription) -> Json:
        """Change what a subscription is about, from now on."""
        return _answer(await subscriptions.replace(viewer, subscription_id, new))

    @api.delete("/subscriptions/{subscription_id}", Enablement.READ, status_code=204, refuses=[404])
    async def unsubscribe(viewer: CurrentViewer, subscription_id: str) -> Response:
        """Unsubscribe."""
        await subscriptions.delete(viewer, subscription_id)
        return Response(status_code=204)


def _tags(subscription: Subscription) -> list[str]:
    return list(subscription.tags or ())


def _answer(subscription: Subscription, status: int = 200) -> Json:
    return Json(SubscriptionView.of(subscription, tags=_tags(subscription)), status)
