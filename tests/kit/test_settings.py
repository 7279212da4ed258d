"""Settings come from the environment, then a file, then defaults; the documentation knows all of them."""

from __future__ import annotations

import multiprocessing
import re
import stat
from pathlib import Path

import pytest

from partita.kit.keys import signing_keys
from partita.kit.settings import Settings, SettingsError, read_settings

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"PARTITA_{name.upper()}", raising=False)


def test_every_setting_is_documented_with_its_default_and_none_that_is_gone() -> None:
    documented = dict(re.findall(r"^\| `(\w+)` \|(.*?)\| \S", DOCS.read_text(), re.MULTILINE))
    shown = {}
    for name, info in Settings.model_fields.items():
        default = info.default if info.default_factory is None else None
        text = str(default).lower() if isinstance(default, bool) else str(default)
        text = ",".join(map(str, default)) if isinstance(default, tuple) else text
        shown[name] = " " if default in (None, ()) else f" `{text}` "
    assert documented == shown


def test_ports_are_a_list_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTITA_FETCH_PORTS", "80, 8080")
    assert read_settings().fetch_ports == (80, 8080)
    monkeypatch.setenv("PARTITA_FETCH_PORTS", "80,0")
    with pytest.raises(SettingsError, match="PARTITA_FETCH_PORTS"):
        read_settings()


def test_every_setting_says_what_it_is_for() -> None:
    assert [name for name, info in Settings.model_fields.items() if not info.description] == []


def test_the_environment_goes_before_the_file_and_the_file_before_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "partita.toml").write_text('port = 9000\nhost = "0.0.0.0"\ntrusted_proxies = ["10.0.0.0/8"]\n')
    monkeypatch.setenv("PARTITA_PORT", "9001")
    settings = read_settings()
    assert (settings.port, settings.host, settings.workers) == (9001, "0.0.0.0", 1)
    assert settings.trusted_proxies == ("10.0.0.0/8",)
    assert settings.base_url == "http://127.0.0.1:9001"
    assert read_settings(port=1).port == 1


def test_another_file_can_be_named_and_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARTITA_SETTINGS", str(tmp_path / "other.toml"))
    with pytest.raises(SettingsError, match="no such file"):
        read_settings()
    (tmp_path / "other.toml").write_text("session_days = 3\n")
    assert read_settings().session_days == 3
    (tmp_path / "other.toml").write_text("session_days = \n")
    with pytest.raises(SettingsError, match=r"other\.toml is not valid TOML"):
        read_settings()


def test_what_cannot_be_used_is_said_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTITA_PORT", "many")
    monkeypatch.setenv("PARTITA_BACKEND", "postgres")
    monkeypatch.setenv("PARTITA_TRUSTED_PROXIES", "10.0.0.1, proxy")
    monkeypatch.setenv("PARTITA_SECRET", "hunter2")
    with pytest.raises(SettingsError) as error:
        read_settings()
    assert str(error.value).splitlines() == [
        "PARTITA_BACKEND: Choose embedded or dynamodb.",
        "PARTITA_PORT: Enter a whole number.",
        "PARTITA_TRUSTED_PROXIES: proxy is not an address or network, such as 10.0.0.1 or 10.0.0.0/8.",
        "PARTITA_SECRET: At least 16 characters each; one has 7.",
    ]


def test_settings_that_need_others_are_said_beside_what_is_wrong_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "PORT": "x",
        "MAIL": "smtp",
        "FILES": "s3",
        "CHANGES": "local",
        "NEWSLETTER_WRITER": "bedrock",
        "OIDC_ISSUER": "http://id.example.org",
        "NEWSLETTER_OPENAI_KEY": "x",
        "NEWSLETTER_OPENAI_URL": "http://far.example.org/v1",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"PARTITA_{name}", value)
    with pytest.raises(SettingsError) as error:
        read_settings()
    assert str(error.value).splitlines() == [
        "PARTITA_PORT: Enter a whole number.",
        "PARTITA_OIDC_ISSUER: The URL must be https, so that nobody can replace the keys on the way.",
        "PARTITA_CHANGES: `local` is only for the backend `dynamodb`.",
        "PARTITA_S3_BUCKET must be set too.",
        "PARTITA_SMTP_HOST must be set too.",
        "PARTITA_NEWSLETTER_BEDROCK_MODEL must be set too.",
        "PARTITA_NEWSLETTER_OPENAI_MODEL must be set too.",
        "PARTITA_NEWSLETTER_OPENAI_URL must be https: the key would be sent unencrypted.",
    ]


def test_what_goes_by_a_setting_that_is_wrong_itself_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTITA_BACKEND", "postgres")
    monkeypatch.setenv("PARTITA_CHANGES", "local")
    with pytest.raises(SettingsError) as error:
        read_settings()
    assert str(error.value) == "PARTITA_BACKEND: Choose embedded or dynamodb."


def test_a_mistake_is_named_where_it_was_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "partita.toml").write_text('base_url = "partita"\nport = "x"\nhots = "a"\ntrusted_proxies = [1]\n')
    monkeypatch.setenv("PARTITA_PORT", "y")
    monkeypatch.setenv("PARTITA_BASE_URL", "")  # which counts as unset
    with pytest.raises(SettingsError) as error:
        read_settings(mail="post")
    port, base_url, proxies, mail, hots = sorted(str(error.value).splitlines(), key=lambda line: "hots" in line)
    assert port == "PARTITA_PORT: Enter a whole number."
    assert base_url.startswith("base_url in partita.toml: Enter a complete URL")
    assert proxies == "trusted_proxies.0 in partita.toml: Enter text."
    assert mail == "PARTITA_MAIL: Choose outbox or smtp."
    assert hots == "hots is not a setting; did you mean host? (in partita.toml)"


def test_a_misspelt_setting_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "partita.toml").write_text("sesion_days = 3\n")
    with pytest.raises(SettingsError, match="sesion_days is not a setting; did you mean session_days"):
        read_settings()
    (tmp_path / "partita.toml").unlink()
    monkeypatch.setenv("PARTITA_SMTP_HOSTT", "x")
    monkeypatch.setenv("PARTITA_SERVICE_HOST", "somebody else's")
    read_settings()
    assert [record.getMessage() for record in caplog.records] == [
        "PARTITA_SMTP_HOSTT is not a setting and is ignored; did you mean PARTITA_SMTP_HOST?"
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"files": "s3"}, "PARTITA_S3_BUCKET must be set too."),
        ({"mail": "smtp"}, "PARTITA_SMTP_HOST must be set too."),
        ({"oidc_issuer": "https://id.example.org"}, "PARTITA_OIDC_CLIENT_ID must be set too."),
        ({"oidc_issuer": "http://id.example.org", "oidc_client_id": "x"}, "must be https"),
        ({"base_url": "partita.example.org"}, "Enter a complete URL"),
        (
            {"mail": "smtp", "smtp_host": "far.example.org", "smtp_security": "none", "smtp_password": "x"},
            "would send the password unencrypted",
        ),
    ],
)
def test_settings_that_need_each_other_are_checked_together(given: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        read_settings(**given)


def test_an_issuer_is_kept_to_the_letter_and_a_site_without_its_last_slash() -> None:
    settings = read_settings(oidc_issuer="https://id.example.org/", oidc_client_id="x", base_url="https://a.example/")
    assert settings.oidc_issuer == "https://id.example.org/"
    assert (settings.base_url, settings.secure) == ("https://a.example", True)
    assert not read_settings().secure


def test_secrets_are_in_no_representation_and_in_no_error() -> None:
    settings = read_settings(secret="correct horse battery", smtp_password="staple")
    assert "horse" not in repr(settings) + str(settings)
    assert "staple" not in repr(settings)
    with pytest.raises(SettingsError) as error:
        read_settings(secret="correct", mail="carrier pigeon")
    assert "correct" not in str(error.value)


def test_a_secret_that_is_not_set_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    settings = read_settings(data=tmp_path / "new" / "data")
    keys = signing_keys(settings, "cursors")
    assert signing_keys(settings, "cursors") == keys
    assert signing_keys(settings, "links") != keys
    (made,) = settings.data.iterdir()
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


def _make_key(folder: Path) -> bytes:
    return signing_keys(Settings(data=folder), "cursors")[0]


def test_processes_that_start_together_make_one_secret(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert len(set(pool.map(_make_key, [tmp_path / "data"] * 6, chunksize=1))) == 1


def test_a_changed_secret_signs_anew_and_still_verifies_what_was_signed(tmp_path: Path) -> None:
    before = signing_keys(read_settings(secret="a" * 20, data=tmp_path), "cursors")
    after = signing_keys(read_settings(secret=f"{'b' * 20}, {'a' * 20}", data=tmp_path), "cursors")
    assert len(after) == 2
    assert after[0] != before[0]
    assert after[1] == before[0]
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_secret_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("")
    with pytest.raises(SettingsError, match="contains no valid secret"):
        signing_keys(read_settings(data=tmp_path), "cursors")
