"""Countries and towns in free text."""
