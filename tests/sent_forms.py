"""Forms with a file, as programs send them."""

from __future__ import annotations

from collections.abc import Mapping

_BOUNDARY = "a-boundary-that-no-file-has"


def form_with_file(data: bytes, name: str, field: str, fields: Mapping[str, str]) -> tuple[bytes, dict[str, str]]:
    """A form with a file, as its last field; and its headers."""
    head = "".join(
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in fields.items()
    )
    head += f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{_BOUNDARY}--\r\n".encode()
    return body, {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}
