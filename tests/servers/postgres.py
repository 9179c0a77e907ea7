"""A throw-away PostgreSQL: started by the first worker that needs it, stopped by the last one that leaves."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from uuid import uuid4

import pytest

from tests.servers.sharing import State, free_port, shared_server

_GIVEN_URL = "LAMPLIGHTER_TEST_POSTGRES_URL"
_USER = "lamplighter"
#: initdb refuses to run as root; the first of these accounts that exists runs the server instead
_ACCOUNTS = ("postgres", "nobody")
_NOTHING: Mapping[str, str] = MappingProxyType({})
#: nothing here outlives the test run, so nothing needs to reach the disk
_OPTIONS = (
    "-c unix_socket_directories= -c fsync=off -c synchronous_commit=off"
    # which would count rows when it likes, and so change how the next test's statements are planned
    " -c autovacuum=off"
)


@contextmanager
def cluster(shared: Path) -> Iterator[str]:
    """The URL of a running server; `shared` is the folder through which the workers of a run find each other."""
    if given := os.environ.get(_GIVEN_URL):
        yield given
        return
    with shared_server(shared, "postgres", start=_start, stop=_stop) as state:
        yield f"postgresql+asyncpg://{_USER}@127.0.0.1:{state['port']}/postgres"


@dataclass(frozen=True, slots=True)
class OwnServer:
    """A server of one test alone."""

    state: State

    @property
    def url(self) -> str:
        """Where it is, whichever process it is."""
        return f"postgresql+asyncpg://{_USER}@{self.state['host']}:{self.state['port']}/postgres"

    def fail_over(self) -> None:
        """Ends it at once; another process with the same data, elsewhere, takes its port."""
        folder, programs = Path(self.state["folder"]), _programs()
        _run(folder, programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
        (folder / "data").rename(folder / "elsewhere")
        _serve(folder, folder / "elsewhere", self.state)
        (folder / "data").symlink_to("elsewhere")


@contextmanager
def own_server(host: str = "127.0.0.1", *, env: Mapping[str, str] = _NOTHING) -> Iterator[OwnServer]:
    """A server that may be ended and replaced, with more environment variables."""
    state = _start(host, env)
    try:
        yield OwnServer(state)
    finally:
        _stop(state)


@asynccontextmanager
async def fresh_database(url: str) -> AsyncIterator[str]:
    """An empty database on that server, dropped afterwards with whoever is still connected."""
    made = await create_database(url)
    try:
        yield made
    finally:
        await drop_database(made)


async def create_database(url: str, *, like: str | None = None) -> str:
    """A new database on that server, empty or `like` another, which nobody may use meanwhile."""
    server, _, _ = url.rpartition("/")
    name = f"test_{uuid4().hex}"
    template = f" TEMPLATE {like.rpartition('/')[2]}" if like else ""
    await command(f"{server}/postgres", f"CREATE DATABASE {name}{template}")
    return f"{server}/{name}"


async def drop_database(url: str) -> None:
    """Drops a database together with whoever is still connected."""
    server, _, name = url.rpartition("/")
    await command(f"{server}/postgres", f"DROP DATABASE {name} WITH (FORCE)")


async def command(url: str, statement: str) -> None:
    """Carries out one statement outside of any transaction."""
    import asyncpg  # not there when the postgres extra is not installed

    connection = await asyncpg.connect(url.replace("+asyncpg", ""), ssl=False)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _programs() -> Path:
    """The folder with initdb and pg_ctl; Debian keeps them off the PATH."""
    by_version = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    on_path = shutil.which("pg_ctl")
    folders = [*reversed(by_version), *([Path(on_path).resolve().parent] if on_path else [])]
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    pytest.skip(f"no PostgreSQL server here: install the Debian package postgresql, or set {_GIVEN_URL}")


def _start(host: str = "127.0.0.1", env: Mapping[str, str] = _NOTHING) -> State:
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="lamplighter-postgres-"))
    account = _account()
    if account is not None:
        os.chown(folder, account.pw_uid, account.pw_gid)
    port = free_port()
    data = folder / "data"
    _run(folder, programs / "initdb", "-D", data, "-U", _USER, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
    # Those are the hosts of namespaces; see tests/fleet/namespaces.py.
    with (data / "pg_hba.conf").open("a") as known:
        known.write("host all all 192.0.2.0/24 trust\n")
    state = {"host": host, "port": port, "folder": str(folder), "env": dict(env)}
    _serve(folder, data, state)
    return state


def _serve(folder: Path, data: Path, state: State) -> None:
    options = f"{_OPTIONS} -c listen_addresses={state['host']} -p {state['port']}"
    _run(
        folder,
        _programs() / "pg_ctl",
        "-D",
        data,
        "-l",
        folder / "server.log",
        "-o",
        options,
        "-w",
        "start",
        env=state["env"],
    )


def _stop(state: State) -> None:
    programs, folder = _programs(), Path(state["folder"])
    # pg_ctl signals the process id that the server wrote into its own folder.
    _run(folder, programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
    shutil.rmtree(folder)


def _run(folder: Path, *command: str | Path, env: Mapping[str, str] = _NOTHING) -> None:
    account = _account()
    # The server keeps its output open, so it must not inherit a pipe that we would wait on.
    with (folder / "commands.log").open("a+") as output:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=300,
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
        )
        output.seek(0)
        assert done.returncode == 0, f"{command[0]} failed:\n{output.read()}"


def _account() -> pwd.struct_passwd | None:
    """The account to run the server as; None is our own."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next((known[name] for name in _ACCOUNTS if name in known), None)
