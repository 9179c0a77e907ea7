"""SQL about source events: the outbox, receipts, and events of other publishers."""
