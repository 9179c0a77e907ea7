"""Commands about alerts and notifications."""
