"""How many statements a commit of pages takes: as many for a hundred pages as for one, and each of them once.

What comes together in one commit depends on the time. So a whole crawl is not counted, but each commit by itself.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import pages
from tests.origin import Origin
from tests.service.in_process import crawl, crawl_again, going, quick_settings
from tests.service.sites import posting_html

PAGES = 60
#: statements of a commit of visits and readings, and of one that ends a run as well: a fifth more than are needed
MOST_STATEMENTS, MOST_AT_THE_END = 36, 64
#: how often the same statement is sent in one commit: a list is looked for once more when it has ended
MOST_TIMES = 3
#: commits for each page
MOST_COMMITS = 0.5
#: the first statement about the pages of a commit
_PAGES_OF_COMMIT = re.compile(r"^SELECT pages\.id, pages\.phase, pages\.content_hash")
#: that ends a run, and has a dozen statements for that
_ENDS_RUN = re.compile(r"^UPDATE crawl_runs SET finished_at=")
#: between the commits of several writers that wait together
_BETWEEN = re.compile(r"^(?:BEGIN|SAVEPOINT|RELEASE)")


@contextmanager
def _commits() -> Iterator[list[list[str]]]:
    """The statements of every commit."""
    commits: list[list[str]] = []
    going_on: dict[int, list[str]] = {}

    def listen(connection: sa.Connection, _cursor: object, statement: str, *_: Any) -> None:
        said = " ".join(statement.split())
        if _BETWEEN.match(said):
            commits.append(going_on.setdefault(id(connection), []))
            going_on[id(connection)] = []
        else:
            going_on.setdefault(id(connection), []).append(said)

    sa.event.listen(sa.Engine, "before_cursor_execute", listen)
    try:
        yield commits
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", listen)
        commits += going_on.values()


async def _make_due(db: Connection, now: datetime) -> None:
    """Has all pages visited by the next run."""
    await db.execute(sa.update(pages).values(rest_until=now))
    await db.execute(sa.update(pages).where(pages.c.links_due_at.is_not(None)).values(links_due_at=now))


@pytest.mark.parametrize("visit", ["first", "unchanged"])
async def test_a_commit_takes_as_many_statements_for_many_pages_as_for_one(
    origin: Origin, tmp_path: Path, visit: str
) -> None:
    origin.page("/", "<h1>Jobs</h1>" + "".join(f'<p><a href="/job/{n}">Job {n}</a></p>' for n in range(PAGES)))
    for number in range(PAGES):
        origin.page(f"/job/{number}", posting_html(number), etag=f'"{number}"')

    async with going(quick_settings(tmp_path, origin, min_delay_ms=0, max_concurrency=8)) as service:
        with _commits() as commits:
            run = await crawl(service, f"{origin.url}/", max_depth=1)
        if visit == "unchanged":
            await service.db.write(lambda db: _make_due(db, service.clock.now()))
            with _commits() as commits:
                run = await crawl_again(service, run.source_id, number=2)

    of_pages = [commit for commit in commits if any(map(_PAGES_OF_COMMIT.match, commit))]
    for commit in of_pages:
        most = MOST_AT_THE_END if any(map(_ENDS_RUN.match, commit)) else MOST_STATEMENTS
        assert len(commit) <= most, commit
        assert max(Counter(commit).values()) <= MOST_TIMES, commit
    assert len(of_pages) <= PAGES * MOST_COMMITS
    assert run.tally.pages_unchanged + run.tally.pages_fetched == PAGES + 1
