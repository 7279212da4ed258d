"""Which writers there are, as the settings set them up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from partita.apps.newsletter.service.generators.bedrock import BedrockModel
from partita.apps.newsletter.service.generators.calls import Caller
from partita.apps.newsletter.service.generators.model_writer import ModelWriter
from partita.apps.newsletter.service.generators.models import Completion, Conversation, Model
from partita.apps.newsletter.service.generators.openai import OpenAIModel
from partita.apps.newsletter.service.generators.prompts import Prompt, PromptName
from partita.apps.newsletter.service.generators.writer import Listen, Writer, WriterFailed
from partita.extras import MissingExtraError
from partita.kit.settings import Settings
from partita.store.aws import NoCredentialsError, discovered
from partita.store.signing import CredentialsSource

WriterName = Literal["extractive", "bedrock", "openai"]
WRITERS: tuple[WriterName, ...] = get_args(WriterName)
_TITLES: Mapping[WriterName, str] = {
    "extractive": "Offline writer",
    "bedrock": "Amazon Bedrock",
    "openai": "Chat completions",
}
_PURPOSES: Mapping[WriterName, str] = {
    "extractive": "Sentences of your sources, chosen and put in order. Needs no network and no key.",
    "bedrock": "A model of Amazon Bedrock joins sources and follows the tone. Text of your sources is sent to AWS.",
    "openai": "A model behind any service that speaks chat completions. Text of your sources is sent to that service.",
}


@dataclass(frozen=True, slots=True)
class WriterState:
    """A writer as administrators see it; holds no secret."""

    name: WriterName
    title: str
    purpose: str
    model: str
    missing: tuple[str, ...]
    """Settings without which it cannot be used."""

    @property
    def ready(self) -> bool:
        return not self.missing


@dataclass(frozen=True, slots=True)
class NoModel:
    """A model that is not set up."""

    service: str
    reason: str
    name: str = ""

    async def complete(self, asked: Conversation, listen: Listen | None = None) -> Completion:
        raise WriterFailed(self.reason)


class Writers:
    """The writers of this program."""

    def __init__(self, settings: Settings, extractive: Writer, caller: Callable[[str], Caller] = Caller) -> None:
        self._settings = settings
        self._extractive = extractive
        self._caller = caller
        self._bedrock_found: tuple[str, str, CredentialsSource] | None = None

    def states(self) -> tuple[WriterState, ...]:
        """All of them, set up or not."""
        return tuple(self.state(name) for name in WRITERS)

    def state(self, name: WriterName) -> WriterState:
        """One of them."""
        settings = self._settings
        model = {
            "extractive": "",
            "bedrock": settings.newsletter_bedrock_model or "",
            "openai": settings.newsletter_openai_model or "",
        }[name]
        needed = {
            "extractive": (),
            "bedrock": ("newsletter_bedrock_model",),
            "openai": ("newsletter_openai_url", "newsletter_openai_model"),
        }[name]
        missing = tuple(f"PARTITA_{each.upper()}" for each in needed if getattr(settings, each) is None)
        return WriterState(name, _TITLES[name], _PURPOSES[name], model, missing)

    def writer(self, name: WriterName, prompts: Mapping[PromptName, Prompt]) -> Writer:
        """A writer with the prompts in use; of one that is not set up, the offline writer does the work and says so."""
        if name == "extractive":
            return self._extractive
        return ModelWriter(self.model(name), self._extractive, prompts)

    def model(self, name: Literal["bedrock", "openai"]) -> Model:
        """The model of a writer; every question to one that is not set up is refused with the reason."""
        state = self.state(name)
        if not state.ready:
            return NoModel(name, f"{state.title} is not set up: set {' and '.join(state.missing)}.")
        return self._bedrock(state) if name == "bedrock" else self._openai(state)

    def _bedrock(self, state: WriterState) -> Model:
        return BedrockModel(self._caller(state.title), state.model, self._find_bedrock)

    def _find_bedrock(self) -> tuple[str, str, CredentialsSource]:
        """Where Bedrock is and who we are, found once."""
        settings = self._settings
        if self._bedrock_found is None:
            region = settings.newsletter_bedrock_region or settings.region
            try:
                self._bedrock_found = discovered(settings.newsletter_bedrock_url, region, None, "bedrock-runtime")
            except (MissingExtraError, NoCredentialsError) as error:
                raise WriterFailed(f"{_TITLES['bedrock']} cannot be used: {error}") from None
        return self._bedrock_found

    def _openai(self, state: WriterState) -> Model:
        settings = self._settings
        key = settings.newsletter_openai_key
        return OpenAIModel(
            self._caller(state.title),
            settings.newsletter_openai_url or "",
            state.model,
            None if key is None else key.get_secret_value(),
        )
