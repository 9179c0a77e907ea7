"""What an installation has to do while its processes die, and how it must look when it is done.

Together they reach every crash point. Here are a first crawl of two boards with somebody to be told and a search server
to be kept up to date, and a run that is overdue; beside this module an archive that is to be swept, old rows that are
to be deleted, an operator who imports a file, makes a backup and restores it, and one who upgrades an old database.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import sqlalchemy as sa

from lamplighter.app.opening import open_messaging
from lamplighter.model.access import Stamp
from lamplighter.model.notification import NotificationState
from lamplighter.operations.alerts import notification_channels, notification_rules
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.alerts.notification_rules import RuleSettings
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import migrate, tables
from tests.crashes.installation import Installation, Places
from tests.crashes.snapshot import Snapshot, snapshot
from tests.crawl.alerts.notification_loops import Receiver
from tests.origin import Origin
from tests.servers.meilisearch import Meilisearch
from tests.service.sites import job_board

BOARDS, POSTINGS, PER_PAGE = 2, 4, 3


class Situation(ABC):
    """One installation's work, from its beginning to its end."""

    #: what it is called in reports
    name: ClassVar[str]
    #: the points that its processes come by
    points: ClassVar[frozenset[str]]
    #: how many processes may work on it together
    most_at_once: ClassVar[int] = 3

    def __init__(self, installation: Installation, boards: Sequence[Origin]) -> None:
        self.installation = installation
        #: the sites that may be asked
        self.boards = boards

    @classmethod
    @abstractmethod
    def open(cls, folder: Path, kind: str, places: Places, *, is_empty: bool) -> Any:
        """An async context manager of the situation, before anything was done."""

    @abstractmethod
    async def begin(self) -> None:
        """Gives the installation its work; the database has tables by now."""

    async def is_migrated(self) -> bool:
        """Whether the database has its tables."""
        return await migrate.current(self.installation.db) is not None

    @abstractmethod
    async def is_settled(self) -> bool:
        """Whether nothing is left to do."""

    async def snapshot(self) -> Snapshot:
        """How it looks from outside."""
        names = {board.address: f"board-{number}" for number, board in enumerate(self.boards)}
        return await snapshot(self.installation, names=names)


class FirstCrawl(Situation):
    """Two boards are watched for the first time."""

    name = "first crawl"
    points = frozenset(
        {
            *("create.midway", "deliver.before_effect", "deliver.after_effect", "open.before_commit"),
            *("open.after_commit", "host.after_claim", "robots.after_fetch", "fetch.before_request"),
            *("fetch.after_response", "fetch.after_archive", "fetch.after_commit", "parse.after_claim"),
            *("parse.after_extract", "store.before_commit", "store.after_commit"),
            *("finish.before_commit", "finish.after_commit", "index.after_send", "notify.after_send"),
        }
    )

    def __init__(
        self, installation: Installation, boards: Sequence[Origin], hook: Receiver, index: Meilisearch
    ) -> None:
        super().__init__(installation, boards)
        self._hook, self._index = hook, index

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path, kind: str, places: Places, *, is_empty: bool) -> AsyncIterator["FirstCrawl"]:
        url = await places.database(kind, folder, is_empty=is_empty)
        async with Origin() as first, Origin() as second, Origin() as desk, Meilisearch() as index:
            boards = (first, second)
            for board in boards:
                job_board(board, postings=POSTINGS, per_page=PER_PAGE)
            allowed = ",".join(each.address for each in (*boards, desk))
            chosen = {"allow_hosts": allowed, "index_url": f"meilisearch+{index.url}"}
            async with Installation(folder, url, lease=places.lease, **chosen) as installation:
                yield cls(installation, boards, Receiver(desk), index)

    async def begin(self) -> None:
        async with open_messaging(self.installation.settings) as messaging:
            now = messaging.store.clock.now()

            async def work(db: Connection) -> None:
                channel = ChannelSettings(name="desk", kind="webhook", target=self._hook.url)
                desk = await notification_channels.add(
                    db, channel, messenger=messaging.messenger, stamp=Stamp("test", now)
                )
                rule = RuleSettings(channel=desk.public_id, kind="records.new", digest_minutes=0, with_baseline=True)
                await notification_rules.add(db, rule, stamp=Stamp("test", now))
                for board in self.boards:
                    await sources.add(db, NewSource(url=board.url + "/jobs"), stamp=Stamp("test", now))

            await messaging.store.db.write(work)

    async def is_settled(self) -> bool:
        for query in _LEFT_TO_DO:
            if await self.installation.rows(query):
                return False
        runs, told, records = [
            (await self.installation.rows(sa.select(sa.func.count()).select_from(table)))[0][0]
            for table in (tables.crawl_runs, tables.notifications, tables.records)
        ]
        return bool(runs >= BOARDS and told >= BOARDS and records >= BOARDS * POSTINGS)

    async def snapshot(self) -> Snapshot:
        seen = await super().snapshot()
        keys = self._hook.keys
        documents = [document for index in self._index.indexes.values() for document in index.documents.values()]
        return seen | {
            "told, by id": [(len(set(keys)),)],
            "search server": sorted((document["title"],) for document in documents),
        }


_LEFT_TO_DO = (
    sa.select(tables.crawl_runs.c.id).where(tables.crawl_runs.c.finished_at.is_(None)).limit(1),
    sa.select(tables.events.c.id).where(tables.events.c.delivered_at.is_(None)).limit(1),
    sa.select(tables.notices.c.id).limit(1),
    sa.select(tables.notifications.c.id).where(tables.notifications.c.state != NotificationState.SENT).limit(1),
    sa.select(sa.literal(1)).select_from(tables.index_outbox).limit(1),
)


class OverdueRun(Situation):
    """A run is beyond its deadline, and the next turn of its host is yet to come."""

    name = "overdue run"
    points = frozenset({"janitor.midway"})

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path, kind: str, places: Places, *, is_empty: bool) -> AsyncIterator["OverdueRun"]:
        url = await places.database(kind, folder, is_empty=is_empty)
        async with Origin() as board:
            job_board(board, postings=POSTINGS, per_page=PER_PAGE)
            async with Installation(folder, url, lease=places.lease, allow_hosts=board.address) as installation:
                yield cls(installation, (board,))

    async def begin(self) -> None:
        db, now = self.installation.db, self.installation.now()
        new = NewSource(url=self.boards[0].url + "/jobs")
        await db.write(lambda connection: sources.add(connection, new, stamp=Stamp("test", now)))
        opening = self.installation.start(crash_at="open.after_commit")
        await self.installation.died(opening)
        await db.write(_make_overdue)

    async def is_settled(self) -> bool:
        runs = tables.crawl_runs
        return not await self.installation.rows(sa.select(runs.c.id).where(runs.c.finished_at.is_(None)))


async def _make_overdue(db: Connection) -> None:
    now = datetime.now(UTC)
    await db.execute(sa.update(tables.crawl_runs).values(deadline_at=now - timedelta(seconds=1)))
    # Longer than anybody waits here, and too short to be waited for: a run is lengthened for a block or a long delay.
    turn_at = now + timedelta(minutes=10)
    await db.execute(sa.update(tables.hosts).values(free_at=turn_at, due_at=turn_at))
    # Whatever follows the run's end is none of this situation's business.
    await db.execute(sa.update(tables.sources).values(recurring=False))
