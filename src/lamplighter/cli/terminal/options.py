"""Options that several commands share, their parsing, and what a command asks for on the terminal."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from lamplighter import settings, telemetry
from lamplighter.cli.terminal.console import FAILED, say
from lamplighter.errors import BadInput, BadRecipe
from lamplighter.settings import Settings

log = telemetry.logger("cli")


class KindOption(StrEnum):
    """The kind of records; auto detects it from the pages."""

    AUTO = "auto"
    JOB = "job"
    ARTICLE = "article"
    PRODUCT = "product"


Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation; required without a terminal.")]
NoScheduler = Annotated[bool, typer.Option("--no-scheduler", help="Do not start scheduled runs.")]
Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Data folder; default: LAMPLIGHTER_DATA_DIR, else ./data."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RecordsAre = Annotated[KindOption | None, typer.Option("--kind", help="The kind of records.", show_default="auto")]
Recipe = Annotated[
    Path | None, typer.Option("--recipe", metavar="FILE", help="JSON file that says where the records are.")
]
Depth = Annotated[
    str | None,
    typer.Option(
        "--max-depth",
        "--depth",
        metavar="DEPTH",
        help='Links to follow from the start page: 1 to 100, "page" for this page alone, or -1 for no limit.',
        show_default="3",
    ),
]
MaxPages = Annotated[
    int | None, typer.Option(min=1, max=10_000_000, help="Maximum pages per run.", show_default="the host's policy")
]


def load_settings(data: Path | None = None, *, quiet: bool = True, **overrides: Any) -> Settings:
    """Loads the settings with command line overrides; a quiet command logs only errors by default."""
    loaded = settings.load(data_dir=data, **overrides)
    is_level_set = "log_level" in loaded.model_fields_set
    level = "error" if quiet and not is_level_set else loaded.log_level
    telemetry.configure(level, telemetry.LogFormat(loaded.log_format))
    return loaded


def read_recipe(file: Path | None) -> dict[str, Any] | None:
    """Reads the JSON of a recipe file, not yet validated."""
    if file is None:
        return None
    text = read_bytes(file)
    try:
        recipe = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadRecipe(f"{file} is not JSON ({error}); a recipe looks like {_EXAMPLE}") from None
    if not isinstance(recipe, dict):
        raise BadRecipe(f"{file} holds no JSON object; a recipe looks like {_EXAMPLE}")
    return recipe


def read_bytes(file: Path) -> bytes:
    """Reads a whole file; BadInput if that fails."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise BadInput(
            f"there is no file {str(file)!r}; check the path, or give a URL with http:// or https://"
        ) from None
    except OSError as error:
        raise BadInput(f"cannot read {str(file)!r}: {error.strerror}") from None


def is_url(text: str) -> bool:
    """Whether an argument is a URL rather than a path."""
    return "://" in text


_EXAMPLE = '{"items": "li.job", "fields": {"title": "h2", "url": {"selector": "a", "attribute": "href"}}}'


def settings_of(data: Path | None, *, no_scheduler: bool, **overrides: Any) -> Settings:
    """Loads the settings of a long-running process, which logs normally."""
    # None leaves it to the environment; False would overrule it.
    loaded = load_settings(data, quiet=False, disable_scheduler=no_scheduler or None, **overrides)
    for variable, reason in loaded.unused_variables.items():
        log.warning("setting.unused", variable=variable, reason=reason)
    return loaded


def confirm(summary: str) -> None:
    """Asks before something is removed for good, and returns if the user agrees; `summary` begins the question."""
    if not sys.stdin.isatty():
        raise BadInput(f"{summary} would be removed for good; nothing was removed. Add --yes to confirm")
    if not typer.confirm(f"{summary} will be removed for good. Continue?", err=True):
        say("Nothing was removed.")
        raise typer.Exit(FAILED)


def read_secret(word: str) -> str:
    """Reads a secret from standard input, or prompts for it on a terminal."""
    if sys.stdin.isatty():
        return str(typer.prompt(word, hide_input=True, err=True))
    return sys.stdin.read().rstrip("\r\n")
