"""Classifies job postings in closed vocabularies."""
