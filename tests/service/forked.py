"""The `lamplighter` command in a process of its own, forked from one that has loaded it: a second less for each."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lamplighter.cli import main
from tests.crashes.worker import forking
from tests.fleet import namespaces


class Forked:
    """A command that runs, on the `host` of that path, as `subprocess.Popen` shows it."""

    def __init__(self, words: Sequence[str], *, env: Mapping[str, str], log: Path, host: str | None = None) -> None:
        self._words = tuple(words)
        self._process = forking().Process(target=_run, args=(self._words, dict(env), log, host), daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it goes on."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """How it ended, once it has."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self._words, timeout or 0)
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """At whatever it does."""
        self.send_signal(signal.SIGKILL)


def _run(words: tuple[str, ...], env: dict[str, str], log: Path, host: str | None) -> None:
    if host is not None:
        namespaces.enter(host)
    said = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for stream in (1, 2):
        os.dup2(said, stream)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["lamplighter", *words]
    main.run()
