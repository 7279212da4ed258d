"""Where AWS is and who we are, found the way botocore finds it: environment, files, roles.

Without botocore the environment is all there is. An endpoint on this machine needs neither region nor keys.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit

from partita.extras import MissingExtraError
from partita.loopback import is_loopback
from partita.store.signing import Credentials, CredentialsSource

_LOCAL_REGION = "us-east-1"
_LOCAL = Credentials("local", "local")
"""For an endpoint on this machine that verifies nothing."""


class NoCredentialsError(RuntimeError):
    """botocore's chain ends without credentials or without a region."""


def discovered(
    endpoint_url: str | None, region: str | None, credentials: CredentialsSource | None, service: str = "dynamodb"
) -> tuple[str, str, CredentialsSource]:
    """What was not given, found."""
    is_local = endpoint_url is not None and is_loopback(urlsplit(endpoint_url).hostname or "")
    session = _session()
    # botocore itself does not know AWS_REGION, which the AWS CLI and Lambda go by.
    region = region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not region and session is not None:
        region = session.get_config_variable("region")
    region = region or (_LOCAL_REGION if is_local else None)
    if credentials is None:
        credentials = _of_environment() if session is None else _of_chain(session, roles=not is_local)
    if credentials is None and is_local:
        credentials = _local
    if session is None and (endpoint_url is None or region is None or credentials is None):
        instead = (
            "; without it, set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY and say which endpoint,"
            " or give DynamoStore endpoint_url=, region= and credentials="
        )
        raise MissingExtraError("To find AWS and who you are", "aws", instead) from None
    if not region:
        raise NoCredentialsError("No AWS region is set. Set AWS_REGION or AWS_DEFAULT_REGION, or give region=…")
    if endpoint_url is None:
        # A client knows every rule about partitions, FIPS and AWS_ENDPOINT_URL; its address is all we take from it.
        endpoint_url = str(session.create_client(service, region_name=region).meta.endpoint_url)
    if credentials is None:
        raise NoCredentialsError("No AWS credentials found. Configure them as for the AWS CLI, or give them.")
    return endpoint_url, region, credentials


def _session() -> Any:
    """A session of botocore; None if it is not installed."""
    try:
        import botocore.session
    except ImportError:
        return None
    return botocore.session.get_session()


def _of_environment() -> CredentialsSource | None:
    """The keys of the environment, as botocore reads them."""
    access_key, secret_key = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if not access_key or not secret_key:
        return None
    found = Credentials(access_key, secret_key, os.environ.get("AWS_SESSION_TOKEN") or None)
    return lambda: found


def _of_chain(session: Any, *, roles: bool) -> CredentialsSource | None:
    """What botocore finds; without roles nobody waits for the service of a virtual machine that knows them."""
    if not roles:
        session.set_config_variable("metadata_service_num_attempts", 0)
    found = session.get_credentials()
    if found is None:
        return None

    def current() -> Credentials:
        frozen = found.get_frozen_credentials()
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token)

    return current


def _local() -> Credentials:
    return _LOCAL
