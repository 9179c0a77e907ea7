"""Words and values by which fields are recognised, in many languages."""
