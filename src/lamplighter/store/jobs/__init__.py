"""Queries for crawl jobs: due jobs, lists, load, prices, cohorts and tallies."""
