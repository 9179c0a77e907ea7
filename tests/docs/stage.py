"""A folder in which the commands of a page are run as a reader would: one after the other, in a terminal."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.docs.example_site import FILES
from tests.docs.pages import Block
from tests.repository import ROOT

#: a guard against what hangs, far longer than any page takes
PATIENCE_SECONDS = 240
#: what the documentation calls the ports of the service and of the demo's sites, in a row
TOLD_PORTS = range(8060, 8066)

_CALL = """#!/bin/sh
exec "{python}" -I -S "{call}" "{socket}" "{folder}" "$@"
"""
# `make run` starts what its recipe says; nothing is installed here, so the recipe's other lines are left out.
_MAKE = """#!/bin/sh
[ "$1" = run ] || {{ echo "make $1 is not run here" >&2; exit 2; }}
recipe=$(env -u MAKEFLAGS "{make}" -C "{root}" --no-print-directory -n PORT={port} "$@") || exit
eval "$(echo "$recipe" | tail -n 1)"
"""
# What a person does before the same terminal is used for something else.
_CTRL_C = """#!/bin/sh
kill "${{1:--TERM}}" $(cat "{folder}/staying")
for process in $(cat "{folder}/staying"); do while kill -0 "$process" 2>/dev/null; do sleep 0.05; done; done
rm "{folder}/staying"
"""
_BEGIN = "set -eEo pipefail\n"
_BEFORE_A_BLOCK = 'cd "$STAGE"; echo "# {place}" >&2\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The program, imported once and ready to be called."""

    socket: Path
    #: the first of the ports that stand for those of the documentation
    first_port: int


@contextmanager
def program(folder: Path) -> Iterator[Program]:
    """It is ended with everything that was started through it."""
    path = folder / "lamplighter.socket"
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.docs.preloaded", path],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with server:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        yield Program(socket=path, first_port=free_ports(len(TOLD_PORTS)))


class Stage:
    """A checkout with an installation: its data, its programs, and no settings but those that make it quick."""

    def __init__(self, folder: Path, run_by: Program, *, example: str) -> None:
        self.folder = folder
        self._program = run_by
        #: patterns of words in the documentation, and what stands for them here
        self.standing_for: dict[str, Callable[[re.Match[str]], str]] = {
            rf"\b(?:{'|'.join(map(str, TOLD_PORTS))})\b": self._free_port,
            r"https://example\.org(?=[/ \n])": lambda _: example,
        }
        self._example = urlsplit(example).netloc
        self._programs = folder / ".venv" / "bin"
        self._programs.mkdir(parents=True)
        shutil.copytree(ROOT / "deploy", folder / "deploy")
        self._write_programs()
        for name, text in (FILES | {".curlrc": "fail-with-body\nsilent\nshow-error\n"}).items():
            (folder / name).write_text(text)

    def _write_programs(self) -> None:
        make = shutil.which("make") or "make"
        call = _CALL.format(
            python=sys.executable, call=ROOT / "tests/docs/call.py", socket=self._program.socket, folder=self.folder
        )
        scripts = {
            "lamplighter": call,
            "make": _MAKE.format(make=make, root=ROOT, port=self._program.first_port),
            "ctrl-c": _CTRL_C.format(folder=self.folder),
        }
        for name, script in scripts.items():
            (self._programs / name).write_text(script)
            (self._programs / name).chmod(0o755)
        (self._programs / "python").symlink_to(sys.executable)
        (self._programs / "activate").write_text(f'PATH="{self._programs}:$PATH"\n')

    def run(self, *blocks: Block) -> subprocess.CompletedProcess[str]:
        """What comes of the blocks in one terminal; it goes on only while everything succeeds."""
        script = "".join(_BEFORE_A_BLOCK.format(place=block.place) + block.script for block in blocks)
        for words, instead in self.standing_for.items():
            script = re.sub(words, instead, script)
        return self.shell(script)

    def shell(self, script: str) -> subprocess.CompletedProcess[str]:
        """What comes of a script."""
        return subprocess.run(
            ["bash", "-c", _BEGIN + script],
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )

    def _free_port(self, told: re.Match[str]) -> str:
        return str(self._program.first_port + int(told[0]) - TOLD_PORTS.start)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAMPLIGHTER_", "AUTH_"))}
        return kept | {
            "STAGE": str(self.folder),
            "HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "PATH": f"{self._programs}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "160",
            "LAMPLIGHTER_PORT": str(self._program.first_port),
            "LAMPLIGHTER_ALLOW_HOSTS": self._example,
            "LAMPLIGHTER_MIN_DELAY_MS": "10",
            "LAMPLIGHTER_GRACE_SECONDS": "1",
            "LAMPLIGHTER_DEMO_PAST_DAYS": "0",
        }

    def stop(self) -> None:
        """Ends what a person would have left running, at once: nobody wants anything of it any more."""
        if (self.folder / "staying").exists():
            self.shell("ctrl-c -KILL").check_returncode()


def free_ports(count: int) -> int:
    """The first of several free ports in a row, below those from which connections are made."""
    for first in range(12000 + os.getpid() % 800 * 10, 32000, 10):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for offset in range(count):
                stack.enter_context(socket.create_server(("127.0.0.1", first + offset)))
            return first
    raise AssertionError("no free ports")
