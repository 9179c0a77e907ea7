"""The demo web: five fictional sites on loopback, so that a first run has something polite to do."""
