"""The settings say where files are."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from partita.kit.clock import SystemClock
from partita.kit.files import Files, LocalFiles, S3Files, files_for
from partita.kit.problems import Forbidden
from partita.kit.settings import Settings

pytestmark = pytest.mark.anyio


async def test_files_are_in_the_data_folder_and_links_outlive_the_process(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    before = files_for(settings, SystemClock())
    await before.save("a", b"x", "text/plain")
    link = dict(parse_qsl(urlsplit(before.url("a")).query))
    await before.close()
    after = files_for(settings, SystemClock())
    assert isinstance(after, LocalFiles)
    opened = await after.follow("a", link)
    await opened.close()
    assert (tmp_path / "files" / "a").is_file()
    await after.close()


async def test_another_installation_believes_none_of_our_links(tmp_path: Path) -> None:
    ours, theirs = (files_for(Settings(data=tmp_path / name), SystemClock()) for name in ("ours", "theirs"))
    link = dict(parse_qsl(urlsplit(ours.url("a")).query))
    with pytest.raises(Forbidden):
        await theirs.follow("a", link)
    for files in (ours, theirs):
        await files.close()


async def test_files_are_in_s3_where_the_settings_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    files: Files = files_for(
        Settings(data=tmp_path, files="s3", s3_bucket="partita-files", region="eu-west-1"), SystemClock()
    )
    assert isinstance(files, S3Files)
    assert files.origin == "https://partita-files.s3.eu-west-1.amazonaws.com"
    await files.close()
