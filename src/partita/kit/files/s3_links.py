"""Links to read a file in S3 that are the same for a while: presigned as of a moment that is given.

botocore signs as of now, so that every link is another one and no browser finds what it has kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

_SPELLED = "%Y%m%dT%H%M%SZ"


def signed_link(client: Any, wanted: Mapping[str, str], at: datetime, seconds: int) -> str:
    """A link for `get_object`, signed as of a moment and good for so many seconds from then on."""
    from botocore.auth import S3SigV4QueryAuth
    from botocore.awsrequest import AWSRequest

    class AsOf(S3SigV4QueryAuth):  # type: ignore[misc]
        """Signs as of the moment instead of now."""

        def add_auth(self, request: Any) -> None:
            request.context["timestamp"] = at.strftime(_SPELLED)
            self._modify_request_before_signing(request)
            text = self.string_to_sign(request, self.canonical_request(request))
            self._inject_signature_to_request(request, self.signature(text, request))

    # botocore says where the file is (host or path style, escapes); only the signature is ours.
    plain: str = client.generate_presigned_url("get_object", Params=dict(wanted), ExpiresIn=seconds)
    where, _, query = plain.partition("?")
    asked = "&".join(part for part in query.split("&") if not part.startswith(("X-Amz-", "AWSAccessKeyId=")))
    request = AWSRequest("GET", f"{where}?{asked}" if asked else where)
    credentials = client._request_signer._credentials
    frozen = credentials.get_frozen_credentials() if credentials is not None else None
    AsOf(frozen, "s3", client.meta.region_name, expires=seconds).add_auth(request)
    url: str = request.url
    return url
