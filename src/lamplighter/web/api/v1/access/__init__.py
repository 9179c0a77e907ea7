"""/api/v1 about users, tokens, secrets and the audit log."""
