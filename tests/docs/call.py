"""What stands for `.venv/bin/lamplighter` in a folder where commands of the documentation run.

`call.py SOCKET FOLDER WORD…` hands the call to `preloaded.py`. What a person would leave running in a terminal
(`serve`, `worker`) is left running, as soon as it says that it is there: the next command is then that of a second
terminal. It is imported by nobody and imports little, for it starts with every command.
"""

import json
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

STAYING = {"serve", "worker"}
PATIENCE_SECONDS = 120
#: far longer than any command of the documentation takes
FORKED_SECONDS = 90


def main() -> int:
    """The exit code of the command."""
    path, folder, *words = sys.argv[1:]
    stays = bool(words) and words[0] in STAYING and "--help" not in words
    log = f"{folder}/{words[0]}-{os.getpid()}.log" if stays else None
    told_to = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if log else None
    files = [0, told_to, told_to] if told_to else [0, 1, 2]
    call = {"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(path)
        socket.send_fds(asked, [json.dumps(call).encode()], files)
        answers = asked.makefile()
        process = answers.readline().strip()
        if log is None:
            if code := _answered(asked, answers):
                return int(code)
            # What was forked died without a word, or waits for a thread that was not forked with it, as what is forked
            # may: then the command starts as it does for people.
            with suppress(ProcessLookupError, ValueError):
                os.kill(int(process), signal.SIGKILL)
            os.execv(sys.executable, [sys.executable, "-m", "lamplighter", *words])
        with open(f"{folder}/staying", "a") as staying:
            staying.write(f"{process}\n")
        return _wait_until_there(asked, log)


def _answered(asked: socket.socket, answers: IO[str]) -> str:
    """The exit code; nothing when there is none."""
    asked.settimeout(FORKED_SECONDS)
    try:
        return answers.readline()
    except TimeoutError:
        return ""


def _wait_until_there(asked: socket.socket, log: str) -> int:
    asked.settimeout(0.05)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            ended = asked.recv(16)
        except TimeoutError:
            said = Path(log).read_text()
            if "Lamplighter is running:" in said or "running without web pages" in said:
                return 0
            continue
        sys.stderr.write(Path(log).read_text())
        return int(ended or 1)
    return 1


sys.exit(main())
