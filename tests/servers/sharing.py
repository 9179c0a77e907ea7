"""One server for all workers of a test run: started by the first that needs it, stopped by the last one that leaves."""

import fcntl
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

State = dict[str, Any]


@contextmanager
def shared_server(
    shared: Path, name: str, *, start: Callable[[], State], stop: Callable[[State], None]
) -> Iterator[State]:
    """What `start` said of the server (JSON-able); `shared` is the folder through which the workers find each other."""
    with _known(shared / f"{name}.json") as state:
        if not state:
            state.update(start(), users=0)
        state["users"] += 1
        said = dict(state)
    try:
        yield said
    finally:
        with _known(shared / f"{name}.json") as state:
            state["users"] -= 1
            if state["users"] == 0:
                stop(state)
                state.clear()


@contextmanager
def _known(path: Path) -> Iterator[State]:
    """What the workers know of the server, under a lock; empty while there is none."""
    with path.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state: State = json.loads(file.read() or "{}")
        yield state
        file.truncate(0)
        file.write(json.dumps(state))


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
