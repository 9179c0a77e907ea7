"""Parses RSS, Atom, RDF and JSON Feed."""
