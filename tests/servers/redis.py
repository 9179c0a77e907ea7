"""A throw-away Redis: started by the first worker that needs it, stopped by the last one that leaves."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.sharing import State, free_port, shared_server

_HOST = "127.0.0.1"
#: each test has one of its own
_DATABASES = 4096
_PATIENCE_SECONDS = 120
#: what makes a server refuse to write, and what ends that
REFUSALS = {
    "follower": ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
    "full": ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),
    "without replicas": ("CONFIG SET min-replicas-to-write 1", "CONFIG SET min-replicas-to-write 0"),
}


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A running server."""

    port: int
    #: numbers that are in use, one file for each
    taken: Path

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        """The URL of a database that nobody else uses; emptied afterwards."""
        number = self._take()
        try:
            yield f"redis://127.0.0.1:{self.port}/{number}"
        finally:
            _command(self.port, f"SELECT {number}", "FLUSHDB")
            (self.taken / str(number)).unlink()

    def _take(self) -> int:
        for number in range(_DATABASES):
            try:
                (self.taken / str(number)).touch(exist_ok=False)
            except FileExistsError:
                continue
            return number
        raise AssertionError("all databases are in use")


@contextmanager
def server(shared: Path) -> Iterator[RedisServer]:
    """A running server; `shared` is the folder through which the workers of a run find each other."""
    with shared_server(shared, "redis", start=_start, stop=_stop) as state:
        yield RedisServer(state["port"], Path(state["folder"]) / "taken")


class OwnRedis:
    """A server of one test alone, to be stopped, started again and emptied."""

    def __init__(self, folder: Path, *, host: str = _HOST) -> None:
        self._folder, self._host = folder, host
        self._port = free_port()
        self._pid: int | None = None

    @property
    def url(self) -> str:
        """Where it is, when it is there."""
        return f"redis://{self._host}:{self._port}/0"

    def start(self) -> None:
        """Starts it, with nothing in it, on the port that it always has."""
        self._pid = _launch(self._port, self._folder, host=self._host)

    def stop(self) -> None:
        """Ends it at once."""
        if self._pid is not None:
            _end(self._pid)
            self._pid = None

    def freeze(self) -> None:
        """Lets it hang: connections stay, answers do not come."""
        assert self._pid is not None
        os.kill(self._pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Lets it go on."""
        assert self._pid is not None
        os.kill(self._pid, signal.SIGCONT)

    @contextmanager
    def refusing(self, why: str) -> Iterator[None]:
        """Lets it answer whoever reads, and refuse whoever writes, for one of the reasons in `REFUSALS`."""
        begin, end = REFUSALS[why]
        _command(self._port, begin, host=self._host)
        try:
            yield
        finally:
            _command(self._port, end, host=self._host)


def _start() -> State:
    folder = Path(tempfile.mkdtemp(prefix="lamplighter-redis-"))
    (folder / "taken").mkdir()
    port = free_port()
    return {"port": port, "pid": _launch(port, folder), "folder": str(folder)}


def _stop(state: State) -> None:
    _end(state["pid"])
    shutil.rmtree(state["folder"])


def _launch(port: int, folder: Path, *, host: str = _HOST) -> int:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no Redis server here: install the Debian package redis-server")
    # Nothing here outlives the test run, so nothing needs to reach the disk.
    options = [
        "--port",
        str(port),
        "--bind",
        host,
        "--protected-mode",
        "no",
        "--databases",
        str(_DATABASES),
        "--save",
        "",
    ]
    with (folder / "server.log").open("a") as output:
        process = subprocess.Popen(
            [program, *options, "--dir", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while not _answers(port, host=host):
        assert process.poll() is None, (folder / "server.log").read_text()
        assert time.monotonic() < give_up, f"redis-server did not answer within {_PATIENCE_SECONDS} s"
        time.sleep(0.02)
    # It outlives whoever started it; whoever leaves last ends it by its id.
    process.returncode = 0
    return process.pid


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:  # another worker had started it, and buries it when it ends itself
        give_up = time.monotonic() + _PATIENCE_SECONDS
        while _is_alive(pid) and time.monotonic() < give_up:
            time.sleep(0.02)


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def _answers(port: int, *, host: str) -> bool:
    try:
        return _command(port, "PING", host=host).startswith(b"+PONG")
    except OSError:
        return False


def _command(port: int, *commands: str, host: str = _HOST) -> bytes:
    with socket.create_connection((host, port), timeout=60) as connection:
        for command in commands:
            connection.sendall(command.encode() + b"\r\n")
            answer = connection.recv(1024)
        return answer
