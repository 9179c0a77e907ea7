"""What a job posting is, in a closed vocabulary."""
