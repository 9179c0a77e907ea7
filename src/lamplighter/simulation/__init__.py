"""Which policy would have kept copies fresher? Replays histories of change against the scheduling policies. Pure."""
