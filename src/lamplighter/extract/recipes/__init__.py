"""Recipes: a source's own extraction rules, their validation and use."""
