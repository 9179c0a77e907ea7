"""The pages about hosts and takedowns."""
