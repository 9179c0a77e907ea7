"""What an operator says of a source, checked in every part before anything is stored."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

import orjson

from lamplighter.errors import BadInput, BadRecipe
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType, PolicyName, Window
from lamplighter.rules import baseline, country_zones, urls, window, window_text
from lamplighter.store.sources import SourceRow

#: links followed beyond this many steps are rarely what somebody meant
DEEP = 5
DEEPEST = 100
MOST_PAGES = 10_000_000
LONGEST_NAME = 500
MOST_TAGS = 50
#: whoever asks less often than this does not mean a delay between requests
LONGEST_DELAY = timedelta(days=1)

#: a comma or semicolon separates tags where they are written as one text, and a slash would end a path
_TAG = re.compile(r"[^\s,;/](?:[^,;/]{0,98}[^\s,;/])?")
#: as it stands in JSON; PostgreSQL keeps no such text
_NUL = b"\\u0000"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """What an operator says of a source to be watched."""

    url: str
    #: None takes the host's name
    name: str | None = None
    #: None lets the pages tell
    kind: str | None = None
    recipe: Mapping[str, Any] | None = None
    max_depth: int = 3
    #: None leaves it to its tags, then to the host's policy
    max_pages: int | None = None
    #: between runs before anything was observed; None leaves it to its tags, the organisation type, the installation
    interval: timedelta | None = None
    #: the least and the most time between runs; None leaves them to its tags, then to the installation
    min_interval: timedelta | None = None
    max_interval: timedelta | None = None
    #: how its interval is chosen; None leaves it to its tags, then to the installation
    policy: str | None = None
    #: when it may be crawled, in words (see `rules.window_text`) or as windows; None leaves it to its tags
    windows: str | Sequence[Window] | None = None
    #: ISO 3166; tells the time zone of windows that name none
    country: str | None = None
    organisation_type: str | None = None
    recurring: bool = True
    priority: int = 50
    enabled: bool = True
    #: least time between two requests for it; None leaves it to the host
    min_delay: timedelta | None = None
    tags: tuple[str, ...] = ()


def wish_of(source: SourceRow, tags: Iterable[str]) -> NewSource:
    """What an operator would have to say to get this source: something to change in part."""
    windows, _ = window_text.loaded(source.windows)
    return NewSource(
        url=source.url,
        name=source.name,
        kind=source.kind,
        recipe=source.recipe,
        max_depth=source.max_depth,
        max_pages=source.max_pages,
        interval=source.interval,
        min_interval=source.min_interval,
        max_interval=source.max_interval,
        policy=source.policy,
        windows=windows or None,
        country=source.country,
        organisation_type=source.organisation_type,
        recurring=source.recurring,
        priority=source.priority,
        enabled=source.enabled,
        min_delay=source.min_delay,
        tags=tuple(sorted(tags)),
    )


def values_of(wish: NewSource) -> dict[str, Any]:
    """The columns that hold a wish; what could never be crawled is refused, with what would work."""
    with naming("url"):
        target = urls.parse(wish.url)
    return {
        "name": _name(wish.name, otherwise=target.hostname),
        "url": target.href,
        "kind": _kind(wish.kind),
        "recipe": _recipe(wish.recipe or {}),
        "max_depth": _within("max_depth", wish.max_depth, 0, DEEPEST),
        "max_pages": None if wish.max_pages is None else _within("max_pages", wish.max_pages, 1, MOST_PAGES),
        "min_delay_ms": _delay_ms(wish.min_delay),
        "enabled": wish.enabled,
    } | schedule_values(wish)


def check(wish: NewSource) -> None:
    """Refuses what could not be kept of a wish, and keeps nothing."""
    values_of(wish)
    checked_tags(wish.tags)


def schedule_values(wish: NewSource) -> dict[str, Any]:
    """The columns that bear on the schedule; what could never be kept is refused."""
    country = wish.country.upper() if wish.country else None
    zone = country_zones.zone_of(country) if country is not None else None
    if country is not None and zone is None:
        raise BadInput(f"country {wish.country!r} is unknown; use a two-letter code such as DE", field="country")
    return interval_values(wish.interval, wish.min_interval, wish.max_interval) | {
        "policy": one_of(PolicyName, "policy", wish.policy),
        "organisation_type": one_of(OrganisationType, "organisation type", wish.organisation_type),
        "country": country,
        "windows": window_text.to_json(checked_windows(wish.windows, zone=zone)),
        "recurring": wish.recurring,
        "priority": _within("priority", wish.priority, 0, 100),
    }


def interval_values(usual: timedelta | None, least: timedelta | None, most: timedelta | None) -> dict[str, Any]:
    """The columns for the time between runs, of a source or of a tag."""
    spans = {"interval": usual, "min_interval": least, "max_interval": most}
    if least is not None and most is not None and least > most:
        message = f"min_interval {least} is longer than max_interval {most}; swap them"
        raise BadInput(message, field="min_interval_minutes")
    seconds: dict[str, int | None] = {}
    for name, span in spans.items():
        with naming(f"{name}_minutes"):
            kept = baseline.checked_interval(span) if span is not None else None
        seconds[f"{name}_seconds"] = int(kept.total_seconds()) if kept is not None else None
    return seconds


def checked_windows(windows: str | Sequence[Window] | None, *, zone: str | None) -> Sequence[Window]:
    """Windows in words or as such, if they are ever open."""
    with naming("windows"):
        parsed = window_text.parse(windows, zone=zone) if isinstance(windows, str) and windows else windows or ()
        assert not isinstance(parsed, str)
        window.check(parsed)
        return parsed


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
        raise BadInput(f"{len(names)} tags are too many; {MOST_TAGS} are the most", field="tags")
    return tuple(names)


def warnings(wish: NewSource) -> Iterable[str]:
    """What is allowed but probably not meant."""
    if wish.max_depth > DEEP:
        yield f"max_depth {wish.max_depth} is deep; most sources need 3 or less"


def one_of(names: type[StrEnum], what: str, value: str | None) -> str | None:
    """A value that must be one of a few words; None leaves it open."""
    if value is None:
        return None
    try:
        return names(value)
    except ValueError:
        field = what.replace(" ", "_")
        raise BadInput(f"{what} {value!r} is unknown; use {', '.join(names)}", field=field) from None


@contextmanager
def naming(field: str) -> Iterator[None]:
    """What is refused inside says which part of the wish it concerns."""
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
            raise BadRecipe("a recipe holds a character that is no text; leave it out")
        return recipe


def _name(name: str | None, *, otherwise: str) -> str:
    chosen = (name or "").strip() or otherwise
    if not chosen.isprintable():
        raise BadInput(f"name {chosen[:100]!r} holds characters that cannot be shown; leave them out", field="name")
    if len(chosen) > LONGEST_NAME:
        raise BadInput(f"name has {len(chosen)} characters; use up to {LONGEST_NAME}", field="name")
    return chosen


def _kind(kind: str | None) -> str | None:
    if kind in (None, "auto"):
        return None
    try:
        return RecordKind(kind)
    except ValueError:
        raise BadInput(f"kind {kind!r} is unknown; use auto, {', '.join(RecordKind)}", field="kind") from None


def _delay_ms(delay: timedelta | None) -> int | None:
    if delay is None:
        return None
    if not timedelta(milliseconds=1) <= delay <= LONGEST_DELAY:
        raise BadInput(f"a delay of {delay} between requests is out of range; use 1 ms to one day", field="rate_limit")
    return -(-delay // timedelta(milliseconds=1))


def _within(name: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise BadInput(f"{name} {value} is out of range; use {least} to {most}", field=name)
    return value
