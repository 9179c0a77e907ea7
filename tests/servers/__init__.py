"""Real servers for the tests, on free loopback ports and in temporary folders."""
