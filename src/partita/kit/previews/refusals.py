"""Why a file has no preview."""

from __future__ import annotations

from partita.kit.problems import Problem


class PreviewRefused(Problem):
    """A file that cannot be read; the sentence says what is wrong with it."""

    status = 422
    code = "file_unreadable"
    title = "This file cannot be read"
