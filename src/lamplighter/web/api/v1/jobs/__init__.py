"""/api/v1 about jobs, their logs and the scheduler."""
