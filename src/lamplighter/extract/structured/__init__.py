"""What a page says in a vocabulary made for machines."""
