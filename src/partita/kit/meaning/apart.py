"""The model in a process of its own, which is started with the first text and ends when nobody asks any more.

Its matrices, numpy and what it computes with take some 100 MB. In the serving process they would stay for good once
somebody has searched, and every page would wait while a text is read.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from select import select
from typing import IO

from partita.kit.meaning import answering
from partita.kit.meaning.answering import OTHERWISE, WRONG_MODEL, Question
from partita.kit.meaning.languages import is_understood
from partita.kit.meaning.weights import WrongModelError

_IDLE_SECONDS = 60.0
"""So long the process waits for another text; to start it again takes half a second."""
_ANSWER_SECONDS = 60.0
_MOST_CHARACTERS = 8_000
"""More than the model reads of a text, by far."""

_KEPT_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_", "TMPDIR", "PYTHON", "LD_LIBRARY_PATH", "COVERAGE", "VIRTUAL_ENV")
"""Secrets are in the environment too, and the model reads what anybody writes."""

_Asked = tuple[Question, "Future[list[bytes]]"]


class NoAnswerError(OSError):
    """The process of the model ended, or took too long; the next question starts another one."""


class MeaningApart:
    """Asks the model in its process. Whoever asks waits for those before; nobody else does."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path, idle_seconds: float = _IDLE_SECONDS) -> None:
        self._folder = folder
        self._idle_seconds = idle_seconds
        self._guard = threading.Lock()
        self._asked: SimpleQueue[_Asked | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process that has the model in memory, if there is one."""
        process = self._process
        return None if process is None else process.pid

    def understands(self, text: str) -> bool:
        return is_understood(text)

    def vector(self, texts: Sequence[str]) -> bytes:
        return self.vectors((texts,))[0]

    def vectors(self, texts: Sequence[Sequence[str]]) -> list[bytes]:
        return self._ask(("vectors", [[each[:_MOST_CHARACTERS] for each in some] for some in texts]))

    def words(self, text: str) -> bytes:
        return self._ask(("words", [[text[:_MOST_CHARACTERS]]]))[0]

    def close(self) -> None:
        """End the process; whoever waits is told."""
        with self._guard:
            self._closed = True
            thread = self._thread
            self._asked.put(None)
        if thread is not None:
            thread.join()

    def _ask(self, question: Question) -> list[bytes]:
        answer: Future[list[bytes]] = Future()
        with self._guard:
            if self._closed:
                raise NoAnswerError("The model is closed.")
            self._asked.put((question, answer))
            if self._thread is None:
                self._thread = threading.Thread(target=self._answer, name="meaning process", daemon=True)
                self._thread.start()
        return answer.result()

    # -- in the thread that talks to the process

    def _answer(self) -> None:
        """One question after the other, until nobody has asked for a while."""
        while True:
            try:
                asked = self._asked.get(timeout=self._idle_seconds)
            except Empty:
                with self._guard:
                    if not self._asked.empty():
                        continue
                    self._thread = None
                    self._end()
                    return
            if asked is None:
                self._end()
                self._refuse_all()
                return
            question, answer = asked
            try:
                answer.set_result(self._talk(question))
            except BaseException as error:
                answer.set_exception(error)

    def _refuse_all(self) -> None:
        with suppress(Empty):
            while (asked := self._asked.get_nowait()) is not None:
                asked[1].set_exception(NoAnswerError("The model is closed."))

    def _talk(self, question: Question) -> list[bytes]:
        begun = self._process is None
        try:
            kind, parts = self._sent(question)
        except (EOFError, OSError) as error:
            self._end()
            if begun or isinstance(error, NoAnswerError):
                raise NoAnswerError(str(error) or "The process of the model ended without an answer.") from None
            return self._talk(question)  # whatever ended it, a new one may know
        if kind == WRONG_MODEL:
            raise WrongModelError(parts[0].decode())
        if kind == OTHERWISE:
            raise NoAnswerError(parts[0].decode())
        return parts

    def _sent(self, question: Question) -> tuple[int, list[bytes]]:
        process = self._process = self._process or self._start()
        outgoing, incoming = _pipes(process)
        answering.write_question(outgoing, question)
        if not select([incoming], [], [], _ANSWER_SECONDS)[0]:
            raise NoAnswerError("The process of the model took too long.")
        return answering.read_answer(incoming)

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-P", answering.__file__],  # its folder is no place to import from
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if name.startswith(_KEPT_ENVIRONMENT)},
            start_new_session=True,  # Ctrl-C is for the server, which ends it
        )
        outgoing, _ = _pipes(process)
        answering.write_beginning(outgoing, str(self._folder))
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()  # it writes no file, so nothing is left half done
            with suppress(OSError), process:  # closes the pipes, and waits until it is gone
                pass


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
