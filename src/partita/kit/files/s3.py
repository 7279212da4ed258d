"""Files in S3, or in what speaks its protocol; browsers read and write them there, by presigned addresses."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from partita.extras import pip
from partita.kit.clock import Clock, SystemClock
from partita.kit.files.files import FileInfo, ListedFile, StoredFile, UploadForm
from partita.kit.files.headers import SHOWN_INLINE, disposition, film_type, media_type
from partita.kit.files.links import Links, named, stable_expiry
from partita.kit.files.names import segments_of
from partita.kit.files.s3_links import signed_link
from partita.kit.problems import NotFound, TooLarge, Unavailable
from partita.kit.settings import SettingsError
from partita.store.answers import ConnectionFailedError
from partita.store.circuit import Circuit

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

T = TypeVar("T")

Encryption = Literal["AES256", "aws:kms", "none"]

_PUBLIC = "partita-public"
_PUBLIC_SECONDS = 3600
_FOLLOWED_SECONDS = 30  # a link is good for twice as long at most
_PART_BYTES = 8_000_000  # S3 takes parts of at least 5 MB, but the last
_CONNECT_SECONDS = 2.0
_ANSWER_SECONDS = 5.0
"""So long anything waits for an answer, however often it is asked again."""
_WORK_SECONDS = 60.0
_ATTEMPTS = 4
_PAUSE_SECONDS = 0.05
_RETRY_AFTER = 2
_MISSING = frozenset({"404", "NoSuchKey", "NotFound"})
_log = logging.getLogger(__name__)


class S3Files:
    """Keeps files in a bucket that nobody reads but through us and the links we sign."""

    def __init__(
        self,
        bucket: str,
        *,
        region: str | None = None,
        endpoint_url: str | None = None,
        encryption: Encryption = "AES256",
        path: str = "/files",
        clock: Clock | None = None,
        keys: Sequence[bytes] = (),
    ) -> None:
        """`keys` sign the links that lead to our own address first."""
        self._bucket = bucket
        self._clock = clock or SystemClock()
        self._path = path
        self._links = Links(keys, self._clock, path=path) if keys else None
        self._encryption = {} if encryption == "none" else {"ServerSideEncryption": encryption}
        self._client = _client(region, endpoint_url, seconds=_ANSWER_SECONDS)
        self._patient = _client(region, endpoint_url, seconds=_WORK_SECONDS)
        """For what S3 works on before it answers: it copies a file, or puts one together."""
        self._circuit = Circuit()
        self._threads = ThreadPoolExecutor(8, thread_name_prefix="s3")

    async def close(self) -> None:
        await asyncio.to_thread(self.close_blocking)

    def close_blocking(self) -> None:
        """`close`, for whoever has no event loop."""
        self._threads.shutdown()
        self._client.close()
        self._patient.close()

    async def answers(self) -> bool:
        """Whether S3 answers; it is asked only if it did not do so lately."""
        if not self._circuit.answers:
            with suppress(Unavailable):  # which also is an answer
                await self.info("ready")
        return self._circuit.answers

    # -- keeping

    async def save(self, name: str, data: bytes, content_type: str, *, public: bool = False) -> None:
        await self._run(self.save_blocking, name, data, content_type, public)

    def save_blocking(self, name: str, data: bytes, content_type: str, public: bool = False) -> None:
        """`save`, for whoever has no event loop."""
        self._call(name, self._client.put_object, Body=data, **self._kept(content_type, public))

    async def receive(self, name: str, chunks: AsyncIterable[bytes], content_type: str, *, most_bytes: int) -> FileInfo:
        """Small files in one piece; larger ones in parts, of which S3 makes a file once all are there."""
        part, size, upload, tags = bytearray(), 0, "", list[dict[str, Any]]()
        try:
            async for chunk in chunks:
                size += len(chunk)
                if size > most_bytes:
                    raise TooLarge(f"At most {most_bytes:,} bytes; this is more.")
                part += chunk
                if len(part) >= _PART_BYTES:
                    upload = upload or await self._run(self._begin, name, content_type)
                    tags.append(await self._run(self._send_part, name, upload, len(tags) + 1, bytes(part)))
                    part.clear()
            if not upload:
                await self._run(self.save_blocking, name, bytes(part), content_type)
            else:
                if part:
                    tags.append(await self._run(self._send_part, name, upload, len(tags) + 1, bytes(part)))
                whole = {"UploadId": upload, "MultipartUpload": {"Parts": tags}}
                await self._run(self._call, name, self._patient.complete_multipart_upload, **whole)
        except BaseException:
            if upload:
                # To the end, also if whoever waits has gone: parts that nobody completes cost money.
                aborting = self._run(self._call, name, self._client.abort_multipart_upload, UploadId=upload)
                await asyncio.shield(asyncio.ensure_future(aborting))
            raise
        found = await self.info(name)
        if found is None:
            raise _missing(name)
        return found

    def _begin(self, name: str, content_type: str) -> str:
        begun = self._call(name, self._client.create_multipart_upload, **self._kept(content_type, False))
        return str(begun["UploadId"])

    def _send_part(self, name: str, upload: str, number: int, data: bytes) -> dict[str, Any]:
        answer = self._call(name, self._client.upload_part, UploadId=upload, PartNumber=number, Body=data)
        return {"PartNumber": number, "ETag": answer["ETag"]}

    async def settled(self, name: str, to: str) -> FileInfo | None:
        # S3 takes what a presigned form brings as often as it is sent, until the form ends.
        segments_of(name)
        try:
            source = {"Bucket": self._bucket, "Key": name}
            await self._run(self._call, to, self._client.copy_object, CopySource=source, **self._encryption)
        except NotFound:
            return None
        return await self.info(to)

    async def set_public(self, name: str, public: bool) -> None:
        info = await self.info(name)
        if info is None:
            raise _missing(name)
        if info.public != public:
            # S3 changes what it knows of a file only by copying it onto itself; never a newer one.
            await self._run(
                self._call,
                name,
                self._patient.copy_object,
                CopySource={"Bucket": self._bucket, "Key": name},
                CopySourceIfMatch=info.tag,
                MetadataDirective="REPLACE",
                **self._kept(info.content_type, public),
            )

    async def delete(self, name: str) -> None:
        await self._run(self.delete_blocking, name)

    def delete_blocking(self, name: str) -> None:
        """`delete`, for whoever has no event loop."""
        self._call(name, self._client.delete_object)

    # -- reading

    async def load(self, name: str) -> StoredFile:
        return await self._run(self.load_blocking, name)

    def load_blocking(self, name: str) -> StoredFile:
        """`load`, for whoever has no event loop."""

        def whole(**where: str) -> StoredFile:
            answer = self._client.get_object(**where)
            with answer["Body"] as body:
                return StoredFile(_info(name, answer), body.read())

        return self._call(name, whole)

    async def start(self, name: str, most_bytes: int = 65_536) -> bytes:
        def beginning(**where: str) -> bytes:
            # Not by a range: S3 refuses the range of a file that is empty.
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

    async def listed(self, prefix: str) -> AsyncIterator[ListedFile]:
        segments_of(prefix)
        after: dict[str, str] = {}
        while True:
            wanted = {"Bucket": self._bucket, "Prefix": f"{prefix}/", **after}
            page = await self._run(self._asked, prefix, self._client.list_objects_v2, **wanted)
            for each in page.get("Contents", ()):
                yield ListedFile(each["Key"], each["Size"], each["LastModified"].astimezone(UTC))
            if not page.get("IsTruncated"):
                return
            after = {"ContinuationToken": page["NextContinuationToken"]}

    async def clear_incoming(self, before: datetime) -> int:
        def old_uploads() -> list[tuple[str, str]]:
            pages = self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket)
            uploads = [each for page in pages for each in page.get("Uploads", ())]
            return [(each["Key"], each["UploadId"]) for each in uploads if each["Initiated"] < before]

        found = await self._run(self._asked, "uploads", old_uploads)
        for name, upload in found:
            await self._run(self._call, name, self._client.abort_multipart_upload, UploadId=upload)
        return len(found)

    # -- addresses

    def url(
        self,
        name: str,
        *,
        seconds: int = 3600,
        download_as: str | None = None,
        until: datetime | None = None,
        played_as: str | None = None,
        claim: str | None = None,
    ) -> str:
        segments_of(name)
        if claim is not None:
            if self._links is None:
                raise ValueError("links with a claim need keys to sign them with")
            return self._links.read(
                name, seconds=seconds, download_as=download_as, until=until, played_as=film_type(played_as), claim=claim
            )
        wanted = {"Bucket": self._bucket, "Key": name}
        if download_as is not None:
            wanted["ResponseContentDisposition"] = disposition(inline=False, name=download_as)
        if film_type(played_as) is not None:
            wanted["ResponseContentType"] = str(played_as)
        now = self._clock.now().timestamp()
        # Signed as if at the beginning of the window, so that everybody's link of this while is the same.
        begun = stable_expiry(now, seconds) - 2 * seconds
        expires = max(stable_expiry(now, seconds, until), begun + 1)
        # Not longer than the link is good in any case: how much of it is left must not be in a link that stays.
        kept = seconds if until is None else max(0, min(seconds, expires - int(now)))
        wanted["ResponseCacheControl"] = f"private, max-age={kept}, immutable"
        return signed_link(self._client, wanted, datetime.fromtimestamp(begun, UTC), expires - begun)

    def public_url(self, name: str) -> str:
        segments_of(name)
        return f"{self._path}/{name}"

    def upload_form(
        self, name: str, content_type: str, *, most_bytes: int, seconds: int = 300, then: str | None = None
    ) -> UploadForm:
        segments_of(name)
        fields = {"Content-Type": content_type, "Content-Disposition": _shown(content_type)}
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
        if self._links is not None and "signature" in link:
            self._links.check_read(named(name), link)
            # S3 asks nobody: what it is given ends before anything can have changed.
            return self.url(
                name, seconds=_FOLLOWED_SECONDS, download_as=link.get("download"), played_as=link.get("type")
            )
        info = await self.info(named(name))
        if info is None or not info.public:
            raise _missing(name)
        return self.url(name, seconds=_PUBLIC_SECONDS)

    # -- S3

    def _kept(self, content_type: str, public: bool) -> dict[str, Any]:
        return {
            "ContentType": content_type,
            "ContentDisposition": _shown(content_type),
            "Metadata": {_PUBLIC: "yes"} if public else {},
            **self._encryption,
        }

    async def _run(self, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(function, *arguments, **named))

    def _call(self, name: str, call: Callable[..., T], **arguments: Any) -> T:
        segments_of(name)
        return self._asked(name, call, Bucket=self._bucket, Key=name, **arguments)

    def _asked(self, about: str, call: Callable[..., T], **arguments: Any) -> T:
        """What S3 answers, or the refusal that people can read. A silent one is not asked by everybody."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            begun = self._circuit.enter()
        except ConnectionFailedError as error:
            raise _unavailable(about, error) from None
        until, attempt = time.monotonic() + _ANSWER_SECONDS, 1
        while True:
            try:
                answer = call(**arguments)
            except ClientError as error:
                self._circuit.leave(begun, None)
                if _code(error) in _MISSING:
                    raise _missing(about) from None
                if not (_passes(error) and attempt < _ATTEMPTS and time.monotonic() < until):
                    raise _unavailable(about, error) from error
            except BotoCoreError as error:
                if _is_late(error) or attempt == _ATTEMPTS or time.monotonic() > until:
                    self._circuit.leave(begun, ConnectionFailedError(str(error)))
                    raise _unavailable(about, error) from error
            else:
                self._circuit.leave(begun, None)
                return answer
            time.sleep(random.uniform(0, _PAUSE_SECONDS * 2**attempt))
            attempt += 1


def _is_late(error: Exception) -> bool:
    from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError

    return isinstance(error, ConnectTimeoutError | ReadTimeoutError)


def _passes(error: ClientError) -> bool:
    """Whether it may go by itself, such as an overload."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status >= 500 or status == 429 or _code(error) in ("SlowDown", "RequestTimeout")


def _client(region: str | None, endpoint_url: str | None, *, seconds: float) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise SettingsError(f"Files in S3 need boto3: {pip('aws')}, or set PARTITA_FILES=local.") from None
    config = Config(
        signature_version="s3v4",
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=seconds,
        retries={"total_max_attempts": 1, "mode": "standard"},  # we know better for how long somebody waits
        # What speaks S3's protocol has seldom one host per bucket, and seldom knows the newer checksums.
        s3={"addressing_style": "path" if endpoint_url else "virtual"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    # A session of its own: boto3's default one must not be shared between threads while it makes clients.
    return boto3.session.Session().client("s3", region_name=region, endpoint_url=endpoint_url, config=config)


def _info(name: str, answer: Mapping[str, Any]) -> FileInfo:
    return FileInfo(
        name,
        answer.get("ContentType", "application/octet-stream"),
        answer["ContentLength"],
        answer["ETag"].strip('"'),
        answer.get("Metadata", {}).get(_PUBLIC) == "yes",
    )


def _shown(content_type: str) -> str:
    """Kept with the file, since S3 serves it by itself."""
    return disposition(inline=media_type(content_type) in SHOWN_INLINE, name=None)


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _missing(name: str) -> NotFound:
    return NotFound(f"There is no file {name}.")


class FilesUnavailable(Unavailable):
    """S3 does not do what is asked; the response says when to try again."""

    code = "files_unavailable"

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(_RETRY_AFTER)}


def _unavailable(name: str, error: Exception) -> FilesUnavailable:
    _log.error("S3 did not do what was asked with %s: %s", name, error)
    return FilesUnavailable("The file store does not answer as it should. Try again later.")
