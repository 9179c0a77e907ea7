"""Access to SQLite and PostgreSQL: connections, transactions and statements that work on both."""
