"""The price of a product, and whether it is available."""
