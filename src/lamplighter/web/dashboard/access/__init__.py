"""The pages about users, tokens, secrets and the audit log."""
