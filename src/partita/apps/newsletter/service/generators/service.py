"""The writers as administrators know them: which are set up, which one is chosen, and how a trial goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Newsletter, Prompt
from partita.apps.newsletter.service.generators.choosing import WRITERS, WriterName, Writers, WriterState
from partita.apps.newsletter.service.generators.extractive import ExtractiveWriter
from partita.apps.newsletter.service.generators.prompts import Prompt as PromptInUse
from partita.apps.newsletter.service.generators.prompts import PromptName
from partita.apps.newsletter.service.generators.trial import Trial, try_writer
from partita.apps.newsletter.service.generators.writer import Writer
from partita.apps.newsletter.service.prompts import Prompts
from partita.kit.clock import stamp
from partita.kit.jobs import Arguments, Job, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.table import Put

TRIALS = Rule("newsletter-trials", most=30, seconds=3600)
"""How many trials somebody may start in an hour: each costs money."""
TRIAL = "newsletter.trial"
_CHOICE = "writer"
"""The choice is kept as versions like a prompt's: who chose what, and when."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The writer in use, and whether somebody has chosen it or the settings have."""

    name: WriterName
    by: str = ""
    at: str = ""


class Generators:
    """Writers for newsletters, and for whoever looks after them."""

    def __init__(self, kit: Kit, prompts: Prompts) -> None:
        self._kit = kit
        self._store = kit.store
        self._prompts = prompts
        self.writers = Writers(kit.settings, ExtractiveWriter())

    def states(self) -> tuple[WriterState, ...]:
        """All writers, set up or not."""
        return self.writers.states()

    async def chosen(self) -> Chosen:
        """The writer in use: the last choice if it is still set up, else what the settings say."""
        newest = await self._store.page(schema.prompt_versions(_CHOICE), limit=1)
        if newest.items:
            name = _known(newest.items[0].text)
            if name is not None and self.writers.state(name).ready:
                return Chosen(name, newest.items[0].changed_by, newest.items[0].created_at)
        return Chosen(self._kit.settings.newsletter_writer)

    async def choose(self, viewer: Viewer, name: WriterName) -> Chosen:
        """Use a writer from now on; refused unless it is set up."""
        state = self.writers.state(name)
        if not state.ready:
            needed = " and ".join(state.missing)
            raise Conflict(f"{state.title} is not set up: set {needed} first.", code="writer_not_ready")

        async def attempt() -> None:
            newest = await self._store.page(schema.prompt_versions(_CHOICE), limit=1)
            version = newest.items[0].version + 1 if newest.items else 1
            now = stamp(self._kit.clock)
            new = Prompt(name=_CHOICE, version=version, text=name, changed_by=viewer.id, created_at=now)
            await self._store.write(Put(new).if_new().otherwise(Conflict("Somebody else has just chosen a writer.")))

        await self._store.attempt(attempt)
        return await self.chosen()

    async def writer_for(self, newsletter: Newsletter) -> Writer:
        """The writer of a newsletter: its own if it names one that is set up, else the chosen one."""
        return self.writers.writer(await self._name_for(newsletter), await self._prompts.all_in_use())

    async def writer_in_use(self) -> Writer:
        """The chosen writer, for what names none of its own."""
        return self.writers.writer((await self.chosen()).name, await self._prompts.all_in_use())

    async def can_rewrite(self, newsletter: Newsletter) -> bool:
        """Whether a model is on, which says things in other words."""
        return await self._name_for(newsletter) != "extractive"

    async def try_out(
        self, viewer: Viewer, name: str, prompts: Mapping[PromptName, PromptInUse] | None = None
    ) -> Trial:
        """A trial on a small section; with other prompts than those in use if given."""
        wanted = self._checked(name)
        await self._kit.limits.check(TRIALS, viewer.id)
        return await self._trial(wanted, prompts or {})

    async def start_trial(
        self, viewer: Viewer, name: str, prompts: Mapping[PromptName, PromptInUse] | None = None
    ) -> Job:
        """The same as a job, for people: a model may take minutes."""
        wanted = self._checked(name)
        await self._kit.limits.check(TRIALS, viewer.id)
        texts = {prompt: [used.text, used.version] for prompt, used in (prompts or {}).items()}
        title = f"Try {self.writers.state(wanted).title}"
        return await self._kit.jobs.start(TRIAL, {"writer": wanted, "prompts": texts}, viewer, title=title)

    async def trial(self, viewer: Viewer, job_id: str) -> dict[str, Any] | None:
        """How a trial of the viewer's went; None if it is not done, or long ago."""
        try:
            job = await self._kit.jobs.find(viewer, job_id)
        except NotFound:
            return None
        return job.result_values if job.kind == TRIAL and job.state == "done" else None

    async def ended_within(self, job: Job, seconds: float) -> Job:
        """A trial once it has ended, or as it is after so many seconds."""
        return await self._kit.jobs.ended_within(job, seconds)

    @property
    def kind(self) -> JobKind:
        return JobKind(TRIAL, "Try a writer", self._run_trial, retries=0, seconds=600, kept_days=1)

    async def _run_trial(self, running: Running, arguments: Arguments) -> Result:
        await running.progress("Writing a section")
        prompts = {name: PromptInUse(text, version) for name, (text, version) in arguments["prompts"].items()}
        trial = await self._trial(arguments["writer"], prompts)
        made = trial.made_with
        values = {
            "tried": arguments["writer"],
            "writer": made.writer,
            "model": made.model,
            "text": trial.text,
            "seconds": trial.seconds,
            "tokens": asdict(made.tokens),
            "calls": made.calls,
            "error": trial.error,
        }
        told = trial.error or f"Written in {trial.seconds:.1f} seconds."
        return Result(told, f"/newsletter/writers?trial={running.job_id}", values)

    async def _trial(self, name: WriterName, prompts: Mapping[PromptName, PromptInUse]) -> Trial:
        used = {**await self._prompts.all_in_use(), **prompts}
        return await try_writer(self.writers.writer(name, used))

    def _checked(self, name: str) -> WriterName:
        wanted = _known(name)
        if wanted is None:
            raise NotFound("There is no such writer.")
        return wanted

    async def _name_for(self, newsletter: Newsletter) -> WriterName:
        own = _known(newsletter.generator)
        return own if own is not None and self.writers.state(own).ready else (await self.chosen()).name


def _known(name: str) -> WriterName | None:
    return next((each for each in WRITERS if each == name), None)
