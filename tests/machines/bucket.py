"""S3 for the machines of a place: moto's server, with a proxy in front."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3

from tests.machines.machine import BUCKET
from tests.machines.proxy import Proxy
from tests.serving import CREDENTIALS, moto_server


@dataclass(frozen=True)
class Bucket:
    """The files as S3 has them."""

    proxy: Proxy
    s3: Any
    """A client that asks S3 itself."""

    def names(self, prefix: str = "") -> set[str]:
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return {each["Key"] for page in pages for each in page.get("Contents", ())}

    def load(self, name: str) -> bytes:
        data: bytes = self.s3.get_object(Bucket=BUCKET, Key=name)["Body"].read()
        return data

    def save(self, name: str, data: bytes) -> None:
        self.s3.put_object(Bucket=BUCKET, Key=name, Body=data)

    def unfinished(self) -> int:
        """How many files have begun to come in parts, and are not whole."""
        return len(self.s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ()))


@contextmanager
def open_bucket() -> Iterator[Bucket]:
    """An empty one."""
    with moto_server() as server:
        s3 = boto3.client("s3", endpoint_url=server.url, **CREDENTIALS)
        s3.create_bucket(Bucket=BUCKET)
        proxy = Proxy(server.url)
        try:
            yield Bucket(proxy, s3)
        finally:
            proxy.close()
            s3.close()
