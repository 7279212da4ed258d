"""`partita serve` with real processes."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import psutil
import pytest
from typer.testing import CliRunner

from partita.cli import app
from tests.web.serving import Suite, serving

pytestmark = pytest.mark.slow
ONE_SYSTEM = ("--systems", "kelifax")
"""Where it does not matter how many there are: each takes its time to start."""


def test_it_serves_says_how_to_get_in_and_stops_when_told(tmp_path: Path) -> None:
    with serving(tmp_path) as suite:
        assert suite.password
        assert str(tmp_path / "data") in suite.greeting
        assert suite.get("/healthz") == (200, '{"status":"ok"}')
        status, page = suite.get("/sign-in")
        assert status == 200
        assert "Sign in" in page
        assert suite.stop() == 0
    with serving(tmp_path) as again:
        assert "with the password" not in again.greeting, "the administrator is there already"
        assert again.get("/readyz")[0] == 200
        assert again.stop(signal.SIGINT) == 0


def test_every_line_of_the_log_is_json_and_none_has_a_query(tmp_path: Path) -> None:
    with serving(tmp_path, *ONE_SYSTEM) as suite:
        suite.get("/account/reset?token=what-nobody-may-know")
        suite.get("/api/nowhere?token=what-nobody-may-know")
        suite.stop()
        lines = [orjson.loads(line) for line in suite.log.read_text().splitlines()]
    asked = [line for line in lines if line["event"] == "request"]
    assert [(line["route"], line["status"]) for line in asked] == [("/account/reset", 400), ("-", 404)]
    assert "what-nobody-may-know" not in suite.log.read_text()
    assert suite.password not in suite.log.read_text()


def test_a_request_under_way_is_answered_before_it_stops(tmp_path: Path) -> None:
    with serving(tmp_path, *ONE_SYSTEM) as suite:
        with _half_sent(suite) as connection:
            os.kill(suite.pid, signal.SIGTERM)
            _wait_until_closed(suite)
            connection.send(b"9")
            answer = connection.getresponse()
            assert answer.status == 401
            assert b"Wrong username or password." in answer.read()
        assert suite.process.wait(60) == 0


def test_a_connection_that_is_idle_does_not_keep_it(tmp_path: Path) -> None:
    with serving(tmp_path, *ONE_SYSTEM) as suite:
        connection = _connection(suite)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        assert suite.stop() == 0
        connection.close()


def test_head_is_answered_without_a_body_and_without_a_word_in_the_log(tmp_path: Path) -> None:
    with serving(tmp_path, *ONE_SYSTEM, environment={"PARTITA_LOG_LEVEL": "warning"}) as suite:
        for path in ("/healthz", "/static/app.css", "/api/openapi.json", "/api/kelifax/categories", "/kelifax"):
            connection = _connection(suite)
            connection.request("HEAD", path)
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"")
            assert int(answer.headers["content-length"]) > 0
            connection.close()
        assert suite.stop() == 0
        assert suite.log.read_text() == ""


def test_several_processes_serve_one_folder_and_count_together(tmp_path: Path) -> None:
    with serving(tmp_path, *ONE_SYSTEM, "--workers", "2") as suite:
        workers = [child for child in psutil.Process(suite.pid).children() if "spawn_main" in " ".join(child.cmdline())]
        assert len(workers) == 2
        threads = [threading.Thread(target=suite.get, args=("/healthz",)) for _ in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # A request is counted once its response has been sent, which its reader may notice first.
        counts = (_healthy(suite.get("/metrics")[1]) for _ in range(100))
        assert next((count for count in counts if count == 24), None) == 24
        workers[0].kill()
        assert suite.get("/healthz")[0] == 200, "the other one goes on"
        suite.stop()
        assert not psutil.pid_exists(workers[1].pid)


def test_a_process_that_is_replaced_does_not_write_beside_the_others_and_a_new_start_has_everything(
    tmp_path: Path,
) -> None:
    with serving(tmp_path, *ONE_SYSTEM, "--workers", "2") as suite:
        workers = [child for child in psutil.Process(suite.pid).children() if "spawn_main" in " ".join(child.cmdline())]
        (tmp_path / "data" / "partita.sqlite3-shm").unlink()
        workers[0].kill()
        assert suite.process.wait(60) != 0, "all of them end, so that whoever keeps the service running starts it anew"
        assert "partita.sqlite3-shm was deleted or replaced while other processes use it" in suite.log.read_text()
        password = suite.password
    with serving(tmp_path, *ONE_SYSTEM) as again:
        assert password
        assert "with the password" not in again.greeting, "what was acknowledged is there"
        assert again.get("/readyz")[0] == 200


def _healthy(metrics: str) -> float:
    counted = re.search(r'partita_requests_total\{method="GET",route="/healthz",status="200"\} ([\d.]+)', metrics)
    assert counted is not None
    return float(counted[1])


def test_what_cannot_be_served_is_said_in_a_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = _run(tmp_path, *ONE_SYSTEM, "--port", str(taken.getsockname()[1]))
        assert done.returncode == 1
        assert re.fullmatch(r"partita: cannot listen on 127\.0\.0\.1:\d+: .*Choose another --port\.\n", done.stderr)
    wrong = _run(tmp_path, environment={"PARTITA_SESSION_DAYS": "never"})
    assert wrong.returncode == 1
    assert wrong.stderr == "partita: PARTITA_SESSION_DAYS: Enter a whole number.\n"


def test_a_folder_whose_tables_are_gone_is_not_begun_anew_unless_told(tmp_path: Path) -> None:
    with serving(tmp_path, *ONE_SYSTEM) as suite:
        suite.stop()
    tables = tmp_path / "data" / "partita.sqlite3"
    tables.unlink()
    done = _run(tmp_path, *ONE_SYSTEM)
    assert done.returncode == 1
    assert "partita.sqlite3 with the tables is gone" in done.stderr
    for command in (("doctor",), ("user", "create", "ada", "ada@example.org"), ("user", "list")):
        made = CliRunner().invoke(app, [*command, "--data", str(tmp_path / "data")])
        assert made.exit_code == 1
        assert "restore a backup" in " ".join(made.output.split())
    assert not tables.exists()
    with serving(tmp_path, *ONE_SYSTEM, "--new") as again:
        assert "with the password" in again.greeting


def test_a_body_that_is_too_large_is_refused_while_it_comes(tmp_path: Path) -> None:
    with serving(tmp_path, *ONE_SYSTEM) as suite:
        connection = _connection(suite)
        connection.putrequest("POST", "/sign-in")
        connection.putheader("Content-Type", "application/x-www-form-urlencoded")
        connection.putheader("Content-Length", str(50_000_000))
        connection.endheaders()
        answer = connection.getresponse()
        assert answer.status == 413
        assert b"Send less." in answer.read()


class _HalfSent(http.client.HTTPConnection):
    def __enter__(self) -> _HalfSent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _half_sent(suite: Suite) -> _HalfSent:
    """A sign-in whose last byte is missing; the server has its beginning, since it says so."""
    body = b"identity=nobody&password=1234567"
    connection = _HalfSent(urlsplit(suite.url).netloc, timeout=60)
    connection.putrequest("POST", "/sign-in")
    connection.putheader("Content-Type", "application/x-www-form-urlencoded")
    connection.putheader("Content-Length", str(len(body) + 1))
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    assert connection.sock is not None
    assert b"100 Continue" in connection.sock.recv(200)
    connection.send(body)
    return connection


def _wait_until_closed(suite: Suite) -> None:
    """Returns when nobody new is let in any more."""
    address = urlsplit(suite.url)
    while True:
        with socket.socket() as probe:
            if probe.connect_ex((str(address.hostname), int(address.port or 0))) != 0:
                return


def _connection(suite: Suite) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(suite.url).netloc, timeout=60)


def _run(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "partita.cli", "serve", "--data", str(folder / "data"), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=110, env={**os.environ, **(environment or {})}, check=False
    )
