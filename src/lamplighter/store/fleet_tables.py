"""The tables about the processes themselves: who is there, who leads, whether all stand still, what was done last."""

import sqlalchemy as sa

from lamplighter.store import columns
from lamplighter.store.columns import metadata
from lamplighter.store.types import Json

instances = sa.Table(
    "instances",
    metadata,
    # the name under which it holds leases
    sa.Column("id", sa.String(100), primary_key=True),
    # serve, worker or crawl
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("machine", sa.String(255), nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    # fetch, parse, schedule
    sa.Column("duties", Json, nullable=False),
    sa.Column("version", sa.String(40), nullable=False),
    columns.time("started_at", nullable=False),
    columns.time("heartbeat_at", nullable=False),
    # hosts held, pages in hand, memory, as last said
    sa.Column("figures", Json, nullable=False),
    sa.Column("is_stopping", sa.Boolean, nullable=False, server_default=sa.false()),
)

# work that one process does for all, and until when it does
leads = sa.Table(
    "leads",
    metadata,
    sa.Column("name", sa.String(20), primary_key=True),
    sa.Column("owner", sa.String(100), nullable=False),
    columns.time("until", nullable=False),
)

# while it has a row, nobody crawls; the row says why
standstill = sa.Table(
    "standstill",
    metadata,
    # what stands still; there is one such thing, and so one row at most
    sa.Column("name", sa.String(20), primary_key=True),
    columns.time("since", nullable=False),
    sa.Column("paused_by", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
)

# what the installation did last for its own upkeep: the scheduler's look, a sweep, a restore, a check
upkeep = sa.Table(
    "upkeep",
    metadata,
    sa.Column("name", sa.String(20), primary_key=True),
    columns.time("at", nullable=False),
    # what came of it, for people
    sa.Column("figures", Json, nullable=False),
)
