"""The tables for the search server: the index outbox, and the state of its synchronisation."""

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.columns import metadata
from lamplighter.store.schema.types import BigId

# Records whose current state the search server does not have; triggers enter them (see `index_outbox_ddl`). Without a
# foreign key: the entry of a deleted record must stay, to delete it from the index.
index_outbox = sa.Table(
    "index_outbox",
    metadata,
    sa.Column("record_id", BigId, primary_key=True, autoincrement=False),
    # counts changes, so that a change during delivery is not taken for delivered
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),
    columns.time("entered_at", nullable=False),
    # the server's id of the task that we wait for; NULL when none is in progress
    sa.Column("ticket", sa.String(100)),
    columns.count("try_count"),
    # not before this; NULL means at once
    columns.time("due_at"),
    # since when it is no longer retried, because the server refused it too often
    columns.time("parked_at"),
    # the server's error message
    sa.Column("detail", sa.Text),
    columns.partial_index(
        "ix_index_outbox_due", "try_count", "record_id", where="ticket IS NULL AND parked_at IS NULL"
    ),
    columns.partial_index("ix_index_outbox_sent", "ticket", where="ticket IS NOT NULL"),
    columns.partial_index("ix_index_outbox_parked", "record_id", where="parked_at IS NOT NULL"),
)

# one row
index_state = sa.Table(
    "index_state",
    metadata,
    columns.id_(),
    # whether the triggers enter anything
    sa.Column("is_on", sa.Boolean, nullable=False, server_default=sa.false()),
    # the server and the indexes that are kept up to date, without credentials
    sa.Column("engine", sa.Text),
    # the process that keeps it up to date now
    sa.Column("lease_owner", sa.String(100)),
    columns.time("lease_until"),
    # requested work: reindex or reconcile
    sa.Column("ordered", sa.String(10)),
    # progress of a reindex, in records; NULL when none is running
    sa.Column("done", sa.BigInteger),
    # when the whole index was last compared with the records
    columns.time("reconciled_at"),
)
