"""What a page tells of the one thing it is about."""
