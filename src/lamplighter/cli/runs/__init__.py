"""The command that crawls once."""
