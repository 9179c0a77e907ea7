"""/api/v1 about alerts and notifications."""
