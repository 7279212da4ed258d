"""The settings: from the environment (`PARTITA_…`), then a TOML file, then defaults for a laptop."""

from __future__ import annotations

import ipaddress
import logging
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from partita.kit.messages import field_errors
from partita.kit.settings_error import SettingsError as SettingsError
from partita.loopback import is_loopback

PREFIX = "PARTITA_"
FILE_VARIABLE = "PARTITA_SETTINGS"
_FILE = Path("partita.toml")
_SHORTEST_SECRET = 16
_log = logging.getLogger(__name__)


def read_settings(**overrides: Any) -> Settings:
    """The current settings; arguments override everything else."""
    named = os.environ.get(FILE_VARIABLE)
    if named and not Path(named).is_file():
        raise SettingsError(f"{FILE_VARIABLE} is {named}, but there is no such file.")
    try:
        settings = Settings(**overrides)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{settings_file()} is not valid TOML: {error}") from None
    except ValidationError as error:
        raise SettingsError("\n".join(_wrong(error, overrides))) from None
    for variable, meant in _misspelt(os.environ):
        _log.warning("%s is not a setting and is ignored; did you mean %s?", variable, meant)
    return settings


def settings_file() -> Path:
    """The settings file, whether it exists or not."""
    return Path(os.environ.get(FILE_VARIABLE) or _FILE)


def _split(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


SYSTEMS = ("kelifax", "fus", "worthwatch", "newsletter", "enablement")
"""Partita's own, in the order in which people see them."""

_NEEDED: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "s3_bucket": lambda given: given.get("files") == "s3",
    "smtp_host": lambda given: given.get("mail") == "smtp",
    "oidc_client_id": lambda given: given.get("oidc_issuer") is not None,
    "newsletter_openai_model": lambda given: given.get("newsletter_openai_url") is not None,
    "newsletter_openai_url": lambda given: given.get("newsletter_writer") == "openai",
    "newsletter_bedrock_model": lambda given: given.get("newsletter_writer") == "bedrock",
}
"""Settings that must be set, and with which of those before them."""
_TOGETHER = "settings_together"
"""The type of an error about settings that do not fit each other: its message names them."""

Port = Annotated[int, Field(ge=1, le=65535)]


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )

    # What is kept, and where

    data: Path = Path("data")
    """The folder of everything local: tables, files, search index, secret."""
    backend: Literal["embedded", "dynamodb"] = "embedded"
    """Where the tables are: in the data folder, or in DynamoDB or a compatible service."""
    durability: Literal["full", "normal", "off"] = "full"
    """What tables in the data folder survive; `full`: power loss; `normal`: power loss, without the last writes; `off`:
    only the end of the process, for tests."""
    recovery_days: int = Field(default=1, ge=0, le=35)
    """For how many days changes of tables in the data folder are kept, to go back to any second; 0 keeps none."""
    endpoint_url: str | None = None
    """The URL of DynamoDB; by default AWS in the region. Only for `dynamodb`."""
    region: str | None = None
    """The AWS region; by default the one that the AWS CLI would use."""
    make_tables: bool = True
    """Whether tables, indexes, streams and expiry that are missing in DynamoDB are made at the start."""
    changes: Literal["all", "local"] = "all"
    """Which change handlers run on this machine; `local`: only those of its own data, such as the search index."""
    files: Literal["local", "s3"] = "local"
    """Where uploaded files are: in the data folder, or in S3."""
    s3_bucket: str | None = Field(default=None, validate_default=True)
    """The bucket; required for `s3`."""
    s3_endpoint_url: str | None = None
    """The URL of S3; by default AWS."""
    s3_encryption: Literal["AES256", "aws:kms", "none"] = "AES256"
    """How S3 encrypts files; `none` leaves it to the bucket, for services that have no keys."""

    # What is served, and how

    systems: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)] = SYSTEMS
    """The systems to serve, separated by commas: Partita's own by name, others as packages with a `system.py`."""
    host: str = "127.0.0.1"
    """The address to listen on; `0.0.0.0` for all addresses of the machine."""
    port: int = Field(default=8080, ge=0, le=65535)
    """The port to listen on; 0 takes a free one."""
    base_url: str = Field(default_factory=lambda data: _local_url(data))
    """The URL of the site, for links and cookies; by default host and port. With https, cookies are secure."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)] = ()
    """Further names under which the site is reached, separated by commas; requests for other names are refused."""
    workers: int = Field(default=1, ge=1, le=64)
    """The number of server processes."""
    connections: int = Field(default=1024, ge=16, le=100_000)
    """How many connections each process keeps open, as far as the system lets it; then those that wait longest go."""
    receive_seconds: float = Field(default=30.0, ge=1, le=600)
    """How long a client may take to send the head of a request, and may fall silent within a body."""
    jobs: int = Field(default=2, ge=0, le=64)
    """How many jobs each process runs at once; 0 leaves them to other processes."""
    trusted_proxies: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)] = ()
    """Addresses or networks whose `X-Forwarded-…` headers are trusted, separated by commas."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """How much is logged."""
    dev_panel: bool = True
    """Whether pages show the developer panel with their DynamoDB requests to those who may see it."""
    styleguide: bool = False
    """Whether `/_styleguide` shows everybody every piece that pages are made of."""
    demo: bool = False
    """Whether empty systems are filled with demo data at the start."""
    meaning: bool = True
    """Whether searches that can do so understand other words than those of a text, if the model is installed."""
    meaning_model: Path | None = None
    """The folder of the model all-MiniLM-L6-v2 (`model.safetensors`, `vocab.txt`); by default the installed one."""
    fetch: bool = True
    """Whether fus fetches the pages of sites that people add."""
    fetch_ports: Annotated[tuple[Port, ...], NoDecode, BeforeValidator(_split)] = (80, 443)
    """The ports that pages are fetched from, separated by commas."""

    least_free_mb: int = Field(default=100, ge=0, le=1_000_000)
    """Below so many megabytes of free space for the data folder, `/readyz` says that the machine is not ready."""

    # Who people are

    secret: SecretStr | None = None
    """The key that signs cursors, links and messages; the first of several signs. By default in the data folder."""
    session_days: int = Field(default=30, ge=1, le=365)
    """How long people stay signed in at most."""
    session_idle_hours: int = Field(default=336, ge=1, le=8760)
    """After how many hours without a request a session ends."""
    admin_session_hours: int = Field(default=12, ge=1, le=8760)
    """How long administrators stay signed in at most."""
    admin_idle_minutes: int = Field(default=30, ge=10, le=10_080)
    """After how many minutes without a request a session of an administrator ends."""
    confirm_minutes: int = Field(default=10, ge=1, le=1440)
    """For how long after entering a password or code dangerous actions need no new one."""
    second_factor: Literal["optional", "administrators", "everybody"] = "optional"
    """Who must sign in with a second factor."""
    sign_up: bool = True
    """Whether people may create accounts themselves."""
    oidc_issuer: str | None = None
    """The OpenID provider or Cognito pool whose access tokens the API accepts, as in the tokens' `iss`."""
    oidc_client_id: str | None = Field(default=None, validate_default=True)
    """The client that tokens must be issued for; required with `oidc_issuer`."""
    oidc_roles_claim: str | None = None
    """The claim that holds roles, such as `cognito:groups`; by default tokens have no roles."""

    # Mail

    mail: Literal["outbox", "smtp"] = "outbox"
    """Whether mail is kept in the outbox, for administrators to read, or sent."""
    mail_from: str = "partita@localhost"
    """The sender of mail."""
    smtp_host: str | None = Field(default=None, validate_default=True)
    """The mail server; required for `smtp`."""
    smtp_port: int = Field(default=587, ge=1, le=65535)
    """Its port."""
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    """How the connection is encrypted; `none` only for a server on the same machine."""
    smtp_username: str | None = None
    """The username, if the server needs one."""
    smtp_password: SecretStr | None = None
    """The password, if the server needs one."""
    digest_hour: int = Field(default=7, ge=0, le=23)
    """The hour, in UTC, at which digests of notifications are sent; weekly ones on Mondays."""

    # The enablement portal

    enablement_viewers: Literal["everybody", "role"] = "everybody"
    """Who reads released content: everybody with an account, or those with the role `enablement:viewer`."""
    enablement_event_days: int = Field(default=400, ge=1, le=3650)
    """How many days events of the portal are kept; the numbers made of them stay."""

    # The newsletter's writers

    newsletter_writer: Literal["extractive", "bedrock", "openai"] = "extractive"
    """Who writes if nobody has chosen: the offline writer, or a model."""
    newsletter_bedrock_model: str | None = Field(default=None, validate_default=True)
    """The model or inference profile of Amazon Bedrock; without it `bedrock` is not set up."""
    newsletter_bedrock_region: str | None = None
    """Its region; by default `region`. Credentials are found as the AWS CLI finds them."""
    newsletter_bedrock_url: str | None = None
    """The URL of Bedrock; by default AWS in the region."""
    newsletter_openai_url: str | None = Field(default=None, validate_default=True)
    """The URL of a service that speaks chat completions, up to `/v1`; without it `openai` is not set up."""
    newsletter_openai_model: str | None = Field(default=None, validate_default=True)
    """The model there; required with the URL."""
    newsletter_openai_key: SecretStr | None = None
    """The key, if the service needs one."""

    @property
    def secure(self) -> bool:
        """Whether the site is reached by https."""
        return self.base_url.startswith("https://")

    @field_validator(
        "base_url",
        "endpoint_url",
        "s3_endpoint_url",
        "oidc_issuer",
        "newsletter_bedrock_url",
        "newsletter_openai_url",
    )
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("Enter a complete URL without a query, such as https://example.org.")
        return value

    @field_validator("base_url")
    @classmethod
    def _without_slash(cls, value: str) -> str:
        return value.rstrip("/")

    @field_validator("oidc_issuer")
    @classmethod
    def _trustworthy(cls, value: str | None) -> str | None:
        if value is not None and urlsplit(value).scheme != "https" and not is_loopback(urlsplit(value).hostname or ""):
            raise ValueError("The URL must be https, so that nobody can replace the keys on the way.")
        return value

    @field_validator("secret")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        for part in secrets_in(value):
            if len(part) < _SHORTEST_SECRET:
                raise ValueError(f"At least {_SHORTEST_SECRET} characters each; one has {len(part)}.")
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _host_names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for part in value:
            if not re.fullmatch(r"[A-Za-z0-9_.:-]+", part):
                raise ValueError(f"{part} is not the name of a host, such as www.example.org.")
            if ":" in part and not _is_address(part):
                raise ValueError(f"{part}: name the host without its port; all ports are allowed.")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for part in value:
            try:
                ipaddress.ip_network(part)
            except ValueError:
                raise ValueError(f"{part} is not an address or network, such as 10.0.0.1 or 10.0.0.0/8.") from None
        return value

    # Settings that need each other are checked field by field, each after those that it goes by: so nothing that is
    # wrong elsewhere keeps them from being reported.

    @field_validator(*_NEEDED)
    @classmethod
    def _there(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None and _NEEDED[str(info.field_name)](info.data):
            raise _together(f"{_variable(str(info.field_name))} must be set too.")
        return value

    @field_validator("changes")
    @classmethod
    def _followed(cls, value: str, info: ValidationInfo) -> str:
        if value == "local" and info.data.get("backend") == "embedded":
            raise _together(f"{_variable('changes')}: `local` is only for the backend `dynamodb`.")
        return value

    @field_validator("smtp_password")
    @classmethod
    def _encrypted(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        open_text = info.data.get("smtp_security") == "none" and "smtp_host" in info.data
        if value is not None and open_text and not is_loopback(info.data["smtp_host"] or ""):
            raise _together(f"{_variable('smtp_security')}: `none` would send the password unencrypted.")
        return value

    @field_validator("newsletter_openai_key")
    @classmethod
    def _kept_secret(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if value is not None and not _keeps_secrets(info.data.get("newsletter_openai_url")):
            raise _together(f"{_variable('newsletter_openai_url')} must be https: the key would be sent unencrypted.")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, settings_file())


def _keeps_secrets(url: str | None) -> bool:
    """Whether what is sent there can be read by nobody on the way."""
    parts = urlsplit(url or "https:")
    return parts.scheme == "https" or is_loopback(parts.hostname or "")


def secrets_in(value: SecretStr | None) -> tuple[str, ...]:
    """The secrets of a setting that may hold several."""
    return () if value is None else tuple(part.strip() for part in value.get_secret_value().split(",") if part.strip())


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _local_url(data: Mapping[str, Any]) -> str:
    host = str(data.get("host", "127.0.0.1"))
    reachable = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{reachable}:{data.get('port', 8080)}"


def _variable(name: str) -> str:
    return f"{PREFIX}{name.upper()}"


def _together(message: str) -> PydanticCustomError:
    return PydanticCustomError(_TOGETHER, "{message}", {"message": message})


def _wrong(error: ValidationError, overrides: Mapping[str, Any]) -> list[str]:
    # The default of base_url comes from host and port; if those are wrong, only they are reported.
    errors = [each for each in error.errors() if each["type"] != "default_factory_not_called"]
    wrong = []
    for each in field_errors(each for each in errors if each["type"] != _TOGETHER):
        if each.message == "There is no such field.":
            near = get_close_matches(each.field, Settings.model_fields, 1)
            hint = f"; did you mean {near[0]}?" if near else ", see docs/settings.md"
            wrong.append(f"{each.field} is not a setting{hint} (in {settings_file()})")
        else:
            wrong.append(f"{_where(each.field, overrides)}: {each.message}")
    return wrong + [each["msg"] for each in errors if each["type"] == _TOGETHER]


def _where(field: str, overrides: Mapping[str, Any]) -> str:
    """A setting as whoever has to change it finds it: as a variable, or in the file."""
    name = field.partition(".")[0]
    variables = {variable.upper() for variable, value in os.environ.items() if value}
    in_file = name not in overrides and _variable(name) not in variables
    return f"{field} in {settings_file()}" if in_file else _variable(field)


def _misspelt(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Variables that look like a misspelt setting; others with our prefix may belong to something else."""
    known = [_variable(name) for name in Settings.model_fields]
    others = {FILE_VARIABLE, "PARTITA_ACCESS_KEY_ID", "PARTITA_SECRET_ACCESS_KEY"}
    strange = [name for name in environment if name.startswith(PREFIX) and name not in others.union(known)]
    return [(name, near[0]) for name in strange if (near := get_close_matches(name, known, 1, 0.85))]
