"""The service as an operator starts it: `lamplighter serve` in a process of its own, on a free port."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

_PATIENCE_SECONDS: Final = 120.0
NO_ANSWER: Final = 0


class Served(NamedTuple):
    """A running service."""

    process: "subprocess.Popen[bytes]"
    #: without a slash at the end
    url: str


@contextmanager
def served(log: Path, chosen: Mapping[str, str], *options: str) -> Iterator[Served]:
    """Runs with these settings while the block lasts; what it prints and logs goes to `log`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")}
    env |= {f"LAMPLIGHTER_{name.upper()}": value for name, value in chosen.items()}
    command = [sys.executable, "-m", "lamplighter", "serve", "--port", str(port), *options]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=env, stdout=output, stderr=output)
        try:
            _wait_for(process, f"http://127.0.0.1:{port}")
            yield Served(process, f"http://127.0.0.1:{port}")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(_PATIENCE_SECONDS)


def _wait_for(process: "subprocess.Popen[bytes]", url: str) -> None:
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while status_of(f"{url}/health") != 200:
        if process.poll() is not None or time.monotonic() > give_up:
            raise RuntimeError(f"the service did not get ready (exit code {process.poll()})")
        time.sleep(0.2)


def status_of(url: str, headers: Sequence[tuple[str, str]] = ()) -> int:
    """The status that is answered after everything was read; 0 when nothing is."""
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=dict(headers)), timeout=_PATIENCE_SECONDS
        ) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return NO_ANSWER
