"""Options that several commands share, and what is read from them."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from lamplighter import settings, telemetry
from lamplighter.errors import BadInput, BadRecipe
from lamplighter.settings import Settings


class Kind(StrEnum):
    """What the records are; auto lets the pages tell."""

    AUTO = "auto"
    JOB = "job"
    ARTICLE = "article"
    PRODUCT = "product"


Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Data folder; LAMPLIGHTER_DATA_DIR or ./data when not given."),
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]
RecordsAre = Annotated[Kind | None, typer.Option("--kind", help="What the records are.", show_default="auto")]
Recipe = Annotated[
    Path | None, typer.Option("--recipe", metavar="FILE", help="JSON file that says where the records stand.")
]
Depth = Annotated[int | None, typer.Option(min=0, max=100, help="Steps of links to follow.", show_default="3")]
MaxPages = Annotated[
    int | None, typer.Option(min=1, max=10_000_000, help="Pages of one run.", show_default="the host's policy")
]


def load_settings(data: Path | None = None, *, quiet: bool = True, **overrides: Any) -> Settings:
    """The settings with what the command line says on top; a quiet command logs errors only, unless told otherwise."""
    loaded = settings.load(data_dir=data, **overrides)
    is_told = "log_level" in loaded.model_fields_set
    telemetry.configure("error" if quiet and not is_told else loaded.log_level)
    return loaded


def read_recipe(file: Path | None) -> dict[str, Any] | None:
    """The JSON of a recipe file, not yet checked as a recipe."""
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
    """A file that somebody named, whole."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise BadInput(
            f"there is no file {str(file)!r}; check the path, or give a URL with http:// or https://"
        ) from None
    except OSError as error:
        raise BadInput(f"cannot read {str(file)!r}: {error.strerror}") from None


def is_url(text: str) -> bool:
    """Whether a word on the command line is meant as a URL rather than as a path."""
    return "://" in text


_EXAMPLE = '{"items": "li.job", "fields": {"title": "h2", "url": {"selector": "a", "attribute": "href"}}}'
