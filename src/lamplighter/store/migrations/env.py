"""Runs the migrations on the connection that `store.schema.migrate` hands over."""

from typing import Any

from alembic import context

from lamplighter import crash_points
from lamplighter.store.schema.columns import tell_postgresql_conditions
from lamplighter.store.schema.record_text_ddl import is_other_than_text
from lamplighter.store.schema.tables import metadata


def _after_each(*_: Any, **__: Any) -> None:
    crash_points.reached("migrate.midway")


tell_postgresql_conditions()  # a new migration has them for both databases
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    include_name=is_other_than_text,
    # SQLite cannot alter most things in place; batch mode copies the table instead
    render_as_batch=True,
    transaction_per_migration=False,
    on_version_apply=_after_each,
)
with context.begin_transaction():
    context.run_migrations()
