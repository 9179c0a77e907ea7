"""Words and value types by which fields are recognised, in many languages."""
