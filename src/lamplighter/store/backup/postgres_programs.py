"""Finds and runs PostgreSQL's client programs: those whose version fits the server.

Connection settings, including the password, are passed in the environment: every user of the machine can read a
command line.
"""

import asyncio
import os
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa

from lamplighter.errors import NotPossible

#: where Debian installs the programs of each version
DEBIAN = Path("/usr/lib/postgresql")
_VERSION = re.compile(rb"\(PostgreSQL\) (\d+)")
_INSTALL = "install PostgreSQL's client programs (on Debian: postgresql-client)"
#: characters of a failed program's error output
_MOST_SAID = 500
#: libpq's names for our driver's values
_SSL_MODES = {"true": "require", "false": "disable"}


def environment(url: sa.URL) -> dict[str, str]:
    """The environment variables with which libpq connects to the same database."""
    query = {name: value if isinstance(value, str) else value[0] for name, value in url.query.items()}
    ssl = query.get("ssl") or query.get("sslmode")
    said = {
        "PGHOST": url.host or query.get("host"),
        "PGPORT": str(url.port) if url.port is not None else query.get("port"),
        "PGUSER": url.username or query.get("user"),
        "PGPASSWORD": str(url.password) if url.password is not None else query.get("password"),
        "PGDATABASE": url.database or query.get("database"),
        "PGSSLMODE": _SSL_MODES.get(ssl.lower(), ssl) if ssl else None,
        "PGAPPNAME": "lamplighter backup",
    }
    return dict(os.environ) | {name: value for name, value in said.items() if value}


async def newest(name: str) -> Path:
    """The newest program with this name, which reads the dumps of all older versions."""
    found = await _found(name)
    if not found:
        raise NotPossible(f"{name} is not on this machine; {_INSTALL}")
    return found[max(found)]


async def program(name: str, *, server: int) -> Path:
    """The program for a server's major version: the same, else the next newer; NotPossible when all are older."""
    found = await _found(name)
    fitting = sorted(version for version in found if version >= server)
    if fitting:
        return found[fitting[0]]
    if not found:
        raise NotPossible(f"{name} is not on this machine; {_INSTALL} of version {server} or later")
    raise NotPossible(
        f"{name} here is of version {max(found)}, the server of version {server}, which it cannot dump or restore; "
        f"{_INSTALL} of version {server} or later"
    )


async def _found(name: str) -> dict[int, Path]:
    """Major version -> program."""
    return {await _major(path): path for path in _candidates(name)}


def _candidates(name: str) -> list[Path]:
    on_path = shutil.which(name)
    paths = [*DEBIAN.glob(f"*/bin/{name}"), *([Path(on_path)] if on_path else [])]
    return [path for path in paths if os.access(path, os.X_OK)]


async def _major(path: Path) -> int:
    process = await asyncio.create_subprocess_exec(path, "--version", stdout=PIPE, stderr=DEVNULL)
    said, _ = await process.communicate()
    version = _VERSION.search(said)
    return int(version[1]) if version else 0


@asynccontextmanager
async def running(
    path: Path, *arguments: str | Path, env: Mapping[str, str], stdin: int = DEVNULL, stdout: int = DEVNULL
) -> AsyncIterator[Process]:
    """Runs a program, which does not outlive the block; NotPossible, with its error, when it failed."""
    process = await asyncio.create_subprocess_exec(
        path, *arguments, env=dict(env), stdin=stdin, stdout=stdout, stderr=PIPE
    )
    assert process.stderr is not None
    complaints = asyncio.create_task(process.stderr.read(), name=f"{path.name} errors")
    try:
        yield process
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        said = (await complaints).decode(errors="replace")
    if process.returncode:
        raise NotPossible(f"{path.name} failed: {_last_words(said, env) or f'exit code {process.returncode}'}")


def _last_words(said: str, env: Mapping[str, str]) -> str:
    text = " ".join(said.split())[:_MOST_SAID]
    password = env.get("PGPASSWORD")
    return text.replace(password, "•••") if password else text
