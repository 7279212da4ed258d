"""Accounts as people use them: signing up, in and out, second factors, sessions, tokens, the theme, the office."""

from __future__ import annotations

import base64
import re
import time

from playwright.sync_api import expect

from partita.kit.accounts import totp
from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, MEMBER, MODERATOR, PASSWORD, House, confirm_address, mailed_token
from tests.browser.keyboard import Keyboard
from tests.browser.window import Window, window


def test_somebody_signs_up_and_looks_after_their_account(house: House, mode: Mode) -> None:
    username = f"newcomer-{mode.number}"
    with mode.window(house) as person:
        _sign_up(person, username)
        _confirm_address(person, house, username)
        person.open("/account")
        person.field("Name").fill("Nora New")
        person.press("Save")
        person.told("Name changed")
        _change_password(person, house, username, mode)
        _use_tokens(person, house)
        _leave(person)
        person.open("/account")
        person.at("/sign-in?next=/account")
        person.fill(Email_or_username=username, Password=PASSWORD)
        person.press("Sign in")
        person.sees("Wrong username or password.")
        expect(person.field("Email or username")).to_have_value(username)
        person.check()
        person.fill(Password="another horse entirely")
        person.press("Sign in")
        person.at("/account")


def _sign_up(person: Window, username: str) -> None:
    person.open("/")
    person.click(person.page.get_by_role("banner").get_by_role("link", name="Sign in"))
    person.follow("Create an account")
    person.fill(Name="Nora", Username=MEMBER, Email=f"{username}@example.org", Password="1234567890123")
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
    person.told(f"We have sent a link to {username}@example.org")


def _confirm_address(person: Window, house: House, username: str) -> None:
    person.open("/account")
    person.sees(f"{username}@example.org is not confirmed yet.")
    person.check()
    person.press("Send the link again")
    person.told("We have sent a link")
    with house.program(ADMIN) as admin:
        token = mailed_token(admin, f"{username}@example.org")
    person.open(f"/account/address?token={token}")
    person.sees(f"{username}@example.org becomes the address of your account")
    person.check()
    person.press("Confirm address")
    person.told("is confirmed.")
    person.open(f"/account/address?token={token}")
    person.sees("This link is invalid or expired.")
    person.check()


def _change_password(person: Window, house: House, username: str, mode: Mode) -> None:
    with mode.window(house) as elsewhere:
        elsewhere.open("/sign-in")
        elsewhere.fill(Email_or_username=f"{username}@example.org", Password=PASSWORD)
        with elsewhere.leaving():
            elsewhere.press("Sign in")
        person.open("/account/sessions")
        assert person.page.get_by_text("This browser").count() == 1
        person.press(re.compile("^Sign out ."))
        person.told("Browser signed out")
        elsewhere.open("/account")
        elsewhere.at("/sign-in?next=/account")
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
    token = person.text(".secret code")
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
    person.click(person.page.locator("summary").filter(has_text="Account"))
    person.click(person.page.get_by_role("button", name="Sign out", exact=True))
    person.told("You are signed out")


def test_somebody_signs_in_with_the_keyboard_alone(house: House) -> None:
    with window(house) as person:
        person.open("/kelifax")
        keys = Keyboard(person)
        keys.to("Sign in", "Enter")
        keys.type("Email or username", MODERATOR)
        keys.type("Password", PASSWORD, "Enter")
        person.at("/kelifax")
        keys.to("Moderation", "Enter")
        person.sees("What waits longest comes first")
        person.page.keyboard.press("/")
        expect(person.page.locator(":focus")).to_have_attribute("aria-label", "Search Kelifax")


def test_somebody_adds_a_second_factor_and_signs_in_with_it(house: House, mode: Mode) -> None:
    username = f"careful-{mode.number}"
    with mode.window(house) as person, mode.window(house) as phone:
        person.open("/sign-up")
        person.fill(Name="Carla", Username=username, Email=f"{username}@example.org", Password=PASSWORD)
        person.press("Create an account")
        person.told("Welcome, Carla.")
        person.open("/account")
        person.follow("Second factor")
        person.press("Add a second factor")
        person.sees("Scan this picture")
        person.check()
        secret = base64.b32decode(person.text(".secret code").replace(" ", ""))
        person.fill(Code_of_the_app="no code")
        person.press("Add second factor")
        person.wrong("Code of the app", "Wrong code.")
        person.check()
        person.fill(Code_of_the_app=totp.code(secret, totp.step_at(time.time()) - 1))
        person.press("Add second factor")
        person.told("Second factor added")
        expect(person.page.locator(".codes span")).to_have_count(10)
        codes = person.page.locator(".codes span").all_inner_texts()
        person.check()
        phone.open("/sign-in?next=/account/second-factor")
        phone.fill(Email_or_username=username, Password=PASSWORD)
        phone.press("Sign in")
        phone.sees("Enter a code")
        phone.check()
        phone.fill(Code="123")
        phone.press("Sign in")
        phone.wrong("Code", "Wrong or used code.")
        phone.fill(Code=codes[0])
        phone.press("Sign in")
        phone.at("/account/second-factor")
        phone.sees("9 recovery codes are left")
        phone.open("/account/confirm?next=/account/second-factor")
        phone.check()
        phone.fill(Code=codes[1])
        phone.press("Confirm")
        phone.confirm("Remove", "Remove")
        phone.told("Second factor removed")


def test_a_code_is_entered_with_the_keyboard_alone(house: House) -> None:
    with window(house) as person:
        person.open("/sign-up")
        keys = Keyboard(person)
        keys.type("Name", "Kay")
        keys.type("Username", "kay-keys")
        keys.type("Email", "kay-keys@example.org")
        keys.type("Password", PASSWORD, "Enter")
        person.told("Welcome, Kay.")
        person.open("/account/second-factor")
        keys.to("Add a second factor", "Enter")
        secret = base64.b32decode(person.text(".secret code").replace(" ", ""))
        keys.type("Code of the app", totp.code(secret, totp.step_at(time.time()) - 1), "Enter")
        person.told("Second factor added")
        person.open("/")
        _leave(person)
        person.open("/sign-in")
        keys.type("Email or username", "kay-keys")
        keys.type("Password", PASSWORD, "Enter")
        keys.type("Code", totp.code(secret, totp.step_at(time.time())), "Enter")
        person.at("/")


def test_a_password_can_be_shown_and_pasted_and_is_not_kept_in_the_browser(house: House) -> None:
    with window(house) as person:
        person.open("/sign-up")
        person.fill(Name="Sho", Username="sho-shows", Email="sho@example.org")
        box = person.field("Password")
        box.focus()
        box.evaluate("(box, text) => { box.focus(); document.execCommand('insertText', false, text); }", "long " * 40)
        expect(box).to_have_value("long " * 40)  # nothing is cut off
        person.press("Show Password")
        expect(box).to_have_attribute("type", "text")
        person.check()
        person.open("/sign-in")
        kept = person.page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")
        assert "long long" not in kept
        person.open("/sign-up")
        person.fill(Name="Sho", Username="sho-shows", Email="sho@example.org", Password="long " * 40)
        person.press("Create an account")
        person.wrong("Password", "At most 128 characters; this has 200.")


def test_the_theme_is_chosen_and_stays(house: House, mode: Mode) -> None:
    with mode.window(house) as visitor:
        visitor.open("/kelifax")
        root = visitor.page.locator("html")
        expect(root).not_to_have_attribute("data-theme", re.compile(""))
        visitor.click(visitor.page.locator("summary").filter(has_text="Theme"))
        visitor.click(visitor.page.get_by_role("button", name="Dark"))
        expect(root).to_have_attribute("data-theme", "dark")
        visitor.open("/sign-in")
        expect(root).to_have_attribute("data-theme", "dark")


def test_an_administrator_lets_somebody_in_and_shuts_them_out(house: House) -> None:
    with window(house, ADMIN) as admin, window(house) as person:
        admin.open("/")
        admin.click(admin.page.get_by_role("link", name="People"))
        admin.follow("Add a person")
        admin.fill(Name="Olu Once", Username="olu-once", Email="olu@example.org")
        admin.page.get_by_role("checkbox", name=re.compile("^Kelifax moderator")).check()
        admin.press("Add person")
        once = admin.text(".secret code")
        admin.check()
        person.open("/kelifax/moderation")
        person.fill(Email_or_username="olu-once", Password=once)
        person.press("Sign in")
        person.at(re.compile("/account/password"))
        person.open("/kelifax/moderation")
        person.at("/account/password")
        person.field("One-time password").fill(once)
        person.fill(New_password=PASSWORD)
        with person.leaving():
            person.press("Change password")
        person.open("/kelifax/moderation")
        person.sees("What waits longest comes first")
        admin.open("/admin/users?q=olu-once")
        admin.follow("Olu Once")
        admin.confirm("Suspend", "Suspend")
        admin.told("Account suspended")
        person.open("/kelifax/moderation")
        person.at(re.compile("/sign-in"))


def test_a_forgotten_password_is_chosen_anew_by_mail(house: House) -> None:
    with window(house) as person, window(house, ADMIN) as admin:
        person.open("/sign-up")
        person.fill(Name="Fay", Username="fay-forgets", Email="fay@example.org", Password=PASSWORD)
        person.press("Create an account")
        person.told("Welcome, Fay.")
        house.keys["fay"] = person.page.context.storage_state()
        with house.program(ADMIN) as program:
            confirm_address(house, program, "fay")
        _leave(person)
        person.open("/sign-in")
        person.follow("Forgotten your password?")
        person.fill(Email="fay@example.org")
        person.press("Send link")
        person.told("you will get a link by mail")
        admin.until("/admin/outbox", lambda: admin.page.get_by_text("Reset your password").count() > 0)
        row = admin.page.get_by_role("row").filter(has_text="fay@example.org").filter(has_text="Reset your password")
        admin.click(row.get_by_role("link"))
        link = admin.page.locator("#main a[href*='/account/reset']").get_attribute("href")
        assert link is not None
        person.page.goto(link)
        person.fill(New_password="a horse remembered")
        person.press("Change password")
        person.told("Password changed")
        person.fill(Email_or_username="fay@example.org", Password="a horse remembered")
        with person.leaving():
            person.press("Sign in")
        person.page.goto(link)
        person.sees("This link is invalid or expired")
        person.follow("Send a new link")
        person.at("/account/forgotten")
