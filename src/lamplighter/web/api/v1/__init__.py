"""The paths of jobs and sources: what they are, what they did, and what stands beside them."""
