"""`python -m lamplighter` is the `lamplighter` command."""

from lamplighter.cli.main import run

if __name__ == "__main__":
    run()
