"""The answers of JSON APIs."""
