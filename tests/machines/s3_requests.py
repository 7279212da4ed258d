"""Which operation of S3 a request asks for, by its first line."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

_OF_OBJECTS = {
    "GET": "GetObject",
    "HEAD": "HeadObject",
    "PUT": "PutObject",
    "POST": "PostObject",
    "DELETE": "DeleteObject",
}


def operation_of(first_line: bytes) -> str:
    """`UploadPart` of `PUT /bucket/name?partNumber=2&uploadId=… HTTP/1.1`."""
    method, address, _ = first_line.decode("latin-1").split(" ", 2)
    where = urlsplit(address)
    query = parse_qs(where.query, keep_blank_values=True)
    if "uploads" in query:
        return "CreateMultipartUpload" if method == "POST" else "ListMultipartUploads"
    if "uploadId" in query:
        return {"PUT": "UploadPart", "POST": "CompleteMultipartUpload"}.get(method, "AbortMultipartUpload")
    if "list-type" in query:
        return "ListObjects"
    if method == "POST" and "delete" in query:
        return "DeleteObjects"
    return _OF_OBJECTS[method]
