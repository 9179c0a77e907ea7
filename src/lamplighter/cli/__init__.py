"""The command line: one module per command group, a thin layer over the operations."""
