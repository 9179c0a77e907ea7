"""Extracts records from the responses of JSON APIs."""
