"""Source input: checks what an operator, file or event says of a source before it is stored."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any

import orjson

from lamplighter.errors import BadInput, BadRecipe
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.model.schedule import Window
from lamplighter.model.source import InheritedOptions, Source, SourceOptions
from lamplighter.operations.sources.source_words import DEEPEST, DEPTHS, UNLIMITED_DEPTH
from lamplighter.rules.schedule import baseline, country_zones, window, window_text
from lamplighter.rules.urls import urls

#: a greater depth is rarely meant
DEEP = 5
MOST_PAGES = 10_000_000
LONGEST_NAME = 500
MOST_TAGS = 50
#: a longer time is not meant as a delay between requests
LONGEST_DELAY = timedelta(days=1)

#: a comma or semicolon separates tags where they are written as one text, and a slash would end a path
_TAG = re.compile(r"[^\s,;/](?:[^,;/]{0,98}[^\s,;/])?")
#: as it stands in JSON; PostgreSQL keeps no such text
_NUL = b"\\u0000"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource(SourceOptions):
    """What an operator says of a source to be watched, before it is checked."""

    #: windows as text (see `rules.schedule.window_text`), in place of `windows`; without a zone: the country's
    windows_text: str | None = None
    tags: tuple[str, ...] = ()


_OPTIONS = tuple(each.name for each in fields(SourceOptions))
_INHERITED = tuple(each.name for each in fields(InheritedOptions))


def input_of(source: SourceOptions, tags: Iterable[str]) -> NewSource:
    """The input that would make this source: something to change in part."""
    return NewSource(**{name: getattr(source, name) for name in _OPTIONS}, tags=tuple(sorted(tags)))


def altered_source(source: Source, options: SourceOptions) -> Source:
    """The source with these options instead of its own, and without the windows that could not be read."""
    return replace(source, **{name: getattr(options, name) for name in _OPTIONS}, window_faults=())


def checked(submitted: NewSource) -> SourceOptions:
    """The options that are stored for this input; input that could never be crawled is refused with a remedy."""
    with naming("url"):
        target = urls.parse(submitted.url)
    name, recipe = _name(submitted.name, otherwise=target.hostname), _recipe(submitted.recipe)
    if not UNLIMITED_DEPTH <= submitted.max_depth <= DEEPEST:
        raise BadInput(f"max_depth {submitted.max_depth} is out of range; use {DEPTHS}", field="max_depth")
    min_delay = _whole_delay(submitted.min_delay)
    country, zone = _country(submitted.country)
    within("priority", submitted.priority, 0, 100)
    scheduled = _checked_schedule(submitted, zone=zone)
    stored = replace(scheduled, url=target.href, name=name, recipe=recipe, min_delay=min_delay, country=country)
    return SourceOptions(**{name: getattr(stored, name) for name in _OPTIONS})


def check(submitted: NewSource) -> None:
    """Refuses input that could not be stored, and stores nothing."""
    checked(submitted)
    checked_tags(submitted.tags)


def checked_inherited(submitted: NewSource) -> InheritedOptions:
    """The options that a tag may set for its sources; options that no source could have are refused."""
    scheduled = _checked_schedule(submitted, zone=None)
    return InheritedOptions(**{name: getattr(scheduled, name) for name in _INHERITED})


def _checked_schedule(submitted: NewSource, *, zone: str | None) -> NewSource:
    """The input with whole seconds between runs and with parsed windows; `zone` is for windows that name none."""
    least, most = submitted.min_interval, submitted.max_interval
    if submitted.max_pages is not None:
        within("max_pages", submitted.max_pages, 1, MOST_PAGES)
    if least is not None and most is not None and least > most:
        message = f"min_interval {least} is longer than max_interval {most}; swap them"
        raise BadInput(message, field="min_interval_minutes")
    return replace(
        submitted,
        interval=_interval("interval", submitted.interval),
        min_interval=_interval("min_interval", least),
        max_interval=_interval("max_interval", most),
        windows=read_windows(submitted.windows_text, zone=zone)
        if submitted.windows_text
        else _openable(submitted.windows),
        windows_text=None,
    )


def _interval(name: str, span: timedelta | None) -> timedelta | None:
    if span is None:
        return None
    with naming(f"{name}_minutes"):
        return timedelta(seconds=int(baseline.checked_interval(span).total_seconds()))


def _country(given: str | None) -> tuple[str | None, str | None]:
    """A country by its code, and its time zone."""
    if not given:
        return None, None
    country = given.upper()
    zone = country_zones.zone_of(country)
    if zone is None:
        raise BadInput(f"country {given!r} is unknown; use a two-letter code such as DE", field="country")
    return country, zone


def read_windows(text: str, *, zone: str | None) -> tuple[Window, ...]:
    """Windows in words, if they are ever open; `zone` is for those that name none."""
    with naming("windows"):
        return _openable(window_text.parse(text, zone=zone))


def _openable(windows: tuple[Window, ...]) -> tuple[Window, ...]:
    with naming("windows"):
        window.check(windows)
    return windows


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The labels, each once and in order."""
    names = sorted({tag.strip() for tag in tags})
    for name in names:
        if not _TAG.fullmatch(name) or not name.isprintable():
            raise BadInput(
                f"tag {name[:100]!r} cannot be used; write 1 to 100 characters without comma, semicolon and slash",
                field="tags",
            )
    if len(names) > MOST_TAGS:
        raise BadInput(f"{len(names)} tags are too many; use up to {MOST_TAGS}", field="tags")
    return tuple(names)


def warnings(options: SourceOptions) -> Iterator[str]:
    """What is allowed but probably not meant."""
    if is_deep(options.max_depth):
        depth = "without limit" if options.max_depth == UNLIMITED_DEPTH else str(options.max_depth)
        yield f"max_depth {depth} is deep: runs may fetch many pages. Most sources need 3 or less, and 5 is the most"


def is_deep(max_depth: int) -> bool:
    """Whether it follows links further than most sources need."""
    return max_depth > DEEP or max_depth == UNLIMITED_DEPTH


@contextmanager
def naming(field: str) -> Iterator[None]:
    """A refusal inside names the field that it concerns."""
    try:
        yield
    except BadInput as error:
        error.field = error.field or field
        raise


def _recipe(given: Mapping[str, Any]) -> dict[str, Any]:
    with naming("recipe"):
        recipe = recipe_to_json(parse_recipe(dict(given)))
        try:
            written = orjson.dumps(recipe)
        except TypeError:  # half a character
            written = _NUL
        if _NUL in written:
            raise BadRecipe("a recipe contains an invalid character; remove it")
        return recipe


def _name(name: str, *, otherwise: str) -> str:
    chosen = name.strip() or otherwise
    if not chosen.isprintable():
        raise BadInput(f"name {chosen[:100]!r} contains characters that cannot be shown; remove them", field="name")
    if len(chosen) > LONGEST_NAME:
        raise BadInput(f"name has {len(chosen)} characters; use up to {LONGEST_NAME}", field="name")
    return chosen


def _whole_delay(delay: timedelta | None) -> timedelta | None:
    """A delay between requests in whole milliseconds, rounded up."""
    if delay is None:
        return None
    if not timedelta(milliseconds=1) <= delay <= LONGEST_DELAY:
        raise BadInput(f"a delay of {delay} between requests is out of range; use 1 ms to one day", field="rate_limit")
    millisecond = timedelta(milliseconds=1)
    return -(-delay // millisecond) * millisecond


def within(name: str, value: int, least: int, most: int) -> int:
    """The number, if it is in range."""
    if not least <= value <= most:
        raise BadInput(f"{name} {value} is out of range; use {least} to {most}", field=name)
    return value
