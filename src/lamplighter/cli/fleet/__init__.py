"""Commands that start, pause, measure and maintain the service."""
