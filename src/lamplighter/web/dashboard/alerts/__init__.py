"""The pages about alerts and notifications."""
