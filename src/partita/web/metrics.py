"""Metrics for Prometheus."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.multiprocess import MultiProcessCollector

from partita.store.observe import Observation
from partita.table.effects import Unreadable

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The folder in which several processes share their metrics; set before the first one starts."""
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

M = TypeVar("M", bound=MetricWrapperBase)


class Metrics:
    """The metrics of one application; with several processes, each reports the sum of all."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.running = Gauge(
            "partita_requests_running",
            "Requests being answered",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._requests = Counter(
            "partita_requests", "Requests answered", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "partita_request_seconds", "Time to answer", ("route",), registry=self._registry, buckets=_SECONDS
        )
        self._calls = Counter(
            "partita_table_requests", "Requests to tables", ("operation", "table", "error"), registry=self._registry
        )
        self._units = Counter("partita_table_units", "Capacity units used", ("table",), registry=self._registry)
        self._call_seconds = Counter(
            "partita_table_seconds", "Time spent on tables", ("operation",), registry=self._registry
        )
        self._unreadable = Counter(
            "partita_unreadable_rows",
            "Rows that lists left out because they do not fit their type",
            ("table", "item_type"),
            registry=self._registry,
        )
        self._labelled: dict[tuple[Any, ...], Any] = {}

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a response."""
        self._counted(self._requests, method, route, str(status)).inc()
        self._counted(self._seconds, route).observe(seconds)

    def call(self, call: Observation) -> None:
        """Count a request to a table; the store's observer."""
        table = call.tables[0] if len(call.tables) == 1 else "several"
        self._counted(self._calls, call.operation, table, call.error or "").inc()
        self._counted(self._units, table).inc(call.units)
        self._counted(self._call_seconds, call.operation).inc(call.seconds)

    def unreadable(self, row: Unreadable) -> None:
        """Count a row that a list left out."""
        self._counted(self._unreadable, row.table, row.item_type).inc()

    def _counted(self, metric: M, *labels: str) -> M:
        """The metric with these labels, cached."""
        key = (metric, *labels)
        labelled: M | None = self._labelled.get(key)
        if labelled is None:
            labelled = self._labelled[key] = metric.labels(*labels)
        return labelled

    def text(self) -> bytes:
        """All metrics, in Prometheus's format."""
        if os.environ.get(SHARED_FOLDER):
            together = CollectorRegistry()
            MultiProcessCollector(together)  # type: ignore[no-untyped-call]
            return generate_latest(together)
        return generate_latest(self._registry)
