"""Plan content: choose topics, and judge what was found for them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from fastapi import Request
from markupsafe import Markup, escape
from pydantic import Field
from starlette.responses import Response

from partita.apps.newsletter.formats import as_plain, topic_label
from partita.apps.newsletter.inputs import Id, PassageEdit, Topic, TopicList, TopicsEdit
from partita.apps.newsletter.pages.steps import base
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter, Topics
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.reading.reading import MOST_BYTES
from partita.apps.newsletter.service.retrieval import elsewhere, strength, widened
from partita.apps.newsletter.service.sources import MOST_AT_ONCE, Wanted
from partita.apps.newsletter.service.topics import choices, outdated, passages
from partita.apps.newsletter.service.writing.retrieval import HALF_LIFE, WINDOW
from partita.apps.newsletter.service.writing.terms import word_stem
from partita.apps.newsletter.service.writing.topics import written_query
from partita.kit.forms import Parsed, parse, submitted
from partita.kit.inputs import SNAKE_CASE, Input, Line
from partita.kit.pages import redirect, render
from partita.kit.permissions import Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.search.folding import places

_OWN_SOURCES = 20
_PLAN = "/editions/{code}/plan"
MOST_SOURCES = 200


class TopicsForm(Input):
    """The topics as the page's form has them."""

    model_config = SNAKE_CASE

    selected_types: TopicList
    then: Literal["find", "save"] = "save"


class SourcesForm(Input):
    """The sources in which content is searched; none means all of them."""

    model_config = SNAKE_CASE

    source_ids: Annotated[tuple[Id, ...], Field(max_length=MOST_SOURCES)] = ()
    then: Literal["find", "save"] = "save"


class WordsForm(Input):
    """The words by which a topic is searched."""

    model_config = SNAKE_CASE

    topic: Topic
    words: Annotated[Line, Field(max_length=500)] = ""
    then: Literal["find", "save"] = "save"


class FurtherForm(Input):
    """How far back a topic looks."""

    model_config = SNAKE_CASE

    topic: Topic
    back: Literal["any", "recent"] = "any"


class TopicForm(Input):
    """One topic."""

    model_config = SNAKE_CASE

    topic: Topic


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""

    async def page(request: Request, viewer: Viewer, code: str, *, form: Parsed[Any] | None = None) -> Response:
        newsletter, topics = await service.topics.get(viewer, code)
        looks = await service.steps.looks(code)
        found = passages(topics)
        may_choose = viewer.may(Letters.READ_SOURCES)
        ready = Wanted(status="ready")
        shelf = (await service.sources.page(viewer, ready, limit=MOST_SOURCES)).items if may_choose else ()
        return render(
            request,
            "newsletter/plan.html",
            newsletter=newsletter,
            topics=topics,
            choices=choices(newsletter, topics),
            form=form or Parsed(None, {"selected_types": _chosen(newsletter, topics)}),
            found=found,
            by_topic=_by_topic(topics, found),
            sources=_sources(found),
            shelf=shelf,
            chosen_sources=frozenset(topics.source_ids),
            still_searched=await service.topics.still_searched(topics),
            words=_words(newsletter, topics),
            marked=marked,
            strength=strength,
            widened=widened(topics),
            elsewhere=elsewhere(topics),
            window=_window(newsletter),
            own_sources=(await service.sources.page(viewer, shelf=code, limit=_OWN_SOURCES)).items,
            most_bytes=MOST_BYTES,
            most_files=MOST_AT_ONCE,
            add=Parsed(None),
            any_age=frozenset(map(topic_label, topics.any_age)),
            has_sources=bool(found) or await service.retrieval.has_sources(code),
            look=looks["retrieval"],
            running=looks["retrieval"].is_open,
            outlining=looks["outline"],
            outdated=outdated(newsletter, topics),
            may_write=await service.access.may_write(viewer, newsletter),
        )

    @pages.get(_PLAN, Letters.WRITE)
    async def plan(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """The topics, and what was found."""
        return await page(request, viewer, code)

    @pages.post(_PLAN, Letters.WRITE, keeps=TopicsForm)
    async def choose(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Choose topics, and find content for them."""

        async def save(form: TopicsForm) -> Response:
            await service.topics.edit(viewer, code, TopicsEdit(selected_types=form.selected_types))
            return await after(viewer, code, form.then, "Topics saved.")

        async def again(form: Parsed[TopicsForm]) -> Response:
            return await page(request, viewer, code, form=form)

        return await submitted(request, TopicsForm, save, again)

    @pages.post(f"{_PLAN}/sources", Letters.WRITE)
    async def choose_sources(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Search in some of the shared sources only, or in all of them."""
        async with request.form(max_fields=MOST_SOURCES + 5) as sent:
            form = _read(parse(SourcesForm, sent))
        await service.topics.edit(viewer, code, TopicsEdit(source_ids=form.source_ids))
        few = "Only the sources you chose are searched."
        told = few if form.source_ids else "All sources are searched."
        return await after(viewer, code, form.then, told)

    @pages.post(f"{_PLAN}/words", Letters.WRITE)
    async def change_words(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Search a topic by other words; without any, by ours again."""
        form = _read(parse(WordsForm, await request.form()))
        _, topics = await service.topics.get(viewer, code)
        words = {**as_plain(topics.search_words), form.topic: form.words}
        await service.topics.edit(viewer, code, TopicsEdit(search_words=words))
        return await after(viewer, code, form.then, "Search words saved.")

    @pages.post(f"{_PLAN}/further", Letters.WRITE)
    async def look_further(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Take content of any age for a topic, or recent content again; and find it."""
        form = _read(parse(FurtherForm, await request.form()))
        _, topics = await service.topics.get(viewer, code)
        others = [each for each in topics.any_age if each != form.topic]
        wanted = (*others, form.topic) if form.back == "any" else tuple(others)
        await service.topics.edit(viewer, code, TopicsEdit(any_age=wanted))
        return await after(viewer, code, "find", "")

    @pages.post(f"{_PLAN}/leave-out", Letters.WRITE)
    async def leave_out(request: Request, viewer: CurrentViewer, code: str) -> Response:
        """Leave a topic out."""
        form = _read(parse(TopicForm, await request.form()))
        _, topics = await service.topics.get(viewer, code)
        left = tuple(each for each in map(topic_label, topics.selected_types) if each != form.topic)
        if not left:
            return redirect(f"{base(code)}/plan", flash="Keep at least one topic.", kind="info")
        await service.topics.edit(viewer, code, TopicsEdit(selected_types=left))
        return redirect(f"{base(code)}/plan", flash=f"“{form.topic}” was left out.")

    @pages.post(f"{_PLAN}/passages/{{chunk_id}}", Letters.WRITE)
    async def mark_passage(request: Request, viewer: CurrentViewer, code: str, chunk_id: str) -> Response:
        """Let a passage come first, never, or as it ranks."""
        edit = _read(parse(PassageEdit, await request.form()))
        await service.topics.mark(viewer, code, chunk_id, edit.mark)
        flash = {"pinned": "Pinned: it is used first.", "dropped": "Excluded: it is not used.", "none": "Undone."}
        return redirect(f"{base(code)}/plan#{chunk_id}", flash=flash[edit.mark])

    async def after(viewer: Viewer, code: str, then: str, flash: str) -> Response:
        if then == "find":
            await service.steps.start(viewer, code, "retrieval")
            return redirect(f"{base(code)}/plan")
        return redirect(f"{base(code)}/plan", flash=flash)


def marked(text: str, stems: Iterable[str]) -> Markup:
    """A text with the words of the query in `<mark>`."""
    wanted = frozenset(stems)
    text = unicodedata.normalize("NFC", text)
    pieces: list[Markup] = []
    at = 0
    for start, end, word in places(text):
        if word_stem(word) in wanted:
            pieces += [escape(text[at:start]), Markup("<mark>{}</mark>").format(text[start:end])]
            at = end
    return Markup("").join((*pieces, escape(text[at:])))


def _chosen(newsletter: Newsletter, topics: Topics) -> list[str]:
    """What is ticked: what was chosen, at first what is recommended."""
    picked = [each.label for each in choices(newsletter, topics) if each.chosen]
    return picked or [each.label for each in choices(newsletter, topics) if each.recommended]


def _by_topic(topics: Topics, found: tuple[dict[str, Any], ...]) -> list[tuple[str, list[dict[str, Any]]]]:
    """What was found, topic by topic; also topics with nothing."""
    labels = [topic_label(each) for each in topics.selected_types]
    labels += [label for each in found if (label := topic_label(str(each.get("topic", "")))) not in labels]
    grouped = {label: [each for each in found if topic_label(str(each.get("topic", ""))) == label] for label in labels}
    if topics.retrieval_completed_at is None:
        return [(label, some) for label, some in grouped.items() if some]
    return list(grouped.items())


def _sources(found: tuple[dict[str, Any], ...]) -> list[tuple[str, str, int]]:
    """The sources of what was found: id, title, how many passages."""
    counted = Counter((str(_facts(each).get("source_id") or ""), _title(each)) for each in found)
    return [(source_id, title, count) for (source_id, title), count in counted.most_common()]


def _facts(entry: dict[str, Any]) -> dict[str, Any]:
    facts = entry.get("metadata")
    return facts if isinstance(facts, dict) else {}


def _title(entry: dict[str, Any]) -> str:
    return str(_facts(entry).get("title") or entry.get("source") or "A source")


def _words(newsletter: Newsletter, topics: Topics) -> dict[str, tuple[str, str]]:
    """Topic → the person's own words, and those written for it."""
    own = as_plain(topics.search_words)
    return {
        each.label: (
            str(own.get(each.label, "")),
            " ".join(word for word, _ in written_query(each.label, newsletter.language)),
        )
        for each in choices(newsletter, topics)
    }


def _window(newsletter: Newsletter) -> int | None:
    """How many days back an edition looks."""
    half_life = HALF_LIFE[newsletter.frequency]
    return None if half_life is None else half_life * WINDOW


def _read(form: Parsed[Any]) -> Any:
    """What a button sent: there is nothing to be corrected."""
    if form.value is None:
        assert form.problem is not None
        raise form.problem
    return form.value
