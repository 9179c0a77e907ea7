"""The parse phase: from an archived body to committed records."""
