"""The command line: one module per command group, thin over the operations.

What is slow to import (the service and its libraries) is imported by the commands that need it, so that help and the commands on files answer at once.
"""
