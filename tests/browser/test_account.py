"""Accounts as people use them: signing up, in and out, passwords, sessions, tokens, the theme, the office."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, MEMBER, MODERATOR, PASSWORD, House
from tests.browser.keyboard import Keyboard
from tests.browser.window import Window, window


def test_somebody_signs_up_and_looks_after_their_account(house: House, mode: Mode) -> None:
    username = f"newcomer-{mode.number}"
    with mode.window(house) as person:
        _sign_up(person, username)
        person.open("/account")
        person.field("Name").fill("Nora New")
        person.press("Save")
        person.told("Name changed")
        _change_password(person, house, username, mode)
        _use_tokens(person, house)
        _leave(person)
        person.open("/account")
        assert person.path == "/sign-in?next=/account"
        person.fill(Email_or_username=username, Password=PASSWORD)
        person.press("Sign in")
        person.sees("Wrong username or password.")
        expect(person.field("Email or username")).to_have_value(username)
        person.check()
        person.fill(Password="another horse entirely")
        person.press("Sign in")
        assert person.path == "/account"


def _sign_up(person: Window, username: str) -> None:
    person.open("/")
    person.page.get_by_role("banner").get_by_role("link", name="Sign in").click()
    person.follow("Create an account")
    person.fill(Name="Nora", Username=MEMBER, Email=f"{username}@example.org", Password="1234567890")
    person.press("Create an account")
    person.wrong("Password", "")
    expect(person.field("Name")).to_have_value("Nora")
    expect(person.field("Password")).to_have_value("")
    person.check()
    person.fill(Password=PASSWORD)
    person.press("Create an account")
    person.wrong("Username", "This username is taken")
    person.fill(Username=username, Password=PASSWORD)
    person.press("Create an account")
    person.told("Welcome, Nora.")


def _change_password(person: Window, house: House, username: str, mode: Mode) -> None:
    with mode.window(house) as elsewhere:
        elsewhere.open("/sign-in")
        elsewhere.fill(Email_or_username=f"{username}@example.org", Password=PASSWORD)
        elsewhere.press("Sign in")
        person.open("/account/sessions")
        assert person.page.get_by_text("This browser").count() == 1
        person.press(re.compile("^Sign out ."))
        person.told("Browser signed out")
        elsewhere.open("/account")
        assert elsewhere.path == "/sign-in?next=/account"
    person.follow("Password")
    person.fill(Current_password="wrong horse battery", New_password="another horse entirely")
    person.press("Change password")
    person.wrong("Current password", "Wrong password.")
    person.fill(Current_password=PASSWORD, New_password="another horse entirely")
    person.press("Change password")
    person.told("Password changed")


def _use_tokens(person: Window, house: House) -> None:
    person.open("/account/tokens")
    person.sees("No tokens yet")
    person.fill(Name="Backup script", Days_until_it_expires="30")
    person.press("Create token")
    token = person.page.locator(".secret code").inner_text()
    person.open("/account/tokens")
    person.sees_not(token)
    with house.program() as program:

        def status() -> int:
            return program.get("/api/fus/me/ratings", headers={"Authorization": f"Bearer {token}"}).status

        assert status() == (200 if "fus" in house.systems else 404)
        person.confirm("Revoke", "Revoke")
        person.told("Token revoked")
        assert status() == (401 if "fus" in house.systems else 404)


def _leave(person: Window) -> None:
    person.page.locator("summary").filter(has_text="Account").click()
    person.page.get_by_role("button", name="Sign out", exact=True).click()
    person.told("You are signed out")


def test_somebody_signs_in_with_the_keyboard_alone(house: House) -> None:
    with window(house) as person:
        person.open("/kelifax")
        keys = Keyboard(person)
        keys.to("Sign in", "Enter")
        keys.type("Email or username", MODERATOR)
        keys.type("Password", PASSWORD, "Enter")
        assert person.path == "/kelifax"
        keys.to("Moderation", "Enter")
        person.sees("Submissions wait here")
        person.page.keyboard.press("/")
        expect(person.page.locator(":focus")).to_have_attribute("aria-label", "Search Kelifax")


def test_the_theme_is_chosen_and_stays(house: House, mode: Mode) -> None:
    with mode.window(house) as visitor:
        visitor.open("/kelifax")
        root = visitor.page.locator("html")
        expect(root).not_to_have_attribute("data-theme", re.compile(""))
        visitor.page.locator("summary").filter(has_text="Theme").click()
        visitor.page.get_by_role("button", name="Dark").click()
        expect(root).to_have_attribute("data-theme", "dark")
        visitor.open("/sign-in")
        expect(root).to_have_attribute("data-theme", "dark")


def test_an_administrator_lets_somebody_in_and_shuts_them_out(house: House) -> None:
    with window(house, ADMIN) as admin, window(house) as person:
        admin.open("/")
        admin.page.get_by_role("link", name="People").click()
        admin.follow("Add a person")
        admin.fill(Name="Olu Once", Username="olu-once", Email="olu@example.org")
        admin.page.get_by_role("checkbox", name=re.compile("^Kelifax moderator")).check()
        admin.press("Add person")
        once = admin.page.locator(".secret code").inner_text()
        admin.check()
        person.open("/kelifax/moderation")
        person.fill(Email_or_username="olu-once", Password=once)
        person.press("Sign in")
        assert person.path == "/account/password"
        person.open("/kelifax/moderation")
        assert person.path == "/account/password"
        person.field("One-time password").fill(once)
        person.fill(New_password=PASSWORD)
        person.press("Change password")
        person.open("/kelifax/moderation")
        person.sees("Submissions wait here")
        admin.open("/admin/users?q=olu-once")
        admin.follow("Olu Once")
        admin.confirm("Suspend", "Suspend")
        admin.told("Account suspended")
        person.open("/kelifax/moderation")
        assert person.path.startswith("/sign-in")


def test_a_forgotten_password_is_chosen_anew_by_mail(house: House) -> None:
    with window(house) as person, window(house, ADMIN) as admin:
        person.open("/sign-up")
        person.fill(Name="Fay", Username="fay-forgets", Email="fay@example.org", Password=PASSWORD)
        person.press("Create an account")
        _leave(person)
        person.open("/sign-in")
        person.follow("Forgotten your password?")
        person.fill(Email="fay@example.org")
        person.press("Send link")
        person.told("you will get a link by mail")
        admin.until("/admin/outbox", lambda: admin.page.get_by_text("fay@example.org").count() > 0)
        admin.page.get_by_role("row").filter(has_text="fay@example.org").get_by_role("link").click()
        link = admin.page.locator("#main a[href*='/account/reset']").get_attribute("href")
        assert link is not None
        person.page.goto(link)
        person.fill(New_password="a horse remembered")
        person.press("Change password")
        person.told("Password changed")
        person.fill(Email_or_username="fay@example.org", Password="a horse remembered")
        person.press("Sign in")
        person.page.goto(link)
        person.sees("This link is invalid or expired")
        person.follow("Send a new link")
        assert person.path == "/account/forgotten"
