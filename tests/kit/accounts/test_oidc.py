"""Access tokens of an OpenID provider: only whole, current ones that were made for us let anybody in."""

from __future__ import annotations

import asyncio
import base64
import hmac
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from partita.kit.accounts import Account, Accounts
from partita.kit.problems import Forbidden, SignInRequired, Unavailable
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from partita.table import Update
from tests.kit.accounts.conftest import ADMIN, POLICY, Made, Press, join
from tests.kit.accounts.provider import CLIENT, KEYS, Provider, new_key, running
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio


@dataclass
class Site:
    """Accounts that trust a provider."""

    accounts: Accounts
    provider: Provider


@pytest.fixture
async def site(make_accounts: Made, settings: Settings, clock: HandClock) -> AsyncIterator[Site]:
    async with running(clock) as provider:
        trusting = Settings(
            data=settings.data,
            oidc_issuer=provider.issuer,
            oidc_client_id=CLIENT,
            oidc_roles_claim="cognito:groups",
        )
        yield Site(make_accounts(trusting), provider)


async def _refused(site: Site, token: str) -> str:
    with pytest.raises(SignInRequired) as refused:
        await site.accounts.recognition.from_bearer(token)
    assert refused.value.code == "invalid_token"
    assert refused.value.headers == {"WWW-Authenticate": "Bearer"}
    return refused.value.detail


async def test_a_good_token_lets_its_bearer_in_with_an_account_of_their_own(site: Site) -> None:
    viewer = await site.accounts.recognition.from_bearer(site.provider.token())
    assert (viewer.username, viewer.via, viewer.permissions) == ("ada", "oidc", POLICY.members)
    again = await site.accounts.recognition.from_bearer(site.provider.token())
    assert again == viewer
    account = await site.accounts.people.get(viewer.id)
    assert (account.issuer, account.email) == (site.provider.issuer, None)


async def test_many_first_requests_at_once_make_one_account_and_ask_for_the_keys_once(
    site: Site, house: EmbeddedStore
) -> None:
    token = site.provider.token()
    viewers = await asyncio.gather(*(site.accounts.recognition.from_bearer(token) for _ in range(20)))
    assert len(set(viewers)) == 1
    assert site.provider.asked == ["/pool/.well-known/openid-configuration", "/pool/keys"]
    rows = house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"]
    assert sorted(row["SK"]["S"] for row in rows) == ["ACCOUNT", "UNIQUE"]


async def test_people_with_the_same_name_are_told_apart(site: Site) -> None:
    here = await join(site.accounts, "ada")
    first = await site.accounts.recognition.from_bearer(site.provider.token(sub="one"))
    second = await site.accounts.recognition.from_bearer(site.provider.token(sub="two", username="admin"))
    third = await site.accounts.recognition.from_bearer(site.provider.token(sub="üñí", username=None, name="Ñandú"))
    assert len({here.user_id, first.user_id, second.user_id, third.user_id}) == 4
    assert first.username.startswith("ada-")
    assert second.username.startswith("admin-")
    assert third.name == "Ñandú"


async def test_people_of_a_pool_have_the_ids_that_the_pool_gave_them(site: Site) -> None:
    sub = "b7f1c2de-93aa-4c5e-8d10-0a1b2c3d4e5f"
    assert (await site.accounts.recognition.from_bearer(site.provider.token(sub=sub))).id == sub
    for other in (sub.upper(), f"{sub}x", "one"):
        assert len((await site.accounts.recognition.from_bearer(site.provider.token(sub=other))).id) == 26


async def test_an_account_of_another_issuer_is_not_given_away(site: Site, house: EmbeddedStore) -> None:
    sub = "b7f1c2de-93aa-4c5e-8d10-0a1b2c3d4e5f"
    await site.accounts.recognition.from_bearer(site.provider.token(sub=sub))
    house.write(Update(Account.key(Account.user_id(sub)), Account.issuer.set("https://before.example.org")))
    with pytest.raises(Forbidden, match="another sign-in service"):
        await site.accounts.recognition.from_bearer(site.provider.token(sub=sub))


async def test_the_roles_claim_grants_roles_that_there_are(site: Site) -> None:
    token = site.provider.token(groups=["press:editor", "press:janitor", 7])
    assert (await site.accounts.recognition.from_bearer(token)).permissions == set(Press)
    everything = site.provider.token(groups=f"other {ADMIN}")
    assert (await site.accounts.recognition.from_bearer(everything)).permissions == POLICY.known
    plain = await site.accounts.recognition.from_bearer(site.provider.token())
    assert plain.permissions == POLICY.members, "what a token grants is not kept"
    await site.accounts.administration.set_roles(site.accounts.operator(), plain.id, ["press:editor"])
    assert (await site.accounts.recognition.from_bearer(site.provider.token())).permissions == set(Press)


async def test_without_the_setting_a_token_carries_no_roles(
    make_accounts: Made, site: Site, settings: Settings
) -> None:
    accounts = make_accounts(Settings(data=settings.data, oidc_issuer=site.provider.issuer, oidc_client_id=CLIENT))
    strange: dict[str, Any] = {"": [ADMIN], "roles": [ADMIN]}
    token = site.provider.token(groups=[ADMIN], **strange)
    assert (await accounts.recognition.from_bearer(token)).permissions == POLICY.members


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"exp": None},
        {"exp": "tomorrow"},
        {"sub": None},
        {"token_use": "id", "aud": CLIENT},
        {"client_id": "another"},
        {"client_id": None},
        {"client_id": None, "aud": ["another"]},
        {"nonce": "n-0S6_WzA2Mj", "client_id": None, "aud": CLIENT, "token_use": None},
        {"typ": "ID"},
    ],
    ids=str,
)
async def test_a_token_that_says_something_else_is_refused(site: Site, claims: dict[str, Any]) -> None:
    await _refused(site, site.provider.token(**claims))


async def test_a_token_without_the_words_of_cognito_is_good_for_its_audience(site: Site) -> None:
    token = site.provider.token(token_use=None, client_id=None, aud=["other", CLIENT])
    assert (await site.accounts.recognition.from_bearer(token)).signed_in


async def test_a_token_is_good_from_its_beginning_to_its_end(site: Site, clock: HandClock) -> None:
    token = site.provider.token()
    early = site.provider.token(nbf=int(clock.now().timestamp()) + 600)
    await _refused(site, early)
    clock.forward(minutes=60, seconds=59)
    assert (await site.accounts.recognition.from_bearer(token)).signed_in, "clocks differ by a minute"
    clock.forward(seconds=2)
    assert "Expired" in await _refused(site, token)


async def test_signatures_that_prove_nothing_are_refused(site: Site) -> None:
    good = site.provider.token()
    header, payload, signature = good.split(".")

    def encoded(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(orjson.dumps(value)).decode().rstrip("=")

    claims = orjson.loads(base64.urlsafe_b64decode(payload + "=="))
    symmetric = encoded({"alg": "HS256", "kid": "first"})
    by_public_key = hmac.digest(KEYS["first"].as_pem(private=False), f"{symmetric}.{payload}".encode(), "sha256")
    by_secret = f"{symmetric}.{payload}.{base64.urlsafe_b64encode(by_public_key).decode().rstrip('=')}"
    any_use = RSAKey.import_key(KEYS["first"].as_pem(private=True))
    by_pss = jwt.encode({"alg": "PS256", "kid": "first"}, claims, any_use, algorithms=["PS256"])
    altered = encoded({**claims, "cognito:groups": [ADMIN]})
    for token in (
        f"{encoded({'alg': 'none', 'kid': 'first'})}.{payload}.",
        f"{encoded({'alg': 'none', 'kid': 'first'})}.{payload}.{signature}",
        by_secret,
        by_pss,
        f"{header}.{altered}.{signature}",
        f"{header}.{payload}.{signature[:-4]}",
        f"{encoded({'alg': 'RS256'})}.{payload}.{signature}",
        f"{encoded({'alg': 'RS256', 'kid': 7})}.{payload}.{signature}",
        f"{header}.{payload}.",
        "a.b.c",
        "..",
        f"{header}.{payload}.{signature}é",
        f"{header}.{payload}.{signature * 100}",
    ):
        await _refused(site, token)
    assert (await site.accounts.recognition.from_bearer(good)).signed_in


async def test_a_key_that_only_the_bearer_knows_proves_nothing(site: Site) -> None:
    await site.accounts.recognition.from_bearer(site.provider.token())
    await _refused(site, site.provider.token(key="second", header={"kid": "first"}))
    own = dict(KEYS["second"].as_dict(private=False))
    await _refused(site, site.provider.token(key="second", header={"jwk": own}))


async def test_a_new_key_is_fetched_when_a_token_names_it_and_made_up_ones_do_not_keep_us_asking(
    site: Site, clock: HandClock
) -> None:
    await site.accounts.recognition.from_bearer(site.provider.token())
    site.provider.published.append(dict(KEYS["second"].as_dict(private=False)))
    assert len(site.provider.asked) == 2
    rotated = site.provider.token(key="second")
    await _refused(site, rotated)  # within the cool-down nobody asks
    assert len(site.provider.asked) == 2
    clock.forward(minutes=1)
    assert (await site.accounts.recognition.from_bearer(rotated)).signed_in
    assert len(site.provider.asked) == 4
    clock.forward(minutes=1)
    for number in range(30):
        await _refused(site, site.provider.token(header={"kid": f"made-up-{number}"}))
    assert len(site.provider.asked) == 6


async def test_a_key_that_was_withdrawn_is_forgotten_within_the_day(site: Site, clock: HandClock) -> None:
    await site.accounts.recognition.from_bearer(site.provider.token())
    site.provider.published = [dict(KEYS["second"].as_dict(private=False))]
    clock.forward(hours=12, seconds=1)
    await _refused(site, site.provider.token())


async def test_a_provider_that_is_away_locks_nobody_out_whose_key_is_known(
    site: Site, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    site.provider.away = True
    with pytest.raises(Unavailable):
        await site.accounts.recognition.from_bearer(site.provider.token())
    assert "answers 503" in caplog.text
    site.provider.away = False
    clock.forward(minutes=1)
    assert (await site.accounts.recognition.from_bearer(site.provider.token())).signed_in
    site.provider.away = True
    clock.forward(hours=13)
    assert (await site.accounts.recognition.from_bearer(site.provider.token())).signed_in


async def test_keys_of_another_kind_are_passed_over(site: Site) -> None:
    small = dict(new_small_key())
    first = site.provider.published[0]
    site.provider.published = [
        {"kty": "EC", "kid": "curve", "crv": "P-256", "x": "AA", "y": "AA"},
        {"kty": "oct", "kid": "secret", "k": "AAAA"},
        {**first, "kid": "encryption", "use": "enc"},
        small,
        {"kty": "RSA", "n": first["n"], "e": first["e"]},
        first,
    ]
    assert (await site.accounts.recognition.from_bearer(site.provider.token())).signed_in
    for name in ("curve", "secret", "encryption", "small"):
        await _refused(site, site.provider.token(header={"kid": name}))


def new_small_key() -> dict[str, Any]:
    with pytest.warns(UserWarning, match="2048"):
        return dict(new_key("small", 1024).as_dict(private=False))


async def test_a_configuration_of_another_issuer_is_not_believed(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    site.provider.configuration = {"issuer": "https://elsewhere.example"}
    with pytest.raises(Unavailable):
        await site.accounts.recognition.from_bearer(site.provider.token())
    assert "names the issuer https://elsewhere.example" in caplog.text


async def test_a_suspended_person_is_kept_out(site: Site) -> None:
    viewer = await site.accounts.recognition.from_bearer(site.provider.token())
    await site.accounts.administration.suspend(site.accounts.operator(), viewer.id)
    with pytest.raises(Forbidden):
        await site.accounts.recognition.from_bearer(site.provider.token())


async def test_tokens_are_in_no_log(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    good, bad = site.provider.token(), site.provider.token(client_id="another")
    await site.accounts.recognition.from_bearer(good)
    detail = await _refused(site, bad)
    for token in (good, bad):
        for part in token.split(".")[1:]:
            assert part not in caplog.text + detail


async def test_where_no_provider_is_set_its_tokens_are_refused(accounts: Accounts, site: Site) -> None:
    with pytest.raises(SignInRequired):
        await accounts.recognition.from_bearer(site.provider.token())
