"""Runs the migrations on the connection that `store.schema.migrate` hands over."""

from alembic import context

from lamplighter.store.schema.record_text_ddl import is_other_than_text
from lamplighter.store.schema.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    include_name=is_other_than_text,
    # SQLite cannot alter most things in place; batch mode copies the table instead
    render_as_batch=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
