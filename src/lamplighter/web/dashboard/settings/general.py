"""`/settings`: the settings of this installation, their origin, and changing those that can change while running."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args, get_origin

from fastapi import Response
from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo

from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.live_settings import LIVE_SETTINGS
from lamplighter.operations.fleet import running_settings
from lamplighter.operations.fleet.running_settings import RunningSetting
from lamplighter.settings import Settings
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import settings_page
from lamplighter.web.routes import Pages

ROUTES = Pages()
_LONGEST_SEARCH = 100
_MASK = "•••"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
#: the characters that end a user name
_BEHIND_NAME = re.compile(r"[:/?#@]")
_COMMAND_LINE = "command line"
_NOTHING: Mapping[str, str] = MappingProxyType({})


class SettingGroup(NamedTuple):
    """A group of settings with a title."""

    title: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """A setting with its value, origin and meaning."""

    name: str
    meaning: str
    value: str
    #: the environment variable of the setting
    variable: str
    #: the variable that set it, or the command line; None when it can be changed here, and for the default
    origin: str | None
    #: None when it is read at the start only
    running: RunningSetting | None = None
    #: the values to choose from, with their labels; empty for a free value
    choices: Sequence[tuple[str, str]] = ()

    @property
    def is_own(self) -> bool:
        """Whether it differs from the default."""
        return self.origin is not None or (self.running is not None and self.running.changed_at is not None)

    @property
    def typed(self) -> str:
        """The value as a person types it; empty for the default."""
        if self.running is None or self.running.changed_at is None:
            return ""
        value = self.running.value
        return (
            str(value).lower()
            if isinstance(value, bool)
            else f"{value:.15g}"
            if isinstance(value, float)
            else str(value)
        )


def _group(title: str, names: str) -> SettingGroup:
    return SettingGroup(title, tuple(names.split()))


GROUPS = (
    _group("Identity", "user_agent contact_url contact_email allow_hosts"),
    _group(
        "Politeness",
        "min_delay_ms max_concurrency robots_ttl_hours robots_denied follow_redirects max_redirects max_page_kb "
        "max_pages",
    ),
    _group(
        "Scheduling",
        "policy interval_minutes min_interval_minutes max_interval_days budget_per_hour "
        "host_budget_per_hour reprice_minutes",
    ),
    _group(
        "Runs",
        "max_open_runs runs_per_host run_deadline_minutes poll_seconds reconcile_minutes stale_minutes "
        "auto_manage_new_sources manual_jobs disable_scheduler",
    ),
    _group(
        "Fetching and parsing",
        "fetch_slots request_retries page_retries connect_timeout_seconds read_timeout_seconds "
        "total_timeout_seconds feed_discovery_enabled feed_poll_enabled feed_poll_minutes "
        "parse_workers parse_timeout_seconds chromium render_seconds "
        "proxies_enabled proxy_urls proxy_mode proxy_requests_per_hour",
    ),
    _group(
        "Storage and retention",
        "data_dir database_url archive_url archive_s3_endpoint archive_format archive_keep_days "
        "archive_keep_versions archive_max_gb keep_runs keep_run_days run_log_days run_log_level "
        "run_log_lines keep_change_days keep_backups least_free_mb",
    ),
    _group(
        "Other services",
        "queue_url events_url redis_events_enabled redis_storage_enabled redis_storage_expires index_url "
        "index_key index_prefix smtp_url tracing_url",
    ),
    _group(
        "Access",
        "env auth_jwt_secret session_hours login_attempts calls_per_hour admin_calls_per_hour "
        "encryption_keys public_url trusted_proxies",
    ),
    _group(
        "This process",
        "duties host port log_level log_format metrics_seconds metrics_port metrics_public "
        "metrics_sources status_page lease_seconds grace_seconds demo_past_days crash_at",
    ),
)


def shown(
    settings: Settings, name: str, env: Mapping[str, str] | None = None, *, running: RunningSetting | None = None
) -> SettingView:
    """The view of one setting; `running` if it can be changed while running."""
    field = Settings.model_fields[name]
    choices = field.validation_alias
    assert isinstance(choices, AliasChoices)
    spellings = [str(choice) for choice in choices.choices]
    return SettingView(
        name=name,
        meaning=field.description or "",
        value=_text(_effective(settings, name)),
        variable=spellings[0],
        origin=_origin(settings, name, spellings, os.environ if env is None else env),
        running=running,
        choices=_choices(field),
    )


def _choices(field: FieldInfo) -> list[tuple[str, str]]:
    if field.annotation is bool:
        default = "yes" if field.default else "no"
        return [("", f"default: {default}"), ("true", "yes"), ("false", "no")]
    values = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    return [("", f"default: {field.default}"), *((value, value) for value in values)] if values else []


def _origin(settings: Settings, name: str, spellings: list[str], env: Mapping[str, str]) -> str | None:
    if name not in settings.model_fields_set:
        return None
    # Case-insensitive, as the settings are.
    given = {variable.upper() for variable in env}
    return next((spelling for spelling in spellings if spelling.upper() in given), _COMMAND_LINE)


def _effective(settings: Settings, name: str) -> Any:
    """The effective value, also where it follows from other settings."""
    match name:
        case "user_agent":
            return settings.resolved_user_agent
        case "database_url":
            return settings.resolved_database_url
        case "env":
            return "dev" if settings.is_dev else "prod"
    return getattr(settings, name)


def _text(value: Any) -> str:
    match value:
        case None | "":
            return "-"
        case SecretStr():
            return f"{_MASK} (set, not shown)" if value.get_secret_value() else "-"
        case bool():
            return "yes" if value else "no"
        case str():
            return without_password(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def without_password(text: str) -> str:
    """Masks credentials in a URL, also in its query string.

    It does not use a URL parser, because a password may contain any character: whatever may belong to one is masked.
    """
    scheme, sign, rest = text.partition("://")
    if not sign or not _SCHEME.fullmatch(scheme):
        return text
    name = _BEHIND_NAME.split(rest, maxsplit=1)[0]
    if "@" in rest.partition("?")[2]:  # part of the password or of the query: it cannot be decided
        return f"{scheme}://{name}:{_MASK}"
    user, at, place = rest.rpartition("@")
    toast = f"{name if user == name else f'{name}:{_MASK}'}@" if at else ""
    address, mark, query = place.partition("#")[0].partition("?")
    return f"{scheme}://{toast}{address}{mark}{_masked(query)}"


def _masked(query: str) -> str:
    pairs = [each.partition("=") for each in query.split("&") if each]
    return "&".join(f"{name}={_MASK}" if sign else _MASK for name, sign, _ in pairs)


@ROUTES.get("/settings")
async def general(request: ThisRequest) -> Response:
    """All settings by topic."""
    return await _page(request)


@ROUTES.post("/settings", role="admin")
async def change(request: ThisRequest) -> Response:
    """Changes one setting; an empty value brings back the default."""
    form = await request.form()
    name, value = form.text("name"), form.text("value")
    settings = request.view.settings
    try:
        await request.write(
            lambda db: running_settings.change(db, settings, {name: value or None}, stamp=request.stamp)
        )
    except (BadInput, NotPossible, NotFound) as error:
        # A setting that cannot be changed here has no field beside which to say so.
        place = name if name in LIVE_SETTINGS and not settings.is_given(name) else ""
        return await _page(request, faults={place: str(error)}, typed={name: value})
    await request.view.settings_changed()
    said = f"{name} is now {value}" if value else f"{name} has its default again"
    return request.done(f"{said}; takes effect {LIVE_SETTINGS[name].takes_effect}.", to=f"/settings#{name}")


async def _page(
    request: PageRequest, *, faults: Mapping[str, str] = _NOTHING, typed: Mapping[str, str] = _NOTHING
) -> Response:
    query = request.http.query_params
    search, is_own_only = query.get("q", "").strip()[:_LONGEST_SEARCH], "changed" in query
    settings = request.view.settings
    running = {each.name: each for each in await request.read(lambda db: running_settings.listed(db, settings))}
    groups = [
        (group.title, [shown(settings, name, running=running.get(name)) for name in group.names]) for group in GROUPS
    ]
    found = [
        (title, [each for each in lines if _is_wanted(each, search, is_own_only=is_own_only)])
        for title, lines in groups
    ]
    return settings_page(
        request,
        "settings/general.html",
        groups=[(title, lines) for title, lines in found if lines],
        search=search,
        is_own_only=is_own_only,
        is_dev=settings.is_dev,
        faults=faults,
        typed=typed,
    )


def _is_wanted(each: SettingView, search: str, *, is_own_only: bool) -> bool:
    if is_own_only and not each.is_own:
        return False
    words = search.lower().split()
    text = f"{each.name} {each.variable} {each.meaning}".lower()
    return all(word in text for word in words)
