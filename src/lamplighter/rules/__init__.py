"""What is decided, as pure functions of their arguments: no I/O, no clock, no chance."""
