"""`lamplighter sources`: manages sources."""

from typing import ClassVar

import typer

from lamplighter.cli.terminal.lazy_commands import LazyCommands


class SourceCommands(LazyCommands):
    """What can be done with sources."""

    table: ClassVar = {
        "add": ("sources.source_changes", "Add a source."),
        "schedule": (
            "sources.source_changes",
            "Change when and how often a source is crawled; other settings stay. An empty value resets a setting.",
        ),
        "remove": (
            "sources.source_changes",
            "Remove a source and all its data for good; `sources delete` keeps the data.",
        ),
        "enable": ("sources.source_changes", "Enable a source."),
        "disable": ("sources.source_changes", "Disable a source; its active run ends."),
        "delete": ("sources.source_changes", "Delete a source; its data stays until `sources remove`."),
        "restore": ("sources.source_changes", "Restore a deleted source."),
        "list": (
            "sources.source_list",
            "List the sources with their state, their problem and their next run; filters as on the start page.",
        ),
        "bulk": ("sources.source_bulk", "Pause, resume, run, disable … every source that matches; asks first."),
        "import": (
            "sources.source_files",
            "Import the sources of a file; reports every row, and an invalid row does not stop the others.",
        ),
        "export": ("sources.source_files", "Write all sources to a file that `sources import` accepts."),
    }


app = typer.Typer(cls=SourceCommands, no_args_is_help=True, add_completion=False)


@app.callback()
def sources() -> None:
    """Sources: list, add, change, remove, import, export."""
