"""Statements that every page needs: which of them name the host or the run, by which the tables could be spread over
machines, and which would ask every machine?"""

import json
import re
from collections import Counter
from pathlib import Path

import sqlalchemy as sa

from lamplighter.store.engine.database import Database
from lamplighter.store.schema.tables import crawl_runs
from tests.counting import statements
from tests.origin import Origin
from tests.service.in_process import going, quick_settings, watch
from tests.service.waiting import until

PAGES = 12
#: tables with a row, or several, for each page
_TABLES = re.compile(r"\b(?:FROM|INTO|UPDATE|JOIN) (pages|page_versions|records|sightings|bodies|discovered_links)\b")
#: a host, or what belongs to one
_PLACES = re.compile(r"\b(?:host_id|run_id|source_id)\b")
#: The statements that name none of these, and why they may: each asks for a few rows by a key that an index has.
_BY_OTHER_KEYS = {
    "a body is shared by all sources, and spread by its own hash": r"\bbodies\b(?!.*\bpages\b)",
    "a page that this process holds, by its id": r"^(?:SELECT|UPDATE) .*\bpages\.id (?:IN|=)",
    "what is kept of a page, by the page's id": r"\b(?:page_versions|sightings)\b.*\bpage_id\b",
    "whether a link is known, by the hash of its URL": r"\bpages\.url_key IN",
    "whether a record is known from anywhere, by its hash": r"\brecords\.canonical_hash IN",
}


async def _ended(db: Database) -> bool:
    ended = sa.select(sa.func.count()).select_from(crawl_runs).where(crawl_runs.c.finished_at.is_not(None))
    async with db.read() as connection:
        return bool(await connection.scalar(ended))


async def _hot(origin: Origin, folder: Path) -> list[str]:
    """What was asked for every page of a site whose pages are only found one after the other."""
    for number in range(PAGES):
        told = {"@context": "https://schema.org", "@type": "JobPosting", "title": f"Keeper of lamp {number}"}
        told |= {"hiringOrganization": {"name": "Quay"}, "description": f"Lights lamp {number} every evening."}
        data = f'<script type="application/ld+json">{json.dumps(told)}</script>'
        text = f"<title>{told['title']}</title>{data}<h1>{told['title']}</h1>"
        origin.page(f"/jobs/{number}", f'{text}<a href="/jobs/{number + 1}">Next job</a>')
    with statements() as sent:
        async with going(quick_settings(folder, origin)) as service:
            await watch(service, f"{origin.url}/jobs/0", max_depth=100)
            await until(lambda: _ended(service.db))
    counts = Counter(" ".join(statement.split()) for statement in sent)
    return [statement for statement, count in counts.items() if count >= PAGES // 2 and _TABLES.search(statement)]


def _condition(statement: str) -> str:
    """The part that says which rows; of an INSERT its columns."""
    return statement if statement.startswith("INSERT") else statement.partition(" WHERE ")[2]


async def test_a_statement_of_every_page_names_its_host_or_a_key_that_is_known_here(
    origin: Origin, tmp_path: Path
) -> None:
    hot = await _hot(origin, tmp_path)

    homeless = [statement for statement in hot if not _PLACES.search(_condition(statement))]
    unknown = [
        statement
        for statement in homeless
        if not any(re.search(pattern, statement) for pattern in _BY_OTHER_KEYS.values())
    ]
    assert len(hot) > 5
    assert unknown == []


async def test_every_exception_is_still_needed(origin: Origin, tmp_path: Path) -> None:
    hot = await _hot(origin, tmp_path)

    homeless = [statement for statement in hot if not _PLACES.search(_condition(statement))]
    needless = [why for why, key in _BY_OTHER_KEYS.items() if not any(re.search(key, each) for each in homeless)]
    assert needless == []
