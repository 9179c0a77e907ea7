"""The tables about the search server: what it has not been told yet, and how far it is to be kept up to date at all."""

import sqlalchemy as sa

from lamplighter.store import columns
from lamplighter.store.columns import metadata
from lamplighter.store.types import BigId

# Records that the search server does not know as they are now; triggers enter them (see `index_outbox_ddl`). Without a
# reference to the record: one that was deleted is what must not be forgotten here.
index_outbox = sa.Table(
    "index_outbox",
    metadata,
    sa.Column("record_id", BigId, primary_key=True, autoincrement=False),
    # one more with each change, so that one made during delivery is not taken for delivered
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),
    columns.time("entered_at", nullable=False),
    # what the server called the task that we wait for; NULL when nothing is under way
    sa.Column("ticket", sa.String(100)),
    columns.count("try_count"),
    # not before this; NULL means at once
    columns.time("due_at"),
    # since when it is not tried any more, because the server refused it too often
    columns.time("parked_at"),
    # what the server said against it
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
    # which server and which indexes of it are kept up to date, without credentials
    sa.Column("engine", sa.Text),
    # who keeps it up to date at the moment
    sa.Column("lease_owner", sa.String(100)),
    columns.time("lease_until"),
    # what somebody asked for: reindex or reconcile
    sa.Column("ordered", sa.String(10)),
    # how far a reindex has come, in records; NULL when none is under way
    sa.Column("done", sa.BigInteger),
    # when all of it was last compared with the records
    columns.time("reconciled_at"),
)
