"""Opens runs, keeps their notes, and finishes them."""
