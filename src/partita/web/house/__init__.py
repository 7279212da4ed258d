"""The house's own routes: start page, accounts, jobs, files, health."""

from __future__ import annotations

from collections.abc import Iterator

from partita.kit.files import file_routes
from partita.kit.routes import Routes
from partita.kit.suite import Suite
from partita.web.assets import Assets
from partita.web.house import (
    account,
    administration,
    confirming,
    design,
    health,
    home,
    jobs,
    kept,
    notifications,
    personal_data,
    second_factor,
    sharing,
    signing,
)
from partita.web.metrics import Metrics


def house_routes(suite: Suite, assets: Assets, metrics: Metrics) -> Iterator[Routes]:
    """All routes of the house."""
    yield health.routes(suite, metrics)
    yield home.routes(suite, assets)
    yield design.routes(suite)
    yield signing.routes(suite)
    yield account.routes(suite)
    yield confirming.routes(suite)
    yield second_factor.routes(suite)
    yield administration.routes(suite)
    yield personal_data.routes(suite)
    yield personal_data.api(suite)
    yield jobs.routes(suite)
    yield jobs.api(suite)
    yield kept.routes()
    yield notifications.routes(suite)
    yield sharing.routes(suite)
    yield file_routes(suite.kit.files, suite.owned_files)
    if suite.kit.settings.styleguide:
        from partita.web.house import styleguide as components

        yield components.routes()
