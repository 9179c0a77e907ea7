"""The fetch phase: from a leased host to a committed visit."""
