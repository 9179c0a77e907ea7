"""Options that several commands share, and their parsing."""

from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from lamplighter import settings, telemetry
from lamplighter.errors import BadInput, BadRecipe
from lamplighter.settings import Settings


class KindOption(StrEnum):
    """The kind of records; auto detects it from the pages."""

    AUTO = "auto"
    JOB = "job"
    ARTICLE = "article"
    PRODUCT = "product"


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
Depth = Annotated[int | None, typer.Option(min=0, max=100, help="Link depth from the start page.", show_default="3")]
MaxPages = Annotated[
    int | None, typer.Option(min=1, max=10_000_000, help="Maximum pages per run.", show_default="the host's policy")
]
Interval = Annotated[
    float | None,
    typer.Option(
        "--interval-minutes",
        help="Initial interval, before any change was observed.",
        show_default="by organisation type, else by priority",
    ),
]
MinInterval = Annotated[float | None, typer.Option("--min-interval-minutes", help="Minimum interval.")]
MaxInterval = Annotated[float | None, typer.Option("--max-interval-minutes", help="Maximum interval.")]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        help="How the interval is chosen: learned, fixed, yield_days, hash_backoff or priority.",
        show_default="its tags', else the installation's",
    ),
]
Windows = Annotated[
    str | None,
    typer.Option(
        "--windows",
        help='Crawl windows, for example "mon-fri 22:00-05:00 Europe/Berlin" or "deny sat,sun".',
        show_default="at any time",
    ),
]
Country = Annotated[str | None, typer.Option("--country", help="Two letters; the time zone of windows without one.")]
Organisation = Annotated[
    str | None, typer.Option("--organisation-type", help="Type of the organisation: un, ingo, ngo or academic.")
]


def minutes(value: float | None) -> timedelta | None:
    """Parses a duration in minutes."""
    try:
        return None if value is None else timedelta(minutes=value)
    except (OverflowError, ValueError):
        raise BadInput(f"{value} minutes are out of range; use 1 to 527040") from None


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
    return load_settings(data, quiet=False, disable_scheduler=no_scheduler or None, **overrides)
