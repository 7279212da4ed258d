"""Security headers are on every answer, whoever made it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.conftest import make
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio

ANSWERS = [
    ("GET", "/", 200),
    ("GET", "/press/mine", 303),
    ("GET", "/press/desk", 303),
    ("GET", "/nowhere", 404),
    ("POST", "/healthz", 405),
    ("GET", "/press/fail/bug", 500),
    ("GET", "/api/press/articles", 200),
    ("GET", "/api/press/mine", 401),
    ("GET", "/api/nowhere", 404),
    ("GET", "/api/press/fail/throttled", 503),
    ("GET", "/api/press/fail/bug", 500),
    ("GET", "/static/app.css", 200),
    ("GET", "/static/nothing.css", 404),
    ("GET", "/files/nothing.png", 404),
    ("GET", "/healthz", 200),
    ("GET", "/api/openapi.json", 200),
    ("GET", "/api/docs", 200),
]


@pytest.mark.parametrize(("method", "path", "status"), ANSWERS)
async def test_every_answer_has_them(visitor: Visitor, method: str, path: str, status: int) -> None:
    answer = await visitor.ask(method, path)
    assert answer.status == status
    (policy,) = answer.headers.get_all("content-security-policy") or []
    assert policy.startswith("default-src 'none'; ")
    assert "'unsafe" not in policy
    assert answer.headers.get_all("x-content-type-options") == ["nosniff"]
    assert answer.headers.get_all("referrer-policy") == ["same-origin"]
    assert answer.headers.get_all("cross-origin-opener-policy") == ["same-origin"]
    assert "camera=()" in answer.headers["permissions-policy"]
    assert len(answer.headers.get_all("cache-control") or []) == 1


async def test_pages_allow_nothing_but_our_own_scripts_and_styles(visitor: Visitor) -> None:
    rules = (await visitor.get("/")).headers["content-security-policy"].split("; ")
    assert rules == [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "media-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]


async def test_pages_show_pictures_and_post_files_where_the_files_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    served = make(tmp_path, files="s3", s3_bucket="partita-files", region="eu-west-1")
    async with served.app.router.lifespan_context(served.app):
        rules = (await served.visitor().get("/")).headers["content-security-policy"].split("; ")
    bucket = "https://partita-files.s3.eu-west-1.amazonaws.com"
    for rule in (f"img-src 'self' data: {bucket}", f"connect-src 'self' {bucket}", f"form-action 'self' {bucket}"):
        assert rule in rules
    assert "script-src 'self'" in rules


async def test_what_is_made_for_somebody_is_kept_by_nobody_else(visitor: Visitor) -> None:
    for path in ("/", "/api/press/articles"):
        assert (await visitor.get(path)).headers["cache-control"] == "private, no-cache"


async def test_with_https_browsers_are_told_to_stay_with_it(tmp_path: Path) -> None:
    served = make(tmp_path, base_url="https://partita.example.org")
    async with served.app.router.lifespan_context(served.app):
        answer = await served.visitor().get("/")
        assert answer.headers["strict-transport-security"] == "max-age=31536000"


async def test_without_https_they_are_not(visitor: Visitor) -> None:
    assert "strict-transport-security" not in (await visitor.get("/")).headers
