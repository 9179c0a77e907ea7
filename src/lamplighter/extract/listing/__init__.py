"""Finds the rows of a listing by what repeats on a page."""
