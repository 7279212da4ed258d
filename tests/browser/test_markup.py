"""What people type never runs in a browser: no dialog opens, and the content security policy has nothing to stop."""

from __future__ import annotations

from urllib.parse import urlencode

from playwright.sync_api import APIRequestContext

from tests.browser.house import ADMIN, House
from tests.browser.window import window
from tests.web.markup import PAYLOADS


def test_nothing_that_was_typed_runs(house: House) -> None:
    with house.program(ADMIN) as admin:
        paths = [*_resource(admin), "/kelifax", "/kelifax/resources", "/kelifax/moderation", "/kelifax/moderation/log"]
        if "fus" in house.systems:
            mine = ("/fus/me/ratings", "/fus/me/comments", "/fus/me/groups")
            paths += [*_site(admin), "/fus", "/fus/tags", *mine, "/fus/groups"]
    searches = [
        f"{path}?{urlencode({'q': words})}"
        for path in ("/kelifax/resources", "/fus", "/admin/users")
        for words in ("alert", PAYLOADS[1])
    ]
    with window(house, ADMIN) as shown:
        for path in (*paths, *searches):
            answer = shown.open(path)
            assert answer.status in (200, 404), path
            shown.page.locator("#main").hover()
        runs = "script:not([src], [type='application/ld+json']), [onerror], [onload]"
        assert shown.page.locator(runs).count() == 0
        assert shown.troubles == []


def _resource(admin: APIRequestContext) -> list[str]:
    made = admin.post(
        "/api/kelifax/resources",
        data={
            "submitter": {"firstName": "Eve", "lastName": "Mallory", "companyEmail": "eve@traps.example"},
            "resource": {
                "resourceName": PAYLOADS[0],
                "resourceUrl": "https://traps.example/?q=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E",
                "usagePurpose": " ".join(PAYLOADS[:2]),
                "category": "other",
                "tags": ["<b>bold</b>", '"><img src=x>'],
            },
            "details": {
                "keyFeatures": list(PAYLOADS[:3]),
                "useCases": list(PAYLOADS[3:5]),
                "learningResources": [{"title": PAYLOADS[1], "url": "https://traps.example", "type": "video"}],
            },
        },
    )
    assert made.ok, made.text()
    slug = made.json()["resourceSlug"]
    assert admin.post(f"/api/kelifax/moderation/{slug}/reject", data={"reason": PAYLOADS[5]}).ok
    assert admin.post(f"/api/kelifax/moderation/{slug}/approve").ok
    assert admin.post(f"/api/kelifax/resources/{slug}/reports", data={"reason": PAYLOADS[1]}).ok
    desk = f"/kelifax/moderation/{slug}"
    status = f"/kelifax/submissions/{made.json()['submissionId']}"
    return [f"/kelifax/resources/{slug}", desk, f"{desk}/edit", f"{desk}/delete", status]


def _site(admin: APIRequestContext) -> list[str]:
    made = admin.post(
        "/api/fus/sites",
        data={
            "url": "https://traps.example/site",
            "title": PAYLOADS[0],
            "description": "\n".join(PAYLOADS),
            "tags": ['"><img src=x>'],
        },
    )
    assert made.ok, made.text()
    path = f"/fus/sites/{made.json()['siteId']}"
    assert admin.put(f"/api{path}/rating", data={"stars": 1, "note": PAYLOADS[1]}).ok
    assert admin.post(f"/api{path}/comments", data={"body": PAYLOADS[5]}).ok
    assert admin.post("/api/fus/groups", data={"name": "traps", "description": PAYLOADS[1], "permissions": []}).ok
    return [
        path,
        f"{path}/edit",
        f"{path}/delete",
        f"{path}/rating/remove",
        "/fus/groups/traps",
        "/fus/groups/traps/edit",
    ]
