"""Records can be searched"""

import sqlalchemy as sa
from alembic import op

from lamplighter.store.schema import record_text_ddl

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_PRESENT = "gone_at IS NULL"


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    op.add_column("records", sa.Column("price", sa.Float(), nullable=True))
    if is_sqlite:
        is_number, value = "json_type(fields, '$.price') IN ('integer', 'real')", "json_extract(fields, '$.price')"
    else:
        is_number, value = "jsonb_typeof(fields -> 'price') = 'number'", "CAST(fields ->> 'price' AS double precision)"
    op.execute(f"UPDATE records SET price = {value} WHERE {is_number}")

    _partial_index(
        "ix_records_present", "kind", "country_iso", "language", "source_id", "gone_at", "id", where=_PRESENT
    )
    besides = ("id", "source_id", "gone_at")
    _partial_index("ix_records_published", "kind", "published_at", *besides, where=_PRESENT)
    _partial_index("ix_records_deadline", "kind", "deadline", *besides, where=_PRESENT)
    _partial_index("ix_records_price", "kind", "price", *besides, where=f"{_PRESENT} AND price IS NOT NULL")
    _partial_index("ix_sources_deleted", "id", where="deleted_at IS NOT NULL", table="sources")

    for statement in record_text_ddl.SQLITE if is_sqlite else record_text_ddl.POSTGRESQL:
        op.execute(statement)


def _partial_index(name: str, *columns: str, where: str, table: str = "records") -> None:
    op.create_index(
        name, table, list(columns), unique=False, sqlite_where=sa.text(where), postgresql_where=sa.text(where)
    )
