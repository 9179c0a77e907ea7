"""The crawlers we compare ourselves with, each doing the same reading and following, and keeping nothing.

They run in a virtual environment of their own; see `benchmarks.measuring.peer_venv`.
"""
