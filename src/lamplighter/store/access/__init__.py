"""SQL about users, API tokens, secrets and the audit log."""
