"""The rounds: opening runs, the fetch phase, the parse phase, finishing, and the loops that keep them going."""
