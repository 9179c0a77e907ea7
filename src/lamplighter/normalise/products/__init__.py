"""What a product costs, and whether it can be had."""
