"""The process that has the model in memory, and what is said over its pipes.

Started as a file of its own, so that it imports nothing but Python's library, numpy and the model.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from typing import IO, Any

Question = tuple[str, list[list[str]]]
"""`vectors` of several texts each, or the `words` of one."""
ANSWERED, WRONG_MODEL, OTHERWISE = range(3)
"""What an answer is: parts, or the text of an error."""
_LENGTH = struct.Struct("!I")
_HEAD = struct.Struct("!BI")


def main() -> None:
    """Answer questions until there are none any more."""
    outgoing, incoming = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    beginning = json.loads(_read_part(incoming))
    sys.path[:] = beginning["path"]
    from pathlib import Path

    from partita.kit.meaning.encoder import MiniLM
    from partita.kit.meaning.weights import WrongModelError

    model = MiniLM(Path(beginning["folder"]))
    while True:
        try:
            asked, texts = json.loads(_read_part(incoming))
        except EOFError:
            return
        try:
            parts = model.vectors(texts) if asked == "vectors" else [model.words(texts[0][0])]
            _write_answer(outgoing, ANSWERED, parts)
        except WrongModelError as error:
            _write_answer(outgoing, WRONG_MODEL, [str(error).encode()])
        except Exception as error:
            _write_answer(outgoing, OTHERWISE, [f"{type(error).__name__}: {error}".encode()])


def write_beginning(pipe: IO[bytes], folder: str) -> None:
    """The first thing that is said: where code is imported from, and where the model's files are."""
    _write(pipe, {"path": sys.path, "folder": folder})


def write_question(pipe: IO[bytes], question: Question) -> None:
    _write(pipe, question)


def read_answer(pipe: IO[bytes]) -> tuple[int, list[bytes]]:
    """What an answer is, and its parts."""
    kind, count = _HEAD.unpack(_read(pipe, _HEAD.size))
    return kind, [_read_part(pipe) for _ in range(count)]


def _write_answer(pipe: IO[bytes], kind: int, parts: list[bytes]) -> None:
    pipe.write(_HEAD.pack(kind, len(parts)) + b"".join(_LENGTH.pack(len(each)) + each for each in parts))
    pipe.flush()


def _write(pipe: IO[bytes], value: Any) -> None:
    content = json.dumps(value).encode()  # with everything escaped: a text may hold half a surrogate
    pipe.write(_LENGTH.pack(len(content)) + content)
    pipe.flush()


def _read_part(pipe: IO[bytes]) -> bytes:
    return _read(pipe, _LENGTH.unpack(_read(pipe, _LENGTH.size))[0])


def _read(pipe: IO[bytes], count: int) -> bytes:
    content = pipe.read(count)
    if len(content) < count:
        raise EOFError
    return content


if __name__ == "__main__":
    main()
