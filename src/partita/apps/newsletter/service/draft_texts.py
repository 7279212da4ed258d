"""The texts of a draft: as generated, as edited, and as one document. No reading or writing of tables here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partita.apps.newsletter.formats import read_time
from partita.apps.newsletter.schema import Draft, HistoryAction, TextVersion
from partita.apps.newsletter.service.editing.comparing import normal
from partita.apps.newsletter.service.editing.lengths import word_count
from partita.apps.newsletter.service.editing.sections import document, in_order, split

Texts = dict[str, str]
"""Section key → Markdown, in the order of reading."""


def generated_texts(draft: Draft, outline: Sequence[str] = ()) -> Texts:
    """The sections as the writer made them. Other programs may have stored the whole text alone."""
    texts = {key: text for key, text in draft.sections.items() if isinstance(text, str)}
    if not texts:
        return split(draft.generated_content, {})
    return {key: texts[key] for key in in_order(texts, draft.generated_content, outline)}


def texts_of(draft: Draft, outline: Sequence[str] = ()) -> Texts:
    """The sections as they are now: the person's text where there is one."""
    generated = generated_texts(draft, outline)
    if not draft.has_user_edits or draft.user_edits is None:
        return generated
    ours = {**generated, **draft.edited_sections}
    ours = {key: text for key, text in ours.items() if text.strip()}
    ordered = {key: ours[key] for key in in_order(ours, draft.user_edits, tuple(generated))}
    if normal(document("", ordered.values())) == normal(_untitled(draft.user_edits)):
        return ordered
    # Another program has written the whole text: it is right, and is read by its headings.
    return split(draft.user_edits, generated)


def with_texts(draft: Draft, title: str, texts: Mapping[str, str], now: str) -> Draft:
    """The draft with another text of its person, counted anew; one that is as generated is no edit."""
    generated = generated_texts(draft)
    kept = {key: normal(text) for key, text in texts.items() if text.strip()}
    edits = {key: text for key, text in kept.items() if text != normal(generated.get(key, ""))}
    removed = {key: "" for key in generated if key not in kept}
    edited = bool(edits or removed) or list(kept) != list(generated)
    words = sum(map(word_count, kept.values()))
    return draft.with_(
        Draft.edited_sections({**edits, **removed}),
        Draft.user_edits(document(title, kept.values()) if edited else None),
        Draft.has_user_edits(edited),
        Draft.word_count(words),
        Draft.estimated_read_time(read_time(words)),
        Draft.updated_at(now),
    )


def version_of(
    draft: Draft, texts: Mapping[str, str], action: HistoryAction, *, by: str, by_name: str, at: str
) -> TextVersion:
    """The entry of the history for a draft as it is now."""
    return TextVersion(
        code=draft.newsletter_code,
        revision=draft.revision,
        text=document("", texts.values()),
        sections=dict(texts),
        citations=draft.citations,
        by=by,
        by_name=by_name,
        action=action,
        words=sum(map(word_count, texts.values())),
        at=at,
    )


def version_texts(version: TextVersion) -> Texts:
    """The sections of a version, in the order of reading."""
    texts = {key: text for key, text in version.sections.items() if isinstance(text, str)}
    if not texts:
        return split(version.text, {})
    return {key: texts[key] for key in in_order(texts, version.text)}


def _untitled(whole: str) -> str:
    first, _, rest = whole.lstrip().partition("\n")
    return rest if first.startswith("# ") else whole
