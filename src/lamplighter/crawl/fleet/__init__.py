"""A process's work for the installation: heartbeat, leads, gauges, pruning, mirror."""
