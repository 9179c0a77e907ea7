"""Plans the next run of a job: gathers what the scheduling rules need."""
