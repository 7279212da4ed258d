"""Files in a folder: whole or not there, under their own names only, read by links that we signed."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from partita.kit.files import FileNameError, Files, LocalFiles
from partita.kit.problems import Forbidden, NotFound, TooLarge, Unavailable
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio
KEY = b"k" * 32


@pytest.fixture
async def files(tmp_path: Path, clock: HandClock) -> AsyncIterator[LocalFiles]:
    made = LocalFiles(tmp_path / "files", [KEY], clock)
    yield made
    await made.close()


def _parts(url: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(url)
    assert parts.path.startswith("/files/")
    return parts.path.removeprefix("/files/"), dict(parse_qsl(parts.query))


async def _content(files: Files, name: str, link: dict[str, str]) -> bytes:
    found = await files.follow(name, link)
    assert not isinstance(found, str)
    try:
        return b"".join([chunk async for chunk in found.chunks()])
    finally:
        await found.close()


# -- keeping


async def test_a_file_comes_back_with_what_it_is(files: LocalFiles) -> None:
    await files.save("kelifax/logos/1.png", b"pixels", "image/png")
    found = await files.load("kelifax/logos/1.png")
    assert (found.data, found.content_type, found.size, found.info.public) == (b"pixels", "image/png", 6, False)
    assert await files.info("kelifax/logos/1.png") == found.info
    assert await files.start("kelifax/logos/1.png", 3) == b"pix"
    assert await files.exists("kelifax/logos/1.png")


async def test_an_empty_file_is_a_file(files: LocalFiles) -> None:
    await files.save("empty", b"", "text/plain")
    assert (await files.load("empty")).data == b""
    assert await files.start("empty") == b""


async def test_saving_again_puts_the_new_in_the_place_of_the_old_with_what_it_is(files: LocalFiles) -> None:
    await files.save("a", b"old and long", "text/plain", public=True)
    before = await files.info("a")
    await files.save("a", b"new", "image/png")
    found = await files.load("a")
    assert (found.data, found.content_type, found.info.public) == (b"new", "image/png", False)
    assert before is not None
    assert before.tag != found.info.tag


async def test_what_is_not_there_is_not_found(files: LocalFiles) -> None:
    await files.save("a/b", b"x", "text/plain")
    for name in ("a", "a/c", "a/b/c", "c"):
        for ask in (files.load, files.start):
            with pytest.raises(NotFound):
                await ask(name)
        assert not await files.exists(name)
        await files.delete(name)
    assert await files.exists("a/b")


async def test_a_deleted_file_is_gone_and_deleting_it_again_is_harmless(files: LocalFiles) -> None:
    await files.save("a/b", b"x", "text/plain")
    await files.delete("a/b")
    await files.delete("a/b")
    assert await files.info("a/b") is None


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd", ".incoming/x", "a/", "A", ""])
async def test_no_name_leads_out_of_the_folder(files: LocalFiles, name: str) -> None:
    with pytest.raises(FileNameError):
        await files.save(name, b"x", "text/plain")
    for use in (files.load, files.start, files.info, files.exists, files.delete):
        with pytest.raises(FileNameError):
            await use(name)
    for link in (files.url, files.public_url):
        with pytest.raises(FileNameError):
            link(name)


async def test_a_file_and_a_folder_cannot_have_one_name(files: LocalFiles) -> None:
    await files.save("a/b", b"x", "text/plain")
    with pytest.raises(FileNameError, match="begins with the name of a file"):
        await files.save("a/b/c", b"x", "text/plain")
    with pytest.raises(FileNameError, match="is the beginning of other names"):
        await files.save("a", b"x", "text/plain")
    assert (await files.load("a/b")).data == b"x"


async def test_what_is_no_content_type_is_refused(files: LocalFiles) -> None:
    for wrong in ("", "png", "image/png\n", "x" * 600 + "/y"):
        with pytest.raises(ValueError, match="is no content type"):
            await files.save("a", b"x", wrong)
    assert not await files.exists("a")


async def test_links_of_the_file_system_are_never_followed(files: LocalFiles, tmp_path: Path) -> None:
    await files.save("real/secret", b"x", "text/plain")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = tmp_path / "files"
    (folder / "door").symlink_to(elsewhere)
    (folder / "window").symlink_to(folder / "real" / "secret")
    (folder / "inside").symlink_to(folder / "real")
    for name in ("door/x", "window", "inside/secret"):
        with pytest.raises(NotFound):
            await files.load(name)
    with pytest.raises(FileNameError):
        await files.save("door/x", b"x", "text/plain")
    await files.save("window", b"replaced", "text/plain")  # the link itself is replaced, not what it led to
    assert (await files.load("real/secret")).data == b"x"
    assert list(elsewhere.iterdir()) == []


async def test_others_on_the_machine_cannot_read_files(files: LocalFiles, tmp_path: Path) -> None:
    await files.save("a/b", b"x", "text/plain")
    assert (tmp_path / "files" / "a" / "b").stat().st_mode & 0o077 == 0
    assert (tmp_path / "files" / "a").stat().st_mode & 0o077 == 0


async def test_whoever_reads_while_others_write_sees_one_whole_file(files: LocalFiles) -> None:
    written = {bytes([65 + number]) * (100_000 + number): f"text/x-{number}" for number in range(4)}
    await files.save("a", *next(iter(written.items())))

    async def write(content: bytes, kind: str) -> None:
        for _ in range(10):
            await files.save("a", content, kind)

    async def read() -> None:
        for _ in range(40):
            found = await files.load("a")
            assert written[found.data] == found.content_type

    await asyncio.gather(*(write(*each) for each in written.items()), read(), read())


async def test_a_file_that_is_deleted_while_it_is_read_is_read_to_its_end(files: LocalFiles) -> None:
    await files.save("a", b"x" * 1_000_000, "text/plain", public=True)
    found = await files.follow("a", {})
    chunks = found.chunks()
    first = await anext(chunks)
    await files.delete("a")
    assert len(first) + sum([len(chunk) async for chunk in chunks]) == 1_000_000
    await found.close()


async def test_a_damaged_file_is_told_instead_of_served(files: LocalFiles, tmp_path: Path) -> None:
    await files.save("a", b"content", "text/plain")
    path = tmp_path / "files" / "a"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"X")
    with pytest.raises(Unavailable, match="damaged"):
        await files.load("a")
    for wrong in (whole[:-1], b"", b"x" * 600, whole[:512]):
        path.write_bytes(wrong)
        with pytest.raises(Unavailable, match="damaged"):
            await files.info("a")


async def test_a_full_disk_leaves_what_was_there_and_nothing_else(files: LocalFiles, tmp_path: Path) -> None:
    await files.save("a", b"old", "text/plain")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(Unavailable, match="could not be kept"):
            await files.save("a", b"x" * 200_000, "text/plain")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert (await files.load("a")).data == b"old"
    assert list((tmp_path / "files" / ".incoming").iterdir()) == []


_WRITER = """
import asyncio, sys
from pathlib import Path
from partita.kit.clock import SystemClock
from partita.kit.files import LocalFiles
files = LocalFiles(Path(sys.argv[1]), [b"k" * 32], SystemClock())
async def main():
    number = 0
    while True:
        await files.save("a/b", b"%d " % number * 300_000, "text/plain")
        print(number, flush=True)
        number += 1
asyncio.run(main())
"""


async def test_a_file_that_was_kept_survives_a_killed_process_whole(clock: HandClock, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) == 5:
                break
        writer.kill()
    files = LocalFiles(tmp_path, [KEY], clock)
    content = (await files.load("a/b")).data
    assert int(content.split()[0]) >= 5
    assert len(set(content.split())) == 1
    await files.close()


async def test_what_a_killed_process_left_is_swept_after_a_day(tmp_path: Path, clock: HandClock) -> None:
    incoming = tmp_path / ".incoming"
    incoming.mkdir()
    (incoming / "old").write_bytes(b"x")
    (incoming / "young").write_bytes(b"x")
    os.utime(incoming / "old", (time.time() - 90_000,) * 2)
    files = LocalFiles(tmp_path, [KEY], clock)
    assert [entry.name for entry in incoming.iterdir()] == ["young"]
    await files.close()


# -- piece by piece


async def _pieces(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def test_a_file_may_come_piece_by_piece(files: LocalFiles) -> None:
    info = await files.receive("a", _pieces(b"one ", b"", b"two"), "text/plain", most_bytes=7)
    found = await files.load("a")
    assert (found.data, found.info) == (b"one two", info)


async def test_more_than_was_allowed_leaves_nothing(files: LocalFiles, tmp_path: Path) -> None:
    with pytest.raises(TooLarge, match="At most 6 bytes"):
        await files.receive("a", _pieces(b"one ", b"two"), "text/plain", most_bytes=6)
    assert not await files.exists("a")
    assert list((tmp_path / "files" / ".incoming").iterdir()) == []


async def test_a_sender_that_goes_away_leaves_nothing(files: LocalFiles, tmp_path: Path) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"one"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await files.receive("a", broken(), "text/plain", most_bytes=100)
    assert not await files.exists("a")
    assert list((tmp_path / "files" / ".incoming").iterdir()) == []


# -- links


async def test_a_link_opens_its_file_until_it_ends(files: LocalFiles, clock: HandClock) -> None:
    await files.save("a/b.txt", b"text", "text/plain")
    name, link = _parts(files.url("a/b.txt", seconds=300))
    assert name == "a/b.txt"
    assert await _content(files, name, link) == b"text"
    clock.forward(seconds=300)
    assert await _content(files, name, link) == b"text"
    clock.forward(seconds=300)
    with pytest.raises(Forbidden, match="expired") as refused:
        await files.follow(name, link)
    assert refused.value.code == "link_expired"


async def test_a_link_ends_at_the_moment_that_it_is_told_at_the_latest(files: LocalFiles, clock: HandClock) -> None:
    await files.save("a", b"text", "text/plain")
    name, link = _parts(files.url("a", seconds=3600, until=clock.now() + timedelta(minutes=5)))
    clock.forward(minutes=4, seconds=59)
    assert await _content(files, name, link) == b"text"
    clock.forward(seconds=1)
    with pytest.raises(Forbidden, match="expired"):
        await files.follow(name, link)
    assert files.url("a", seconds=300, until=clock.now() + timedelta(days=1)) == files.url("a", seconds=300)


async def test_a_link_may_play_a_film_and_makes_nothing_else_of_a_file(files: LocalFiles) -> None:
    await files.save("a", b"text", "application/octet-stream")
    for wanted, told in (("video/webm", "video/webm"), ("text/html", "application/octet-stream")):
        name, link = _parts(files.url("a", played_as=wanted))
        file = await files.follow(name, link)
        assert file.info.content_type == told
        await file.close()
    name, link = _parts(files.url("a", played_as="video/mp4"))
    for changed in ({**link, "type": "video/webm"}, {key: value for key, value in link.items() if key != "type"}):
        with pytest.raises(Forbidden):
            await files.follow(name, changed)


async def test_a_link_opens_nothing_but_what_was_signed(files: LocalFiles) -> None:
    await files.save("a", b"a", "text/plain")
    await files.save("b", b"b", "text/plain")
    name, link = _parts(files.url("a", download_as="a.txt"))
    later = str(int(link["expires"]) + 1)
    altered = [
        ("b", link),
        (name, {**link, "expires": later}),
        (name, {**link, "expires": f"+{link['expires']}"}),
        (name, {**link, "expires": f"0{link['expires']}"}),
        (name, {**link, "download": "b.txt"}),
        (name, {key: value for key, value in link.items() if key != "download"}),
        (name, {key: value for key, value in link.items() if key != "expires"}),
        (name, {**link, "signature": ""}),
        (name, {**link, "signature": link["signature"][:-1]}),
        (name, {**link, "signature": link["signature"] + "A"}),
        (name, {**link, "signature": "é"}),
        (name, {**link, "signature": "\ud800"}),
    ]
    for other_name, other in altered:
        with pytest.raises(Forbidden) as refused:
            await files.follow(other_name, other)
        assert refused.value.code == "invalid_link"
    assert await _content(files, name, link) == b"a"


async def test_a_link_to_read_is_none_to_upload_and_the_other_way_round(files: LocalFiles) -> None:
    await files.save("a", b"a", "text/plain")
    name, read = _parts(files.url("a"))
    with pytest.raises(Forbidden):
        files.check_upload(name, read)
    name, upload = _parts(files.upload_form("a", "text/plain", most_bytes=5).url)
    with pytest.raises(Forbidden):
        await files.follow(name, upload)


async def test_without_a_link_only_a_public_file_opens(files: LocalFiles) -> None:
    await files.save("a", b"a", "text/plain")
    assert files.public_url("a") == "/files/a"
    with pytest.raises(NotFound):
        await files.follow("a", {})
    await files.set_public("a", True)
    assert await _content(files, "a", {}) == b"a"
    await files.set_public("a", True)
    await files.set_public("a", False)
    with pytest.raises(NotFound):
        await files.follow("a", {})
    assert (await files.load("a")).data == b"a"
    with pytest.raises(NotFound):
        await files.set_public("b", True)


@pytest.mark.parametrize("name", ["..", "../a", "A", "a%00", ".incoming/x", "\ud800"])
async def test_an_address_of_no_file_is_not_found(files: LocalFiles, name: str) -> None:
    with pytest.raises(NotFound):
        await files.follow(name, {})
    with pytest.raises(NotFound):
        await files.follow(name, {"signature": "x", "expires": "1"})
    with pytest.raises(NotFound):
        files.check_upload(name, {"signature": "x", "expires": "1"})


async def test_links_outlive_a_changed_key_as_long_as_the_old_one_is_listed(tmp_path: Path, clock: HandClock) -> None:
    old, both, new = ([b"o" * 32], [b"n" * 32, b"o" * 32], [b"n" * 32])
    before, between, after = (LocalFiles(tmp_path, keys, clock) for keys in (old, both, new))
    await before.save("a", b"a", "text/plain")
    name, link = _parts(before.url("a"))
    assert await _content(between, name, link) == b"a"
    with pytest.raises(Forbidden):
        await after.follow(name, link)
    name, link = _parts(between.url("a"))
    assert await _content(after, name, link) == b"a"
    for made in (before, between, after):
        await made.close()


def test_links_are_never_signed_with_nothing(tmp_path: Path, clock: HandClock) -> None:
    weak: list[list[bytes]] = [[], [b""], [KEY, b"short"]]
    for keys in weak:
        with pytest.raises(ValueError, match="at least one key"):
            LocalFiles(tmp_path, keys, clock)


async def test_an_upload_may_be_what_was_signed_until_it_ends(files: LocalFiles, clock: HandClock) -> None:
    form = files.upload_form("a", "image/png", most_bytes=500, seconds=300, then="/done?x=1")
    name, link = _parts(form.url)
    terms = files.check_upload(name, link)
    assert (terms.most_bytes, terms.content_type, terms.then) == (500, "image/png", "/done?x=1")
    for change in ({"most": "5000"}, {"type": "text/html"}, {"then": "https://elsewhere.example"}, {"expires": ""}):
        with pytest.raises(Forbidden):
            files.check_upload(name, {**link, **change})
    with pytest.raises(Forbidden):
        files.check_upload("b", link)
    clock.forward(seconds=300)
    with pytest.raises(Forbidden, match="expired"):
        files.check_upload(name, link)


async def test_a_link_says_nothing_of_the_key(files: LocalFiles) -> None:
    assert re.fullmatch(r"/files/a\?expires=\d{10}&signature=[\w-]{43}", files.url("a"))


async def test_a_link_is_the_same_for_a_while_so_that_browsers_keep_what_they_have(
    files: LocalFiles, clock: HandClock
) -> None:
    await files.save("a", b"a", "text/plain")
    first = files.url("a", seconds=3600, download_as="Report 1.PDF")
    clock.forward(minutes=59)
    assert files.url("a", seconds=3600, download_as="Report 1.PDF") == first
    clock.forward(minutes=1)
    assert files.url("a", seconds=3600, download_as="Report 1.PDF") != first
    name, link = _parts(first)
    found = await files.follow(name, link)
    assert found.keep_seconds == 3600
    await found.close()


async def test_files_are_listed_by_where_their_names_begin(files: LocalFiles, tmp_path: Path) -> None:
    for name in ("list/a", "list/b/c", "listen/d", "z"):
        await files.save(name, b"xyz", "text/plain")
    (tmp_path / "files" / "list" / "link").symlink_to(tmp_path)
    found = [each async for each in files.listed("list")]
    assert sorted((each.name, each.size) for each in found) == [("list/a", 3), ("list/b/c", 3)]
    assert [each async for each in files.listed("nothing")] == []
    with pytest.raises(FileNameError):
        assert [each async for each in files.listed("../x")]
