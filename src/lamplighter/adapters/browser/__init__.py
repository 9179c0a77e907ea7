"""How is a page rendered? By a local Chromium without a network."""
