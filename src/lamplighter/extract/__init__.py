"""From bytes to raw records and links: pure, never fetching, never raising on what a page says."""
