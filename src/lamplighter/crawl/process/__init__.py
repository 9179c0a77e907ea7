"""Tools of all loops: bells, batches, counters, spans."""
