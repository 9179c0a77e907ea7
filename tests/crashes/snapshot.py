"""How an installation looks to somebody who does not know when and by whom anything was done."""

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from lamplighter.store.schema import tables
from tests.crashes.installation import Installation

#: what there is of everything, sorted
Snapshot = dict[str, list[tuple[Any, ...]]]
_FOUND_ON = tables.pages.alias("found_on")
_P, _R, _RUN, _E = tables.pages.c, tables.records.c, tables.crawl_runs.c, tables.events.c
_S, _J = tables.sources.c, tables.crawl_jobs.c
_LAST_END = sa.select(sa.func.max(_RUN.finished_at)).where(_RUN.source_id == _J.source_id).scalar_subquery()
_QUERIES: dict[str, sa.Select[Any]] = {
    "records": sa.select(
        *(_R.kind, _R.url, _R.title, _R.organisation, _R.description, _R.published_at, _R.language, _R.fields),
        *(_R.revision, _R.is_listed, _R.missing_count, _R.gone_at, _P.url),
    ).join_from(tables.records, tables.pages, isouter=True),
    "pages": sa.select(
        *(_P.url, _P.role, _P.depth, _P.rank, _FOUND_ON.c.url, _P.hops, _P.phase, _P.retry_count, _P.status, _P.etag),
        *(_P.content_type, _P.size_bytes, _P.robots_rule, _P.body_hash, _P.content_hash.is_not(None), _P.missing_count),
        *(_P.redirected_to, _P.reason, _P.detail, _P.lease_owner),
    ).join_from(tables.pages, _FOUND_ON, _FOUND_ON.c.id == _P.found_on, isouter=True),
    "runs": sa.select(
        *(_S.url, _RUN.number, _RUN.trigger, _RUN.outcome, _RUN.message, _RUN.page_count),
        *(_RUN.pages_fetched, _RUN.pages_unchanged, _RUN.pages_refused, _RUN.pages_failed, _RUN.pages_changed),
        *(_RUN.records_found, _RUN.records_inserted, _RUN.records_updated, _RUN.records_unchanged),
        *(_RUN.records_skipped, _RUN.records_failed, _RUN.bytes_fetched),
    ).join_from(tables.crawl_runs, tables.sources, _S.id == _RUN.source_id),
    "jobs": sa.select(
        *(_S.url, _J.state, _J.last_outcome, _J.retry_count),
        (_J.next_run_at > _LAST_END).label("runs_again_later"),
    ).join_from(tables.crawl_jobs, tables.sources, _S.id == _J.source_id),
    "events": sa.select(_E.type, _S.url, _E.result, _E.detail).join_from(
        tables.events, tables.sources, _S.id == _E.source_id, isouter=True
    ),
    "receipts": sa.select(sa.func.count()).select_from(tables.receipts),
    "notifications": sa.select(tables.notifications.c.kind, tables.notifications.c.state),
    "versions": sa.select(_P.url, tables.page_versions.c.number, tables.page_versions.c.status, tables.bodies.c.hash)
    .join_from(tables.page_versions, tables.pages)
    .join(tables.bodies),
}


async def snapshot(installation: Installation, *, names: Mapping[str, str]) -> Snapshot:
    """Everything that must not depend on who died; `names` takes the place of addresses."""
    return {
        title: sorted((_plain(row, names) for row in await installation.rows(query)), key=repr)
        for title, query in _QUERIES.items()
    }


def differences(expected: Snapshot, seen: Snapshot) -> list[str]:
    """What is missing and what is too much, a line each."""
    found = []
    for title in expected.keys() | seen.keys():
        left = list(seen.get(title, []))
        for row in expected.get(title, []):
            if row in left:
                left.remove(row)
            else:
                found.append(f"{title}: missing {row}")
        found += [f"{title}: too much {row}" for row in left]
    return sorted(found)


def _plain(row: Any, names: Mapping[str, str]) -> tuple[Any, ...]:
    return tuple(_named(value, names) for value in row)


def _named(value: Any, names: Mapping[str, str]) -> Any:
    text = json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value
    if not isinstance(text, str):
        return text
    for address, name in names.items():
        text = text.replace(address, name)
    return text
