"""The tables, triggers and column types of the database, and its migration."""
