"""An operator imports a file of sources, makes a backup and restores it; whatever is cut short is done again."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.crashes.desk import Desk, command
from tests.crashes.installation import Places
from tests.crashes.situations import Situation
from tests.crashes.snapshot import Snapshot

#: two transactions
_SOURCES = 130
_FILE = "sources.txt"


class ByHand(Situation):
    """Three commands, one after the other."""

    name = "by hand"
    points = frozenset(
        {
            *("import.after_chunk", "backup.midway", "backup.before_name", "backup.after_name"),
            *("restore.before_commit", "restore.after_commit"),
        }
    )
    most_at_once = 1
    installation: Desk

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path, kind: str, places: Places, *, is_empty: bool) -> AsyncIterator["ByHand"]:
        url = await places.database(kind, folder, is_empty=is_empty)
        async with Desk(folder, url, lease=places.lease, commands=_give) as desk:
            yield cls(desk, ())

    async def begin(self) -> None:
        urls = [f"https://site-{number}.example/jobs" for number in range(_SOURCES)]
        (self.installation.folder / _FILE).write_text("\n".join(urls))

    async def is_settled(self) -> bool:
        return self.installation.is_done()

    async def snapshot(self) -> Snapshot:
        schemas = await self.installation.schemas_of_backups()
        return await super().snapshot() | {"schemas of the backups": [(schema,) for schema in set(schemas)]}


def _give(env: Mapping[str, str], folder: Path) -> None:
    command("sources", "import", str(folder / _FILE), or_else=1)
    command("db", "backup")
    newest = max((folder / "backups").glob("lamplighter-*Z*[bp]"), key=lambda path: path.stat().st_mtime_ns)
    # What the test itself asked may be in the list of sessions for a moment longer.
    while not command("db", "restore", str(newest), *_replacing(env), or_else=1):
        time.sleep(0.2)


def _replacing(env: Mapping[str, str]) -> list[str]:
    return ["--replace"] if env["LAMPLIGHTER_DATABASE_URL"].startswith("postgresql") else []
