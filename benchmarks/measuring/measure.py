"""What does a command cost? CPU seconds, wall time and peak memory of it and of everything it starts."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO, Final

from benchmarks.measuring.processes import tree

_SAMPLE_EVERY_SECONDS: Final = 0.05
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One run of one command."""

    #: As subprocess has it: negative is the signal that ended the command, -9 that it ran into the timeout.
    exit_code: int
    #: User and system time of the command and of all descendants that their parents waited for.
    cpu: timedelta
    wall: timedelta
    #: Largest sum of resident memory over the process tree, sampled 20 times a second. Memory that processes share is
    #: counted for each of them, so for a program with workers this is an upper bound.
    peak_rss_bytes: int
    #: Descendants alive after the command had ended. Their CPU time is missing above, so it should be 0.
    left_behind: int
    stdout: str
    stderr: str


def measure(
    command: Sequence[str],
    *,
    cwd: Path,
    timeout: timedelta,
    on_sample: Callable[[], None] = lambda: None,
    env: Mapping[str, str] = MappingProxyType({}),
) -> Measurement:
    """Runs a command to its end, or kills it with its descendants at the timeout; `on_sample` is called meanwhile.

    `env` is added to our own environment.
    """
    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=os.environ | dict(env),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        peak, seen = 0, {process.pid}
        # wait4 rather than Popen.wait: its usage is that of this command alone, not of all our children so far.
        while not (waited := os.wait4(process.pid, os.WNOHANG))[0]:
            living = tuple(tree(process.pid))
            seen.update(living)
            peak = max(peak, sum(map(_resident_bytes, living)))
            if time.monotonic() - started > timeout.total_seconds():
                os.killpg(process.pid, signal.SIGKILL)
            on_sample()
            time.sleep(_SAMPLE_EVERY_SECONDS)
        wall = time.monotonic() - started
        _, status, usage = waited
        process.returncode = os.waitstatus_to_exitcode(status)
        return Measurement(
            exit_code=process.returncode,
            cpu=timedelta(seconds=usage.ru_utime + usage.ru_stime),
            wall=timedelta(seconds=wall),
            peak_rss_bytes=peak,
            left_behind=sum(_resident_bytes(pid) > 0 for pid in seen),
            stdout=_text(stdout),
            stderr=_text(stderr),
        )


def _resident_bytes(pid: int) -> int:
    """Resident memory of a process; 0 when it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
