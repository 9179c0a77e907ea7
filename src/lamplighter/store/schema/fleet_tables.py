"""The tables for the processes: instances, leads, the crawl pause, and the latest upkeep."""

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.types import Json

instances = columns.table(
    "instances",
    sa.Column("id", sa.String(100), primary_key=True),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("machine", sa.String(255), nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("duties", Json, nullable=False),
    sa.Column("version", sa.String(40), nullable=False),
    columns.time("started_at", nullable=False),
    columns.time("heartbeat_at", nullable=False),
    sa.Column("figures", Json, nullable=False),
    # its latest requests to sites; NULL before the first heartbeat of a version that writes them
    sa.Column("requests", Json),
    sa.Column("is_stopping", sa.Boolean, nullable=False, server_default=sa.false()),
)

# work that one process does for all, and until when it holds the lead
leads = columns.table(
    "leads",
    sa.Column("name", sa.String(20), primary_key=True),
    sa.Column("owner", sa.String(100), nullable=False),
    columns.time("until", nullable=False),
)

# while it has a row, all crawling is paused; the row says why
crawl_pause = columns.table(
    "standstill",
    # always the same name, so that there is at most one row
    sa.Column("name", sa.String(20), primary_key=True),
    columns.time("since", nullable=False),
    sa.Column("paused_by", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
)

# settings that were changed while running; a setting without a row has its default
changed_settings = columns.table(
    "changed_settings",
    sa.Column("name", sa.String(60), primary_key=True),
    sa.Column("value", Json, nullable=False),
    sa.Column("changed_by", sa.Text, nullable=False),
    columns.time("changed_at", nullable=False),
)

# the latest upkeep of each kind: the scheduler's round, a sweep, a restore, a check
upkeep = columns.table(
    "upkeep",
    sa.Column("name", sa.String(20), primary_key=True),
    columns.time("at", nullable=False),
    sa.Column("figures", Json, nullable=False),
)
