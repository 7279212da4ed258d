"""Following a page of the documentation as a reader does: files are written, commands run, and what is shown is seen.

- A Python block that starts with `# name.py` is that file; with `# name.py, continued` it is added to its end. So is a
  block of HTML that starts with `{# folder/name.html #}`.
- Other Python blocks are run in order, as one program.
- A console block holds commands after `$`, each followed by exactly what it prints. `...` stands for what differs from
  run to run, and alone on a line for any number of lines. A command whose output ends with `Ctrl-C stops it.` goes on
  in another terminal until the page ends.
- A block of `sh` is what a reader does before: it is not run.

Port 8000 is taken for whatever port is free.
"""

from __future__ import annotations

import difflib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.serving import free_port

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"\{?# ([\w/]+\.(?:py|html))(, continued)?(?: #\})?\n")
_STAYS = "Ctrl-C stops it.\n"
_SECONDS = 60.0


class PageError(AssertionError):
    """A page shows what does not happen."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code, and where it is."""

    language: str
    text: str
    where: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what it is shown to print."""

    command: str
    shown: str


def follow(page: Path, folder: Path) -> None:
    """Do what the page says, in an empty folder; what it shows must be what is seen."""
    with ExitStack() as terminals:
        for block in blocks(page):
            if block.language in ("python", "html"):
                write(block, folder)
            elif block.language == "console":
                for command in commands(block):
                    _see(command, block, folder, terminals)
            elif block.language != "sh":
                raise PageError(f"{block.where}: nobody knows what to do with a block of {block.language!r}")


def run_python(page: Path, folder: Path, *, together: bool) -> None:
    """Run the Python blocks of a page as one program, or each as a program of its own."""
    texts = [block for block in blocks(page) if block.language == "python"]
    if not texts:
        raise PageError(f"{page.name} has no Python to run")
    for group in [texts] if together else [[block] for block in texts]:
        # Lines stay where they are on the page, so that a traceback names them.
        program = folder / f"{page.stem}_{group[0].where.rpartition(' ')[2]}.py"
        program.write_text(_RUNNER.format(blocks=[(block.where, block.text) for block in group]))
        done = run([sys.executable, "-W", "error", str(program)], folder)
        if done.returncode or "Exception ignored" in done.stdout:
            raise PageError(f"{group[0].where}: this program fails\n{done.stdout}")


_RUNNER = """
import ast, asyncio, inspect
async def main():
    names = {{"__name__": "page"}}
    for where, text in {blocks!r}:
        code = compile(text, where, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        waiting = eval(code, names)
        if inspect.iscoroutine(waiting):
            await waiting
asyncio.run(main())
"""


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, in order."""
    text = re.sub(r"\b8000\b", str(free_port()), page.read_text())
    for match in _BLOCK.finditer(text):
        yield Block(match[1], match[2], f"{page.name} line {text.count(chr(10), 0, match.start()) + 2}")


def write(block: Block, folder: Path) -> None:
    """Write the file that a block is."""
    named = _FILE.match(block.text)
    if named is None:
        raise PageError(f"{block.where}: which file is this? The block starts without `# name.py`")
    file = folder / named[1]
    if bool(named[2]) != file.exists():
        raise PageError(f"{block.where}: {named[1]} is {'not there yet' if named[2] else 'there already'}")
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as opened:
        opened.write(block.text[named.end() :] if not named[2] else "\n\n" + block.text[named.end() :].lstrip("\n"))


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block."""
    first, *parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    if first or not parts:
        raise PageError(f"{block.where}: a console block starts with `$ ` and a command")
    for part in parts:
        command, _, shown = part.partition("\n")
        yield Command(command, shown)


def fits(shown: str, printed: str) -> bool:
    """Whether what was printed is what is shown."""
    pattern = re.escape(shown)
    pattern = re.sub(r"(?m)^\\\.\\\.\\\.\\?\n", "(?:.*\n)*", pattern)
    return re.fullmatch(pattern.replace(r"\.\.\.", ".*"), printed) is not None


def _see(command: Command, block: Block, folder: Path, terminals: ExitStack) -> None:
    if command.shown.endswith(_STAYS):
        printed = terminals.enter_context(_another_terminal(command.command, folder))
    else:
        printed = run(["bash", "-c", command.command], folder).stdout
    if not fits(command.shown, printed):
        difference = difflib.unified_diff(
            command.shown.splitlines(True), printed.splitlines(True), "shown", "printed", n=2
        )
        raise PageError(f"{block.where}: $ {command.command}\n{''.join(difference)}")


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader does; both outputs in one."""
    return subprocess.run(
        command,
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_SECONDS,
    )


@contextmanager
def _another_terminal(command: str, folder: Path) -> Iterator[str]:
    """A command that goes on; what it has said when it is ready."""
    with subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = ""
            deadline = time.monotonic() + _SECONDS
            while not said.endswith(_STAYS) and time.monotonic() < deadline:
                line = process.stdout.readline()
                if not line:
                    break
                said += line
            yield said
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


def _environment() -> dict[str, str]:
    """A reader's: the commands of this environment, nothing of the test run around it. pytest comes without the plugins
    that are installed here, which take longer than a reader's tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "AWS_", "LENDING_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    account = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**kept, **account, **plain, "PATH": path, "COLUMNS": "120"}
