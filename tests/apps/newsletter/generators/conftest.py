"""Writers against the service on loopback: all three ways to speak with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from partita.apps.newsletter.service.generators.bedrock import BedrockModel
from partita.apps.newsletter.service.generators.calls import Caller, Patience
from partita.apps.newsletter.service.generators.model_writer import ModelWriter
from partita.apps.newsletter.service.generators.models import Model
from partita.apps.newsletter.service.generators.openai import OpenAIModel
from partita.store.signing import Credentials
from tests.apps.newsletter.generators.offline import offline_writer
from tests.apps.newsletter.generators.service import ACCESS_KEY, KEY, MODEL, REGION, SECRET_KEY, TOKEN, Service

SHORT = Patience(connect=1.0, first_byte=0.4, in_all=1.5, first_pause=0.01, most_bytes=2_000_000)


@dataclass
class Pauses:
    """Remembers how long it should have waited, and does not."""

    seconds: list[float] = field(default_factory=list)

    async def wait(self, seconds: float) -> None:
        self.seconds.append(seconds)


@dataclass(frozen=True)
class Way:
    """A way to speak with a model."""

    name: str
    streamed: bool
    make: Callable[[str, Caller], Model]
    pauses: Pauses = field(default_factory=Pauses)

    def model(self, service: Service) -> Model:
        return self.make(service.url, Caller("The service", SHORT, self.pauses.wait))

    def writer(self, service: Service) -> ModelWriter:
        return ModelWriter(self.model(service), offline_writer(), {})

    def listen(self) -> Callable[[str], object] | None:
        """Whoever listens is answered piece by piece."""
        return len if self.streamed else None


def _bedrock(url: str, caller: Caller) -> Model:
    return BedrockModel(caller, MODEL, lambda: (url, REGION, lambda: Credentials(ACCESS_KEY, SECRET_KEY, TOKEN)))


def _openai(url: str, caller: Caller) -> Model:
    return OpenAIModel(caller, f"{url}/v1", MODEL, KEY)


WAYS = (Way("bedrock", False, _bedrock), Way("openai", False, _openai), Way("openai, streamed", True, _openai))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return replace(chosen, pauses=Pauses())
