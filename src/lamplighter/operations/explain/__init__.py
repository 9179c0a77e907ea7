"""What would happen to a URL, and why? Explanations and trials that store no record."""
