"""Keeps crawl jobs in line with sources."""
