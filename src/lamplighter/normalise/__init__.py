"""From a raw record to a clean one: pure, the same for the same input, wherever and whenever it is done."""
