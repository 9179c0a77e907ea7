"""Which part of the audit log is wanted?"""

import re
from datetime import timedelta
from typing import Any

import pytest

from lamplighter.model.access import Stamp
from lamplighter.operations.access import audit
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.access import audit_log
from lamplighter.store.access.audit_log import AuditFilter
from lamplighter.store.engine.database import Database
from tests.moments import NOON
from tests.repository import ROOT
from tests.store.given_rows import write

LINES = (
    {"actor": "user:Anna", "action": "host.policy", "subject": "a.example"},
    {"actor": "token:ci", "action": "source.pause", "subject": "https://b.example/100%_sure"},
    {"actor": "user:ben", "action": "source.add", "subject": "https://b.example/"},
)


async def _log(db: Database) -> None:
    for hour, line in enumerate(LINES):
        rest = dict(line)
        stamp = Stamp(rest.pop("actor"), NOON + timedelta(hours=hour))
        await write(db, audit_log.write, stamp=stamp, **rest)


@pytest.mark.parametrize(
    ("wanted", "actions"),
    [
        pytest.param({}, ["source.add", "source.pause", "host.policy"], id="all, the newest first"),
        pytest.param({"actor_part": "anna"}, ["host.policy"], id="a part of who, in capitals or not"),
        pytest.param({"action_start": "source."}, ["source.add", "source.pause"], id="how the action begins"),
        pytest.param({"action_start": "pause"}, [], id="not how it goes on"),
        pytest.param({"subject_part": "0%_S"}, ["source.pause"], id="signs that databases know"),
        pytest.param({"subject_part": "example", "since": NOON + timedelta(hours=2)}, ["source.add"], id="all at once"),
    ],
)
async def test_the_log_is_narrowed_down(db: Database, wanted: dict[str, Any], actions: list[str]) -> None:
    await _log(db)

    async with db.read() as connection:
        page = await audit.listed(connection, AuditFilter(**wanted), limit=10, offset=0)

    assert [entry.action for entry in page.entries] == actions
    assert page.total == len(actions)


async def test_subjects_that_are_sources_are_told_by_their_ids(db: Database) -> None:
    await write(db, sources.add, NewSource(url="https://b.example/"), stamp=Stamp("test", NOON))
    await _log(db)

    async with db.read() as connection:
        page = await audit.listed(connection, AuditFilter(), limit=10, offset=0)

    assert list(page.sources) == ["https://b.example/"]


def test_every_action_that_is_written_has_a_topic() -> None:
    folder = ROOT / "src" / "lamplighter" / "operations"
    written = "\n".join(each.read_text() for each in sorted(folder.rglob("*.py")))
    topics = set(re.findall(r'action=f?"([a-z]+)\.', written)) | {"host", "job", "login", "source", "task"}

    assert topics <= set(audit.TOPICS)
