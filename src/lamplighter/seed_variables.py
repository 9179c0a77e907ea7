"""Environment variables of the crawlers that Lamplighter replaces: what became of those that are no settings here."""

from collections.abc import Callable, Iterator, Mapping

from lamplighter.errors import BadSetting

#: variables that begin so belong to one of these crawlers
PREFIXES = ("CRAWLER_", "FETCHER_", "AIDJOBS_")

_ON = frozenset({"1", "true", "yes", "on", "t", "y"})
_OFF = frozenset({"0", "false", "no", "off", "f", "n"})


def notes(env: Mapping[str, str], *, settings: frozenset[str], archive_url: str | None) -> Iterator[tuple[str, str]]:
    """Each variable that has no effect, with one sentence that says why and what to use; none for what is so anyway.

    `settings` are the variables that are settings.
    """
    for name, value in sorted(env.items()):
        if not value.strip() or name in settings or not name.startswith(PREFIXES):
            continue
        said = _said(name, value, archive_url)
        if said is not None:
            yield name, said


def _said(name: str, value: str, archive_url: str | None) -> str | None:
    if name == "CRAWLER_SOURCES_API_URL":
        return (
            "not used: this service keeps the sources itself. Import them with `lamplighter sources import`, or send "
            "them as events through LAMPLIGHTER_EVENTS_URL; other programs read them at /api/v1/sources"
        )
    if name == "CRAWLER_MINIO_ENABLED":
        return _minio(is_on=_is_on(name, value), archive_url=archive_url)
    if name in _SWITCHES:
        return _SWITCHES[name](_is_on(name, value))
    return "not known and not used; docs/reference/settings.md lists the settings"


def _robots(is_on: bool) -> str | None:
    if is_on:
        return None
    return (
        "refused: robots.txt is always respected, and no setting changes that. LAMPLIGHTER_ROBOTS_DENIED says what a "
        "robots.txt that answers 401 or 403 means"
    )


def _random_agent(is_on: bool) -> str | None:
    if not is_on:
        return None
    return (
        "refused: every request names this crawler with one User-Agent, so that site owners can address it. Set "
        "LAMPLIGHTER_USER_AGENT to choose it"
    )


def _readability(is_on: bool) -> str | None:
    if is_on:
        return None
    return (
        "not used: the text of a page is always found without selectors when nothing better is there. A source's "
        "recipe replaces that for the fields that it names"
    )


_SWITCHES: Mapping[str, Callable[[bool], str | None]] = {
    "CRAWLER_RESPECT_ROBOTS_TXT": _robots,
    "CRAWLER_USE_RANDOM_USER_AGENT": _random_agent,
    "CRAWLER_READABILITY_FALLBACK_ENABLED": _readability,
}


def _minio(*, is_on: bool, archive_url: str | None) -> str | None:
    is_there = (archive_url or "").startswith("s3://")
    if is_on == is_there:
        return None
    if is_there:
        return "not used: pages are archived on S3, because LAMPLIGHTER_ARCHIVE_URL says so; unset that to change it"
    return (
        "not used: pages are archived in the data folder. To archive them on MinIO, set "
        "LAMPLIGHTER_ARCHIVE_URL=s3://bucket/prefix and LAMPLIGHTER_ARCHIVE_S3_ENDPOINT=http://minio:9000"
    )


def _is_on(name: str, value: str) -> bool:
    word = value.strip().lower()
    if word not in _ON | _OFF:
        raise BadSetting(f"{name}={value!r} must be true or false")
    return word in _ON
