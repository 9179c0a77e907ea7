"""Extracts records from structured data: JSON-LD, microdata, RDFa, meta elements."""
