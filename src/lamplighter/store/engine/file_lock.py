"""Locks on files, which end with the process that holds them; Windows has none."""

import sys

if sys.platform != "win32":
    import fcntl


def take(opened: int) -> None:
    """Locks an open file until it is closed; OSError while another process has it."""
    if sys.platform != "win32":
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
