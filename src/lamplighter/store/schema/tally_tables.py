"""The tables of tallies: the numbers of sources, jobs and ended runs by their state (see `tally_ddl`).

A tally is the sum of its parts. SQLite, with its one writer, has only part 0. On PostgreSQL every change is a
part of its own, so that no transaction waits for another's row; now and then the parts are folded into part 0.
"""

from typing import Any

import sqlalchemy as sa

from lamplighter.store.schema.columns import metadata


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
        sa.Column("pause_reason", sa.String(20), nullable=False),
        *map(_is, ("is_shown", "is_deleted", "has_failed", "is_retrying", "is_held")),
        sa.Column("last_outcome", sa.String(10), nullable=False),
    ),
    ("jobs",),
)

# ended runs, by start time
run_tallies = _tally(
    "run_tallies",
    # five minutes each, counted from 1970
    (sa.Column("step", sa.Integer, nullable=False),),
    # ok: or with a warning; pages fetched, changed or not; records new or changed; their total duration
    ("runs", "ok", "failed", "cancelled", "pages", "records", "took_ms"),
)
