"""Processes that methods run in: started when needed, used again, killed when they take too long."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import Any

from joblib.externals.loky.cloudpickle_wrapper import dumps

from shearer.yardstick.trial_worker import Job

# A process that has not said a word after so many seconds is not coming up.
_START_SECONDS = 300.0
_END_SECONDS = 10.0
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_idle: "queue.SimpleQueue[Worker]" = queue.SimpleQueue()


class Worker:
    """One process, and the lines that it writes."""

    def __init__(self) -> None:
        # A session of its own, so that programs that a method has started end with it; modules are found as here.
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from shearer.yardstick.trial_worker import main; main()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | dict.fromkeys(_THREADS, "1") | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )  # fmt: skip
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._last_words: deque[bytes] = deque(maxlen=1)
        self._listeners = [threading.Thread(target=listen, daemon=True) for listen in (self._answers, self._errors)]
        for listener in self._listeners:
            listener.start()
        if self._next(_START_SECONDS) is None:
            raise OSError(f"a process for methods did not start: {self.close()}")

    def _answers(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put(None)

    def _errors(self) -> None:
        for line in self._process.stderr or ():
            if line.strip():
                self._last_words.append(line)

    def _next(self, seconds: float) -> dict[str, Any] | None:
        """The next message; None if the process has ended, `queue.Empty` if it says nothing for so long."""
        line = self._lines.get(timeout=seconds)
        message: dict[str, Any] | None = None if line is None else json.loads(line)
        return message

    def run(self, job: Job, patience: float) -> tuple[list[dict[str, Any]], str | None]:
        """Answers of the trials, and why they stopped early: "timeout", or the last words of a process that ended."""
        stream = self._process.stdin
        payload = dumps(job)
        answers: list[dict[str, Any]] = []
        if stream is None:
            return answers, "no input"
        try:
            stream.write(len(payload).to_bytes(8) + payload)
            stream.flush()
            while (message := self._next(patience)) is not None:
                if "end" in message:
                    return answers, None
                answers.append(message)
        except queue.Empty:
            self.close()
            return answers, "timeout"
        except BrokenPipeError:
            pass
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)  # it may be about to say why
        return answers, self.close() or "ended"

    def close(self) -> str:
        """End the process, and return the last line of its standard error."""
        with suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        for listener in self._listeners:
            listener.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        return b"".join(self._last_words).decode("utf-8", "replace").strip()[:300]

    @property
    def alive(self) -> bool:
        """Whether it can take another job."""
        return self._process.poll() is None


def run_job(job: Job, patience: float) -> tuple[list[dict[str, Any]], str | None]:
    """Run a job in an idle process, or in a new one."""
    try:
        worker = _idle.get_nowait()
    except queue.Empty:
        worker = Worker()
    try:
        found = worker.run(job, patience)
    except BaseException:
        worker.close()
        raise
    if worker.alive:
        _idle.put(worker)
    return found


def close_idle() -> None:
    """End the processes that wait for work."""
    while True:
        try:
            _idle.get_nowait().close()
        except queue.Empty:
            return
