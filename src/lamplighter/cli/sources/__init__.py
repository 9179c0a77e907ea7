"""Commands about sources, and about what a URL or page would give."""
