"""Where AWS is and who we are, found the way botocore finds it: environment, files, roles."""

from __future__ import annotations

import os
from typing import Any

from partita.extras import MissingExtraError
from partita.store.signing import Credentials, CredentialsSource


class NoCredentialsError(RuntimeError):
    """botocore's chain ends without credentials or without a region."""


def discovered(
    endpoint_url: str | None, region: str | None, credentials: CredentialsSource | None, service: str = "dynamodb"
) -> tuple[str, str, CredentialsSource]:
    """What was not given, found."""
    try:
        import botocore.session
    except ImportError:
        instead = ", or give DynamoStore endpoint_url=, region= and credentials="
        raise MissingExtraError("To find AWS and who you are", "aws", instead) from None

    session: Any = botocore.session.get_session()
    # botocore itself does not know AWS_REGION, which the AWS CLI and Lambda go by.
    region = region or os.environ.get("AWS_REGION") or session.get_config_variable("region")
    if not region:
        raise NoCredentialsError("No AWS region is set. Set AWS_REGION or AWS_DEFAULT_REGION, or give region=…")
    if endpoint_url is None:
        # A client knows every rule about partitions, FIPS and AWS_ENDPOINT_URL; its address is all we take from it.
        endpoint_url = str(session.create_client(service, region_name=region).meta.endpoint_url)
    if credentials is None:
        session_credentials = session.get_credentials()
        if session_credentials is None:
            raise NoCredentialsError("No AWS credentials found. Configure them as for the AWS CLI, or give them.")

        def current() -> Credentials:
            frozen = session_credentials.get_frozen_credentials()
            return Credentials(frozen.access_key, frozen.secret_key, frozen.token)

        credentials = current
    return endpoint_url, region, credentials
