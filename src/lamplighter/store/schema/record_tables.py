"""The tables for records: the records, the pages that show them, their changes, tombstones, and the search index."""

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.types import BigId, Json

records = columns.table(
    "records",
    columns.id_(),
    columns.public_id(),
    columns.ref("source_id", "sources.id"),
    columns.ref("page_id", "pages.id", nullable=True, on_delete="SET NULL"),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    # key of the URL, as in pages: finds the record's own page; NULL for records not updated since the column exists
    sa.Column("url_key", sa.String(64)),
    sa.Column("canonical_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("content_hash", sa.String(64), nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("organisation", sa.Text),
    sa.Column("location_raw", sa.Text),
    sa.Column("country_iso", sa.String(2)),
    sa.Column("deadline", sa.Date),
    columns.time("published_at"),
    columns.time("updated_at"),
    sa.Column("description", sa.Text),
    sa.Column("language", sa.String(20)),
    sa.Column("tags", Json, nullable=False),
    sa.Column("fields", Json, nullable=False),
    # the price from the fields, for comparison as a number
    sa.Column("price", sa.Float),
    sa.Column("provenance", Json, nullable=False),
    sa.Column("quality", sa.Float, nullable=False),
    columns.time("first_seen_at", nullable=False),
    columns.time("last_seen_at", nullable=False),
    # 1 when inserted, plus 1 with each change
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),
    # whether a page other than its own has ever shown it
    sa.Column("is_listed", sa.Boolean, nullable=False, server_default=sa.false()),
    # complete runs in a row that did not find it, and since when it counts as gone
    columns.count("missing_count"),
    columns.time("gone_at"),
    columns.time("expires_at"),
    sa.Index("ix_records_source", "source_id", "id"),
    sa.Index("ix_records_page", "page_id"),
    # Narrow enough for a full scan: counts by kind, country and source. It contains the column of its own condition;
    # without it SQLite would read every record to check.
    columns.partial_index(
        "ix_records_present", "kind", "country_iso", "language", "source_id", "gone_at", "id", where="gone_at IS NULL"
    ),
    # for sorted lists, of one kind or of all
    *(
        columns.partial_index(name, "kind", column, "id", "source_id", "gone_at", where="gone_at IS NULL")
        for name, column in (("ix_records_published", "published_at"), ("ix_records_deadline", "deadline"))
    ),
    columns.partial_index(
        "ix_records_price", "kind", "price", "id", "source_id", "gone_at", where="gone_at IS NULL AND price IS NOT NULL"
    ),
    columns.partial_index("ix_records_missing", "source_id", where="missing_count > 0"),
    columns.partial_index("ix_records_expiring", "expires_at", where="expires_at IS NOT NULL AND gone_at IS NULL"),
)

# which pages show which records, as last parsed
sightings = columns.table(
    "sightings",
    columns.ref("page_id", "pages.id"),
    columns.ref("record_id", "records.id"),
    # whether the page is the record's own
    sa.Column("is_own", sa.Boolean, nullable=False),
    # when the page began to show it
    columns.time("since", nullable=False),
    sa.PrimaryKeyConstraint("page_id", "record_id"),
    sa.Index("ix_sightings_record", "record_id", "is_own"),
    sqlite_with_rowid=False,
)

record_changes = columns.table(
    "record_changes",
    columns.id_(),
    columns.ref("record_id", "records.id"),
    # no foreign keys: the change outlives its run and its page
    sa.Column("run_id", BigId),
    sa.Column("page_id", BigId),
    columns.time("at", nullable=False),
    sa.Column("field", sa.String(100), nullable=False),
    sa.Column("before", Json),
    sa.Column("after", Json),
    sa.Index("ix_record_changes_record", "record_id", "id"),
    # what a run changed, for notifications
    sa.Index("ix_record_changes_run", "run_id", "id"),
)

# what each run changed among the records of its source: one row for a run that changed something
change_sets = columns.table(
    "change_sets",
    columns.id_(),
    columns.ref("source_id", "sources.id"),
    # no foreign key: it outlives its run; NULL for records past the expiry that their pages set
    sa.Column("run_id", BigId),
    columns.time("began_at", nullable=False),
    columns.time("at", nullable=False),
    *map(columns.count, ("new", "changed", "gone", "back")),
    # whether the source had no complete run before
    sa.Column("is_baseline", sa.Boolean, nullable=False, server_default=sa.false()),
    # the source's newest record at that time: the new ones are the last up to it; NULL without a record
    sa.Column("newest_record_id", BigId),
    # newest first, and to find the set of a record
    sa.Index("ix_change_sets_at", "at", "id"),
    sa.Index("ix_change_sets_source", "source_id", "at"),
)

# up to which set somebody has read everything; by the name that the audit log has
change_readers = columns.table(
    "change_readers",
    sa.Column("reader", sa.String(200), primary_key=True),
    sa.Column("read_to", BigId, nullable=False),
)

# single sets that somebody marked as read or unread, or starred
change_marks = columns.table(
    "change_marks",
    sa.Column("reader", sa.String(200), nullable=False),
    columns.ref("set_id", "change_sets.id"),
    # NULL: as `read_to` says
    sa.Column("is_read", sa.Boolean),
    sa.Column("is_starred", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.PrimaryKeyConstraint("reader", "set_id"),
    sa.Index("ix_change_marks_set", "set_id"),
)

tombstones = columns.table(
    "tombstones",
    sa.Column("canonical_hash", sa.String(64), primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),
    # its title, and the page on which it was found
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("page_id", BigId),
    columns.time("created_at", nullable=False),
)

# Records whose current state the search server does not have; triggers enter them (see `index_outbox_ddl`). Without a
# foreign key: the entry of a deleted record must stay, to delete it from the index.
index_outbox = columns.table(
    "index_outbox",
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
index_state = columns.table(
    "index_state",
    columns.id_(),
    # whether the triggers enter anything
    sa.Column("is_on", sa.Boolean, nullable=False, server_default=sa.false()),
    # the server and the indexes that are kept up to date, without credentials
    sa.Column("engine", sa.Text),
    # the process that keeps it up to date now
    sa.Column("lease_owner", sa.String(100)),
    columns.time("lease_until"),
    sa.Column("ordered", sa.String(10)),
    sa.Column("done", sa.BigInteger),
    # when the whole index was last compared with the records
    columns.time("reconciled_at"),
)
