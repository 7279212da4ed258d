"""Files in S3 or a compatible service; browsers read and write them there, by presigned URLs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from partita.kit.files.files import FileInfo, StoredFile, UploadForm
from partita.kit.files.headers import SHOWN_INLINE, disposition, media_type
from partita.kit.files.links import named
from partita.kit.files.names import segments_of
from partita.kit.problems import NotFound, Unavailable
from partita.kit.settings import SettingsError

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

T = TypeVar("T")

Encryption = Literal["AES256", "aws:kms", "none"]

_PUBLIC = "partita-public"
_PUBLIC_SECONDS = 3600
_MISSING = frozenset({"404", "NoSuchKey", "NotFound"})
_log = logging.getLogger(__name__)


class S3Files:
    """Stores files in a private bucket, which is read only through us and the links we sign."""

    def __init__(
        self,
        bucket: str,
        *,
        region: str | None = None,
        endpoint_url: str | None = None,
        encryption: Encryption = "AES256",
        path: str = "/files",
    ) -> None:
        self._bucket = bucket
        self._path = path
        self._encryption = {} if encryption == "none" else {"ServerSideEncryption": encryption}
        self._client = _client(region, endpoint_url)
        self._threads = ThreadPoolExecutor(8, thread_name_prefix="s3")

    async def close(self) -> None:
        await asyncio.to_thread(self.close_blocking)

    def close_blocking(self) -> None:
        """`close` without an event loop."""
        self._threads.shutdown()
        self._client.close()

    # -- keeping

    async def save(self, name: str, data: bytes, content_type: str, *, public: bool = False) -> None:
        await self._run(self.save_blocking, name, data, content_type, public)

    def save_blocking(self, name: str, data: bytes, content_type: str, public: bool = False) -> None:
        """`save` without an event loop."""
        self._call(name, self._client.put_object, Body=data, **self._metadata(content_type, public))

    async def set_public(self, name: str, public: bool) -> None:
        info = await self.info(name)
        if info is None:
            raise _missing(name)
        if info.public != public:
            # S3 changes metadata only by copying a file onto itself; the ETag makes sure it is the same file.
            await self._run(
                self._call,
                name,
                self._client.copy_object,
                CopySource={"Bucket": self._bucket, "Key": name},
                CopySourceIfMatch=info.tag,
                MetadataDirective="REPLACE",
                **self._metadata(info.content_type, public),
            )

    async def delete(self, name: str) -> None:
        await self._run(self.delete_blocking, name)

    def delete_blocking(self, name: str) -> None:
        """`delete` without an event loop."""
        self._call(name, self._client.delete_object)

    # -- reading

    async def load(self, name: str) -> StoredFile:
        return await self._run(self.load_blocking, name)

    def load_blocking(self, name: str) -> StoredFile:
        """`load` without an event loop."""

        def whole(**where: str) -> StoredFile:
            answer = self._client.get_object(**where)
            with answer["Body"] as body:
                return StoredFile(_info(name, answer), body.read())

        return self._call(name, whole)

    async def start(self, name: str, most_bytes: int = 65_536) -> bytes:
        def beginning(**where: str) -> bytes:
            # Not a range request: S3 refuses it for an empty file.
            with self._client.get_object(**where)["Body"] as body:
                start: bytes = body.read(most_bytes)
                return start

        return await self._run(self._call, name, beginning)

    async def info(self, name: str) -> FileInfo | None:
        try:
            return _info(name, await self._run(self._call, name, self._client.head_object))
        except NotFound:
            return None

    async def exists(self, name: str) -> bool:
        return await self.info(name) is not None

    # -- addresses

    def url(self, name: str, *, seconds: int = 3600, download_as: str | None = None) -> str:
        segments_of(name)
        params = {"Bucket": self._bucket, "Key": name}
        if download_as is not None:
            params["ResponseContentDisposition"] = disposition(inline=False, name=download_as)
        url: str = self._client.generate_presigned_url("get_object", Params=params, ExpiresIn=seconds)
        return url

    def public_url(self, name: str) -> str:
        segments_of(name)
        return f"{self._path}/{name}"

    def upload_form(
        self, name: str, content_type: str, *, most_bytes: int, seconds: int = 300, then: str | None = None
    ) -> UploadForm:
        segments_of(name)
        fields = {"Content-Type": content_type, "Content-Disposition": _disposition(content_type)}
        if self._encryption:
            fields["x-amz-server-side-encryption"] = self._encryption["ServerSideEncryption"]
        if then is not None:
            fields["success_action_redirect"] = then
        post = self._client.generate_presigned_post(
            self._bucket,
            name,
            Fields=dict(fields),
            Conditions=[*({key: value} for key, value in fields.items()), ["content-length-range", 0, most_bytes]],
            ExpiresIn=seconds,
        )
        return UploadForm(post["url"], post["fields"])

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url("any"))
        return f"{parts.scheme}://{parts.netloc}"

    async def follow(self, name: str, link: Mapping[str, str]) -> str:
        info = await self.info(named(name))
        if info is None or not info.public:
            raise _missing(name)
        return self.url(name, seconds=_PUBLIC_SECONDS)

    # -- S3

    def _metadata(self, content_type: str, public: bool) -> dict[str, Any]:
        return {
            "ContentType": content_type,
            "ContentDisposition": _disposition(content_type),
            "Metadata": {_PUBLIC: "yes"} if public else {},
            **self._encryption,
        }

    async def _run(self, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(function, *arguments, **named))

    def _call(self, name: str, call: Callable[..., T], **arguments: Any) -> T:
        from botocore.exceptions import BotoCoreError, ClientError

        segments_of(name)
        try:
            return call(Bucket=self._bucket, Key=name, **arguments)
        except ClientError as error:
            if _code(error) in _MISSING:
                raise _missing(name) from None
            raise _unavailable(name, error) from error
        except BotoCoreError as error:
            raise _unavailable(name, error) from error


def _client(region: str | None, endpoint_url: str | None) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise SettingsError("Files in S3 need boto3: install partita[aws], or set PARTITA_FILES=local.") from None
    config = Config(
        signature_version="s3v4",
        connect_timeout=5,
        read_timeout=30,
        retries={"total_max_attempts": 4, "mode": "standard"},
        # Compatible services seldom have a host per bucket, and seldom support the newer checksums.
        s3={"addressing_style": "path" if endpoint_url else "virtual"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    # A session of its own: boto3's default one is not safe to use from several threads.
    return boto3.session.Session().client("s3", region_name=region, endpoint_url=endpoint_url, config=config)


def _info(name: str, answer: Mapping[str, Any]) -> FileInfo:
    return FileInfo(
        name,
        answer.get("ContentType", "application/octet-stream"),
        answer["ContentLength"],
        answer["ETag"].strip('"'),
        answer.get("Metadata", {}).get(_PUBLIC) == "yes",
    )


def _disposition(content_type: str) -> str:
    """The Content-Disposition, stored with the file since S3 serves it."""
    return disposition(inline=media_type(content_type) in SHOWN_INLINE, name=None)


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _missing(name: str) -> NotFound:
    return NotFound(f"There is no file {name}.")


def _unavailable(name: str, error: Exception) -> Unavailable:
    _log.error("the S3 request for %s failed: %s", name, error)
    return Unavailable("The file store is not available. Try again later.", code="files_unavailable")
