"""SQL about alerts, notices and notifications."""
