"""A second factor: the password alone signs nobody in, a code works once, and guesses are counted."""

from __future__ import annotations

import asyncio
import base64

import pytest
from pydantic import SecretStr

from partita.kit.accounts import Accounts, CodeRequired, NewSession, totp
from partita.kit.mail import Outbox
from partita.kit.permissions import NOBODY, ConfirmationRequired, Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, Problem, SignInRequired, TooMany
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from tests.kit.accounts.conftest import PASSWORD, Made, Press, enter, join, mails_to
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio
NEW = "staple of the battery"


class App:
    """Somebody's phone."""

    def __init__(self, clock: HandClock, secret: str) -> None:
        self._clock = clock
        self._secret = base64.b32decode(secret.replace(" ", ""))

    def code(self, later: int = 0) -> str:
        return totp.code(self._secret, totp.step_at(self._clock.now().timestamp()) + later)


async def add(accounts: Accounts, viewer: Viewer, clock: HandClock) -> tuple[App, tuple[str, ...]]:
    """Add a second factor; the app, and the recovery codes."""
    await accounts.second_factors.begin(viewer)
    setup = await accounts.second_factors.setup(viewer)
    assert setup is not None
    app = App(clock, setup.secret)
    codes = await accounts.second_factors.add(viewer, app.code())
    clock.forward(seconds=30)  # the code of the setup is used up
    return app, codes


async def ticket_of(accounts: Accounts, name: str = "ada", password: str = PASSWORD) -> str:
    with pytest.raises(CodeRequired) as required:
        await accounts.sessions.sign_in(name, password)
    return required.value.ticket


@pytest.fixture
async def ada(accounts: Accounts) -> Viewer:
    return await join(accounts, "ada")


async def test_the_password_alone_signs_nobody_in(accounts: Accounts, ada: Viewer, clock: HandClock) -> None:
    app, _ = await add(accounts, ada, clock)
    ticket = await ticket_of(accounts)
    assert await accounts.recognition.from_session(ticket) is NOBODY
    for wrong in ("", "000000" if app.code() != "000000" else "111111", app.code(-3), app.code(5), "é" * 6, ticket):
        with pytest.raises(Invalid) as refused:
            await accounts.sessions.finish_sign_in(ticket, wrong)
        assert refused.value.code == "wrong_code"
    session = await accounts.sessions.finish_sign_in(ticket, f" {app.code()[:3]} {app.code()[3:]} ")
    assert (await accounts.recognition.from_session(session.token)).user_id == ada.user_id


async def test_a_code_works_once_even_for_many_at_once(accounts: Accounts, ada: Viewer, clock: HandClock) -> None:
    app, _ = await add(accounts, ada, clock)
    ticket, code = await ticket_of(accounts), app.code()
    tries = (accounts.sessions.finish_sign_in(ticket, code) for _ in range(8))
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, NewSession) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Invalid) for outcome in outcomes) == 7
    with pytest.raises(Invalid):
        await accounts.sessions.finish_sign_in(ticket, app.code(-1))  # nor does an older one that was never used
    clock.forward(seconds=30)
    await accounts.sessions.finish_sign_in(ticket, app.code())


async def test_whoever_has_the_app_is_told_once_of_a_code_that_was_entered_again(
    accounts: Accounts, outbox: Outbox, ada: Viewer, clock: HandClock
) -> None:
    app, _ = await add(accounts, ada, clock)
    clock.forward(seconds=30)
    ticket, code, older = await ticket_of(accounts), app.code(), app.code(-1)
    await accounts.sessions.finish_sign_in(ticket, code)
    clock.forward(seconds=1)
    for wrong in ("no code", older):  # a guess, and one that nobody had used
        with pytest.raises(Invalid):
            await accounts.sessions.finish_sign_in(ticket, wrong)
    assert await mails_to(accounts, outbox, "ada@example.org", "entered twice") == []
    for _ in range(3):
        with pytest.raises(Invalid):
            await accounts.sessions.finish_sign_in(ticket, code)
        clock.forward(seconds=1)
    (told,) = await mails_to(accounts, outbox, "ada@example.org", "entered twice")
    assert "was refused" in told.text
    assert code not in told.text


async def test_the_code_that_added_it_does_not_sign_in(accounts: Accounts, ada: Viewer, clock: HandClock) -> None:
    await accounts.second_factors.begin(ada)
    setup = await accounts.second_factors.setup(ada)
    assert setup is not None
    code = App(clock, setup.secret).code()
    await accounts.second_factors.add(ada, code)
    with pytest.raises(Invalid):
        await accounts.sessions.finish_sign_in(await ticket_of(accounts), code)


async def test_ten_wrong_codes_and_then_not_for_an_hour_by_whatever_ticket(
    accounts: Accounts, ada: Viewer, clock: HandClock
) -> None:
    app, codes = await add(accounts, ada, clock)
    for _ in range(10):
        with pytest.raises(Invalid):
            await accounts.sessions.finish_sign_in(await ticket_of(accounts), "no code")
    for right in (app.code(), codes[0]):
        with pytest.raises(TooMany):
            await accounts.sessions.finish_sign_in(await ticket_of(accounts), right)
    clock.forward(hours=1)
    await accounts.sessions.finish_sign_in(await ticket_of(accounts), app.code())


async def test_right_codes_are_not_counted(accounts: Accounts, ada: Viewer, clock: HandClock) -> None:
    app, _ = await add(accounts, ada, clock)
    for _ in range(15):
        await accounts.sessions.finish_sign_in(await ticket_of(accounts), app.code())
        clock.forward(seconds=30)


async def test_a_recovery_code_works_once_and_its_owner_is_told(
    accounts: Accounts, outbox: Outbox, ada: Viewer, clock: HandClock
) -> None:
    _, codes = await add(accounts, ada, clock)
    assert len(set(codes)) == 10
    ticket = await ticket_of(accounts)
    tries = (accounts.sessions.finish_sign_in(ticket, codes[3].upper().replace("-", " ")) for _ in range(6))
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, NewSession) for outcome in outcomes) == 1
    assert await accounts.second_factors.recovery_codes_left(ada) == 9
    (told,) = await mails_to(accounts, outbox, "ada@example.org", "recovery code")
    assert "9 are left" in told.text
    await accounts.sessions.finish_sign_in(ticket, codes[4])


async def test_new_recovery_codes_replace_the_old_ones(accounts: Accounts, ada: Viewer, clock: HandClock) -> None:
    _, old = await add(accounts, ada, clock)
    new = await accounts.second_factors.renew_recovery_codes(ada)
    ticket = await ticket_of(accounts)
    with pytest.raises(Invalid):
        await accounts.sessions.finish_sign_in(ticket, old[0])
    await accounts.sessions.finish_sign_in(ticket, new[0])


async def test_a_ticket_is_ours_is_young_and_ends_with_the_password(
    accounts: Accounts, ada: Viewer, clock: HandClock
) -> None:
    app, codes = await add(accounts, ada, clock)
    ticket = await ticket_of(accounts)
    for made_up in ("", "x", ticket[:-2], f"{ticket}a"):
        with pytest.raises(SignInRequired) as refused:
            await accounts.sessions.finish_sign_in(made_up, app.code())
        assert refused.value.code == "sign_in_again"
    clock.forward(minutes=10)
    with pytest.raises(SignInRequired):
        await accounts.sessions.finish_sign_in(ticket, app.code())
    young = await ticket_of(accounts)
    await accounts.profile.change_password(ada, PASSWORD, NEW)
    with pytest.raises(SignInRequired):
        await accounts.sessions.finish_sign_in(young, codes[0])


async def test_a_suspended_account_stays_out_between_password_and_code(
    accounts: Accounts, ada: Viewer, clock: HandClock
) -> None:
    app, _ = await add(accounts, ada, clock)
    ticket = await ticket_of(accounts)
    await accounts.administration.suspend(accounts.operator(), ada.id)
    with pytest.raises(Forbidden, match="suspended"):
        await accounts.sessions.finish_sign_in(ticket, app.code())


async def test_a_reset_by_mail_does_not_get_around_it(
    accounts: Accounts, outbox: Outbox, ada: Viewer, clock: HandClock
) -> None:
    await add(accounts, ada, clock)
    await accounts.resets.request("ada@example.org")
    (mail,) = await mails_to(accounts, outbox, "ada@example.org", "Reset")
    await accounts.resets.complete(mail.text.partition("token=")[2].split()[0], NEW)
    await ticket_of(accounts, password=NEW)


async def test_neither_secret_nor_codes_can_be_read_in_the_table(
    accounts: Accounts, ada: Viewer, clock: HandClock, house: EmbeddedStore
) -> None:
    await accounts.second_factors.begin(ada)
    setup = await accounts.second_factors.setup(ada)
    assert setup is not None
    during = str(house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"])
    codes = await accounts.second_factors.add(ada, App(clock, setup.secret).code())
    after = str(house.engine.call("Scan", {"TableName": "partita-accounts"})["Items"])
    secret = base64.b32decode(setup.secret.replace(" ", ""))
    for rows in (during, after):
        for spelt in (setup.secret.replace(" ", ""), secret.hex(), base64.b64encode(secret).decode(), repr(secret)):
            assert spelt not in rows
    assert not [code for code in codes if code in after or code.replace("-", "") in after]
    assert setup.secret not in repr(setup)


async def test_a_secret_in_the_wrong_row_or_under_another_key_opens_nothing(
    make_accounts: Made, settings: Settings, clock: HandClock
) -> None:
    before = make_accounts(settings.model_copy(update={"secret": SecretStr("the first secret of all")}))
    ada = await join(before, "ada")
    app, codes = await add(before, ada, clock)
    rotated = make_accounts(settings.model_copy(update={"secret": SecretStr("another secret,the first secret of all")}))
    await rotated.sessions.finish_sign_in(await ticket_of(rotated), app.code())
    lost = make_accounts(settings.model_copy(update={"secret": SecretStr("another secret for all")}))
    clock.forward(seconds=30)
    with pytest.raises(Invalid):
        await lost.sessions.finish_sign_in(await ticket_of(lost), app.code())
    await lost.sessions.finish_sign_in(await ticket_of(lost), codes[0])


async def test_nothing_changes_before_a_code_proves_that_the_app_has_the_secret(
    accounts: Accounts, ada: Viewer, clock: HandClock
) -> None:
    assert await accounts.second_factors.setup(ada) is None
    with pytest.raises(Conflict):
        await accounts.second_factors.add(ada, "123456")
    await accounts.second_factors.begin(ada)
    with pytest.raises(Invalid):
        await accounts.second_factors.add(ada, "no code")
    await enter(accounts, "ada")
    clock.forward(hours=1)
    later = await enter(accounts, "ada")
    with pytest.raises(Conflict):
        await accounts.second_factors.add(later, "123456")


async def test_only_whoever_has_just_shown_who_they_are_sees_or_changes_it(
    accounts: Accounts, ada: Viewer, clock: HandClock
) -> None:
    """A browser that was left open, or a stolen cookie, is not enough."""
    session = await accounts.sessions.sign_in("ada", PASSWORD)
    await accounts.second_factors.begin(ada)
    clock.forward(minutes=10)
    stale = await accounts.recognition.from_session(session.token)
    assert await accounts.second_factors.setup(stale) is None
    for act in (
        accounts.second_factors.begin,
        accounts.second_factors.remove,
        accounts.second_factors.renew_recovery_codes,
    ):
        with pytest.raises(ConfirmationRequired):
            await act(stale)
    with pytest.raises(ConfirmationRequired):
        await accounts.second_factors.add(stale, "123456")


async def test_it_is_removed_by_its_owner_or_an_administrator_who_may(
    accounts: Accounts, outbox: Outbox, ada: Viewer, clock: HandClock
) -> None:
    await add(accounts, ada, clock)
    await accounts.second_factors.remove(ada)
    ada = await enter(accounts, "ada")
    await add(accounts, ada, clock)
    eve = await join(accounts, "eve", "press:editor")
    with pytest.raises(Forbidden):
        await accounts.administration.remove_second_factor(eve, ada.id)
    chief = await join(accounts, "chief", "press:chief")
    await accounts.administration.remove_second_factor(chief, ada.id)
    await enter(accounts, "ada")
    told = await mails_to(accounts, outbox, "ada@example.org", "was removed")
    assert sum("The administrator Chief has removed" in each.text for each in told) == 1


async def test_tokens_of_programs_work_without_codes(accounts: Accounts, ada: Viewer, clock: HandClock) -> None:
    token = await accounts.tokens.create(ada, "robot", [], 30)
    await add(accounts, ada, clock)
    assert (await accounts.recognition.from_bearer(token.text)).signed_in


@pytest.mark.parametrize(
    ("demanded", "role", "must"),
    [
        ("optional", "admin", False),
        ("administrators", "admin", True),
        ("administrators", "press:chief", True),
        ("administrators", "press:editor", False),
        ("everybody", "press:editor", True),
    ],
)
async def test_whoever_must_have_one_may_do_nothing_before(
    make_accounts: Made, settings: Settings, clock: HandClock, demanded: str, role: str, must: bool
) -> None:
    accounts = make_accounts(settings.model_copy(update={"second_factor": demanded}))
    grace = await join(accounts, "grace", role)
    assert grace.must_add_factor == must
    assert grace.may(Press.READ) != must
    if must:
        with pytest.raises(Problem):
            await accounts.tokens.create(grace, "robot", [Press.READ], 1)
        app, _ = await add(accounts, grace, clock)
        session = await accounts.sessions.finish_sign_in(await ticket_of(accounts, "grace"), app.code())
        grace = await accounts.recognition.from_session(session.token)
        assert grace.may(Press.READ)
        assert not grace.must_add_factor
