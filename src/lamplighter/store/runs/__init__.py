"""Queries for crawl runs: open and ended runs, their logs and totals."""
