"""The fetch layer: the only code that sends requests to the web."""
