"""Which orders a round takes into runs, and which it leaves for later."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.reading import link_admission
from lamplighter.crawl.runs.task_rounds import TaskRounds
from lamplighter.model import window_json
from lamplighter.model.access import Stamp
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.operations.pages import frontier
from lamplighter.rules.schedule import window_text
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.crawl.runs.due_jobs import on_sqlite
from tests.store.given_rows import a_run, rows_of, some_pages, write

HOUR = timedelta(hours=1)


class Orders:
    """Submitted pages, and rounds that a test makes by hand."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.clock = At()
        planner = Planner(source_defaults=SourceDefaults(), clock=self.clock)
        self.rounds = TaskRounds(
            db,
            clock=self.clock,
            queue=InProcessQueue(),
            planner=planner,
            notice_writer=NoticeWriter(clock=self.clock),
            run_deadline=HOUR,
        )

    async def submit(self, url: str) -> int:
        """Submits a page for itself."""
        return await self.db.write(
            lambda db: frontier.submit(db, url, source_id=None, priority=50, stamp=Stamp("test", self.clock.at))
        )

    async def rows(self, table: sa.Table) -> list[Any]:
        """Every row of a table, oldest first."""
        return await rows_of(self.db, table)

    async def set(self, table: sa.Table, which: Any, **values: Any) -> None:
        """Changes rows behind everybody's back."""

        async def work(db: Connection) -> None:
            await db.execute(sa.update(table).where(which).values(**values))

        await self.db.write(work)


async def test_pages_of_one_source_share_a_run_however_often_a_round_is_made(db: Database) -> None:
    orders = Orders(db)
    for number in range(3):
        await orders.submit(f"https://a.example/{number}")
    await orders.submit("https://b.example/")

    begun = [await orders.rounds.make_round() for _ in range(2)]
    await orders.submit("https://a.example/late")
    begun.append(await orders.rounds.make_round())

    runs = await orders.rows(tables.crawl_runs)
    assert begun == [4, 0, 1]
    assert [(run.page_budget, run.page_count, run.number) for run in runs] == [(4, 4, 1), (1, 1, 1)]
    assert {page.phase for page in await orders.rows(tables.pages)} == {Phase.PENDING}
    assert all(host.due_at is not None for host in await orders.rows(tables.hosts))


async def test_orders_that_cannot_begin_are_put_aside_and_the_others_begin(db: Database) -> None:
    orders = Orders(db)
    bad, good = await orders.submit("https://a.example/"), await orders.submit("https://b.example/")
    (first, _) = await orders.rows(tables.crawl_jobs)
    await orders.set(tables.crawl_jobs, tables.crawl_jobs.c.id == first.id, state="out of its mind")

    begun = await orders.rounds.make_round()

    by_page = {order.page_id: order for order in await orders.rows(tables.page_orders)}
    assert begun == 1
    assert by_page[bad].next_at == orders.clock.at + HOUR
    assert by_page[good].next_at is None


@on_sqlite
async def test_orders_wait_for_the_window_of_their_host(db: Database) -> None:
    orders = Orders(db)
    await orders.submit("https://a.example/")
    await orders.set(tables.hosts, sa.true(), windows=window_json.to_json(window_text.parse("22:00-23:00")))

    begun = await orders.rounds.make_round()

    (order,) = await orders.rows(tables.page_orders)
    assert begun == 0
    assert (order.next_at.hour, order.next_at.minute) == (22, 0)


async def test_a_run_whose_last_page_was_taken_away_ends(db: Database) -> None:
    orders = Orders(db)
    page_id = await orders.submit("https://a.example/")
    await orders.rounds.make_round()
    await orders.set(tables.pages, tables.pages.c.id == page_id, phase=Phase.PAUSED)

    await orders.rounds.make_round()

    (run,) = await orders.rows(tables.crawl_runs)
    assert (run.outcome, run.message) == ("ok", "no page was left to fetch")


async def test_a_link_to_a_paused_page_does_not_let_it_go_on(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    paused, known = await write(db, some_pages, source_id, None, "/paused", "/known", phase=Phase.PAUSED)
    orders = Orders(db)
    await orders.set(tables.pages, tables.pages.c.id == known, phase=Phase.COMPLETED)

    async def admit(connection: Connection) -> None:
        run = (await crawl_runs.lock_open(connection, [run_id]))[run_id]
        found = [
            link_admission.DiscoveredUrl(f"https://a.example/{name}", PageRole.LINK, 1, None)
            for name in ("paused", "known")
        ]
        await link_admission.admit(connection, [link_admission.Offer(run, 50, found)], now=orders.clock.at)

    await db.write(admit)

    phases = {page.id: page.phase for page in await orders.rows(tables.pages)}
    assert phases == {paused: Phase.PAUSED, known: Phase.PENDING}
