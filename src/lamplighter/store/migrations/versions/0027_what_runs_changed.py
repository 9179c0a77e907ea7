"""What each run changed, and who has read it"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema.types import BigId, UtcTime

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "change_readers",
        sa.Column("reader", sa.String(length=200), nullable=False),
        sa.Column("read_to", BigId, nullable=False),
        sa.PrimaryKeyConstraint("reader", name=op.f("pk_change_readers")),
    )
    op.create_table(
        "change_sets",
        sa.Column("id", BigId, autoincrement=True, nullable=False),
        sa.Column("source_id", BigId, nullable=False),
        sa.Column("run_id", BigId, nullable=True),
        sa.Column("began_at", UtcTime(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        *(sa.Column(name, sa.Integer(), server_default="0", nullable=False) for name in ("new", "changed")),
        *(sa.Column(name, sa.Integer(), server_default="0", nullable=False) for name in ("gone", "back")),
        sa.Column("is_baseline", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("newest_record_id", BigId, nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_change_sets_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change_sets")),
    )
    op.create_index("ix_change_sets_at", "change_sets", ["at", "id"])
    op.create_index("ix_change_sets_source", "change_sets", ["source_id", "at"])
    op.create_table(
        "change_marks",
        sa.Column("reader", sa.String(length=200), nullable=False),
        sa.Column("set_id", BigId, nullable=False),
        sa.Column("is_read", sa.Boolean(), nullable=True),
        sa.Column("is_starred", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["set_id"], ["change_sets.id"], name=op.f("fk_change_marks_set_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reader", "set_id", name=op.f("pk_change_marks")),
    )
    op.create_index("ix_change_marks_set", "change_marks", ["set_id"])
    # The runs that are still known; what became gone or came back is counted from their changes.
    turned = "(SELECT count(*) FROM record_changes c WHERE c.run_id = r.id AND c.field = 'state' AND {after})"
    gone = turned.format(after="CAST(c.after AS TEXT) = '\"gone\"'")
    back = turned.format(after="CAST(c.after AS TEXT) = '\"present\"'")
    newest = "(SELECT max(n.id) FROM records n WHERE n.source_id = r.source_id AND n.first_seen_at <= r.finished_at)"
    op.execute(
        "INSERT INTO change_sets (source_id, run_id, began_at, at, new, changed, gone, back, is_baseline, "
        "newest_record_id) "
        "SELECT r.source_id, r.id, r.started_at, r.finished_at, r.records_inserted, r.records_updated, "
        f"{gone}, {back}, r.number = 1, {newest} FROM crawl_runs r WHERE r.finished_at IS NOT NULL "
        "AND (r.records_inserted > 0 OR r.records_updated > 0 "
        "OR EXISTS (SELECT 1 FROM record_changes c WHERE c.run_id = r.id)) ORDER BY r.finished_at, r.id"
    )
