"""The pages about runs and what is being crawled now."""
