"""The tables of tallies: how many sources, jobs and ended runs there are of each sort (see `tally_ddl`).

A tally is the sum of its parts. SQLite, with its one writer, keeps part 0 alone up to date. On PostgreSQL every change
is a part of its own, so that nobody waits for another's row; now and then the parts are folded into part 0.
"""

from typing import Any

import sqlalchemy as sa

from lamplighter.store.columns import metadata


def _tally(name: str, keys: tuple[sa.Column[Any], ...], sums: tuple[str, ...]) -> sa.Table:
    part = sa.Column("part", sa.BigInteger, nullable=False, server_default="0")
    counts = (sa.Column(each, sa.BigInteger, nullable=False, server_default="0") for each in sums)
    names = (*(key.name for key in keys), "part")
    return sa.Table(name, metadata, *keys, part, *counts, sa.PrimaryKeyConstraint(*names))


def _is(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


source_tallies = _tally("source_tallies", (_is("is_deleted"), _is("is_implicit"), _is("enabled")), ("sources",))

job_tallies = _tally(
    "job_tallies",
    (
        sa.Column("state", sa.String(20), nullable=False),
        # empty when there is none
        sa.Column("pause_reason", sa.String(20), nullable=False),
        # neither it nor its source is deleted, and that is crawled from its URL
        _is("is_listed"),
        _is("has_failed"),
        _is("is_retrying"),
        # its latest run was not as it should be
        _is("ended_badly"),
    ),
    ("jobs",),
)

# of runs that have ended, by when they began
run_tallies = _tally(
    "run_tallies",
    # five minutes each, counted from 1970
    (sa.Column("step", sa.Integer, nullable=False),),
    # ok: well or with a warning; pages had, changed or not; records new or changed; how long they took in all
    ("runs", "ok", "failed", "cancelled", "pages", "records", "took_ms"),
)
