"""Every knob: its default, its unit, one sentence. In the environment: `LAMPLIGHTER_` plus the name in capitals."""

import difflib
import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, Field, PrivateAttr, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from lamplighter import __version__
from lamplighter.errors import BadSetting

PREFIX = "LAMPLIGHTER_"
#: what follows is the name by which a recipe refers to the secret, in lower case
SECRET_PREFIX = PREFIX + "SECRET_"


def _knob(default: Any, name: str, help_text: str, *aliases: str, **limits: Any) -> Any:
    """A field read from its own environment name or from a seed's name for the same thing."""
    choices = AliasChoices(PREFIX + name.upper(), *aliases)
    return Field(default, validation_alias=choices, description=help_text, **limits)


class Settings(BaseSettings):
    """The whole configuration, immutable once read."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True, env_prefix=PREFIX)

    data_dir: Path = _knob(Path("data"), "data_dir", "Folder of the database file, the archive and backups.")
    database_url: str | None = _knob(
        None,
        "database_url",
        "SQLAlchemy URL; unset means an SQLite file in the data folder. postgresql+asyncpg://… for a fleet.",
    )
    queue_url: SecretStr | None = _knob(
        None,
        "queue_url",
        "amqp://… of RabbitMQ, through which workers wake each other; unset wakes within the process alone.",
    )
    events_url: SecretStr | None = _knob(
        None, "events_url", "redis://… of the stream of source events; unset passes them on within the process."
    )
    redis_events_enabled: bool | None = _knob(
        None,
        "redis_events_enabled",
        "Whether source events go through Redis; unset means whenever its URL is set.",
        "REDIS_EVENTS_ENABLED",
    )
    auto_manage_new_sources: bool = _knob(
        True,
        "auto_manage_new_sources",
        "Whether a new source gets its crawl job by itself; false leaves that to people and to sync-enabled-sources.",
        "AUTO_MANAGE_NEW_SOURCES",
    )
    redis_storage_enabled: bool = _knob(
        False,
        "redis_storage_enabled",
        "Whether visited pages and what was learnt of each source are also shown in Redis, for outside readers.",
        "CRAWLER_REDIS_STORAGE_ENABLED",
    )
    redis_storage_expires: str = _knob(
        "168h",
        "redis_storage_expires",
        "How long what is shown in Redis stays there: 168h, 90m, 7d.",
        "CRAWLER_REDIS_STORAGE_EXPIRES",
    )
    index_url: SecretStr | None = _knob(
        None,
        "index_url",
        "meilisearch+http://…, elasticsearch+https://… or opensearch+https://… of a search server; unset searches in "
        "the database.",
    )
    index_key: SecretStr | None = _knob(None, "index_key", "API key of the search server.")
    index_prefix: str = _knob(
        "lamplighter", "index_prefix", "What the names of our indexes begin with.", pattern=r"^[a-z][a-z0-9_-]{0,40}$"
    )
    archive_url: str | None = _knob(
        None,
        "archive_url",
        "s3://bucket/prefix or file:///folder for bodies, of this database alone; unset keeps them in the data folder.",
    )
    archive_s3_endpoint: str | None = _knob(
        None, "archive_s3_endpoint", "http(s)://… of an S3 server that is not Amazon's (MinIO, for one)."
    )
    archive_format: Literal["plain", "warc"] = _knob(
        "plain", "archive_format", "plain: compressed segments of our own. warc: WARC files that other tools read too."
    )
    archive_keep_days: float | None = _knob(
        None, "archive_keep_days", "A version goes so long after another took its place. Unset: never.", gt=0
    )
    archive_keep_versions: int | None = _knob(
        None, "archive_keep_versions", "Versions kept of one page, the latest included. Unset: all.", ge=1
    )
    archive_max_gb: float | None = _knob(
        None, "archive_max_gb", "Beyond this the oldest versions go; latest ones stay. Unset: no limit.", gt=0
    )
    keep_runs: int = _knob(
        100,
        "keep_runs",
        "Runs kept of one crawl job; those of the last day, the last good and the last failed stay.",
        ge=1,
    )
    keep_run_days: float = _knob(
        30, "keep_run_days", "A run is forgotten after so many days; the last good and the last failed stay.", ge=1
    )
    run_log_days: float = _knob(30, "run_log_days", "A line of a run's log is forgotten after so many days.", gt=0)
    keep_change_days: float | None = _knob(
        None, "keep_change_days", "How a record changed is forgotten after so many days. Unset: with the record.", gt=0
    )
    keep_backups: int = _knob(
        10, "keep_backups", "Backups kept in the folder backups; a new one lets the oldest go.", ge=1
    )
    least_free_mb: int = _knob(
        512, "least_free_mb", "With less free disk than this in the data folder, nothing more is fetched.", ge=0
    )
    duties: str = _knob(
        "fetch,parse,schedule",
        "duties",
        "What this process does, comma-separated: fetch, parse, schedule. Of all that schedule, one leads at a time.",
    )
    host: str = _knob("127.0.0.1", "host", "Address the web server binds to.")
    port: int = _knob(8060, "port", "Port of the web server.", ge=1, le=65535)
    public_url: str | None = _knob(
        None,
        "public_url",
        "URL under which people reach the service, as https://lamplighter.example.org; with https, cookies are Secure.",
        pattern=r"^https?://[A-Za-z0-9.\-:\[\]]+/?$",
    )
    trusted_proxies: str = _knob(
        "",
        "trusted_proxies",
        "Comma-separated addresses or CIDRs of reverse proxies whose X-Forwarded-For tells who asks.",
    )
    env: Literal["dev", "prod"] | None = _knob(
        None,
        "env",
        "dev: whoever is on this machine is admin, nobody else reaches it. prod: everybody proves who they are. Unset "
        "means prod when a JWT secret is set, else dev.",
        "AIDJOBS_ENV",
    )
    auth_jwt_secret: SecretStr | None = _knob(
        None,
        "auth_jwt_secret",
        "Signs JWTs (HS256) and, through derived keys, sessions: 32 random bytes or more. prod does not start without.",
        "AUTH_JWT_SECRET",
    )
    session_hours: float = _knob(12, "session_hours", "How long a login lasts.", gt=0, le=720)
    login_attempts: int = _knob(
        10, "login_attempts", "Failed logins of one address, or with one name, within 15 minutes.", ge=1
    )
    calls_per_hour: int = _knob(
        5000, "calls_per_hour", "API calls of one caller, /api/admin excepted; 0 means no limit.", ge=0
    )
    admin_calls_per_hour: int = _knob(
        1000, "admin_calls_per_hour", "Calls of one caller to /api/admin; 0 means no limit.", ge=0
    )
    smtp_url: SecretStr | None = _knob(
        None,
        "smtp_url",
        "smtp://user:password@host:587?from=lamplighter@example.org of the server that sends e-mails, or smtps://…; "
        "unset sends none.",
    )
    encryption_keys: SecretStr | None = _knob(
        None,
        "encryption_keys",
        "Comma-separated Fernet keys for stored secrets: the first encrypts, all decrypt. Unset keeps keys in the file "
        "`keys` of the data folder. Several machines on one database need the same.",
    )
    log_level: str = _knob("info", "log_level", "debug, info, warning or error.")
    log_format: Literal["auto", "json", "console"] = _knob(
        "auto", "log_format", "json, console, or auto: for people on a terminal, else JSON lines."
    )
    run_log_level: Literal["debug", "info", "warning", "error"] = _knob(
        "info", "run_log_level", "What runs write down: debug (every page, every wait), info, warning or error."
    )
    run_log_lines: int = _knob(
        2000,
        "run_log_lines",
        "Lines of one run's log; beyond it only warnings and errors are kept, up to as many again.",
        ge=1,
        le=1_000_000,
    )
    tracing_url: SecretStr | None = _knob(
        None,
        "tracing_url",
        "OTLP/HTTP address to which traces are sent, http://collector:4318/v1/traces; unset sends none.",
    )

    user_agent: str | None = _knob(
        None,
        "user_agent",
        "Full User-Agent; its first word is the robots token. Unset builds it from the contact URL.",
        "AIDJOBS_CRAWLER_UA",
    )
    contact_url: str | None = _knob(
        None,
        "contact_url",
        "Page about this crawler, named in the User-Agent. Hosts outside this machine are not asked without it.",
    )
    contact_email: str | None = _knob(None, "contact_email", "Sent as the From header.", "AIDJOBS_CONTACT_EMAIL")
    allow_hosts: str = _knob(
        "",
        "allow_hosts",
        "Comma-separated host:port, host or CIDR that the address guard lets through (loopback origins, an intranet).",
    )

    min_delay_ms: int = _knob(3000, "min_delay_ms", "Least milliseconds between two requests to one host.", ge=0)
    max_concurrency: int = _knob(1, "max_concurrency", "Requests in flight at once to one host.", ge=1)
    max_pages: int = _knob(10, "max_pages", "Pages of one run, unless the host's policy says otherwise.", ge=1)
    max_page_kb: int = _knob(1024, "max_page_kb", "Decompressed kibibytes of one page.", ge=1)
    max_redirects: int = _knob(
        5, "max_redirects", "Redirects followed for one page.", "FETCHER_MAX_REDIRECTS", ge=0, le=20
    )
    robots_ttl_hours: float = _knob(12, "robots_ttl_hours", "How long a robots.txt is trusted.", gt=0, le=24)
    robots_denied: Literal["allow", "refuse"] = _knob(
        "allow",
        "robots_denied",
        "What 401 or 403 for a robots.txt means: allow (no rules, as RFC 9309 says) or refuse (nothing is asked).",
    )

    fetch_slots: int = _knob(3, "fetch_slots", "Requests in flight at once over all hosts.", ge=1)
    request_retries: int = _knob(2, "request_retries", "Repeats of a request after a transient fault.", ge=0, le=5)
    page_retries: int = _knob(
        3, "page_retries", "Later tries of a page within its run, after 2, 4, 8 … minutes.", ge=0, le=10
    )
    proxy_requests_per_hour: int = _knob(
        20,
        "proxy_requests_per_hour",
        "Requests an hour that one proxy should make of one host; advice on how many a host needs goes by it.",
        ge=1,
        le=100_000,
    )
    connect_timeout_seconds: float = _knob(10, "connect_timeout_seconds", "To connect, TLS included.", gt=0)
    read_timeout_seconds: float = _knob(20, "read_timeout_seconds", "Silence allowed within an answer.", gt=0)
    total_timeout_seconds: float = _knob(60, "total_timeout_seconds", "For the whole of one request.", gt=0)

    parse_workers: int = _knob(1, "parse_workers", "Processes that read pages.", ge=1)
    parse_timeout_seconds: float = _knob(
        20, "parse_timeout_seconds", "After this long a reader is killed and its page given up.", gt=0
    )

    chromium: str | None = _knob(
        None, "chromium", "The browser for hosts that allow scripts; unset looks for Chromium on the PATH."
    )
    render_seconds: float = _knob(
        60, "render_seconds", "After this long a page in the browser is given up and the browser killed.", gt=0
    )

    proxies_enabled: bool = _knob(
        False,
        "proxies_enabled",
        "Whether hosts without proxies of their own go through those of LAMPLIGHTER_PROXY_URLS.",
        "CRAWLER_PROXIES_ENABLED",
    )
    proxy_urls: SecretStr | None = _knob(
        None,
        "proxy_urls",
        "Comma-separated http://, https:// or socks5://user:password@host:port, for hosts without their own proxies.",
        "CRAWLER_PROXY_URLS",
    )
    proxy_mode: Literal["only", "prefer"] = _knob(
        "only",
        "proxy_mode",
        "only: hosts with proxies go through them or not at all. prefer: directly while none is usable. A host's "
        "policy comes before it.",
    )

    policy: Literal["fixed", "yield_days", "hash_backoff", "priority", "learned"] = _knob(
        "learned", "policy", "How intervals are chosen where neither the source nor a tag says it."
    )
    interval_minutes: float | None = _knob(
        None,
        "interval_minutes",
        "Time between runs of a source that sets none; unset computes it from the source's priority, rate and depth.",
        gt=0,
        le=527040,
    )
    min_interval_minutes: float = _knob(
        1, "min_interval_minutes", "Least time between runs of a source that sets no bounds.", ge=1
    )
    max_interval_days: float = _knob(
        30, "max_interval_days", "Most time between runs of a source that sets no bounds.", gt=0, le=366
    )
    budget_per_hour: float | None = _knob(
        None,
        "budget_per_hour",
        "Fetches per hour over all hosts; unset plans with what the sources' own intervals would spend.",
        gt=0,
    )
    host_budget_per_hour: float | None = _knob(
        None, "host_budget_per_hour", "Fetches per hour of one host, unless its policy says otherwise.", gt=0
    )
    reprice_minutes: float = _knob(60, "reprice_minutes", "How often the budget is distributed anew.", gt=0)
    max_open_runs: int = _knob(256, "max_open_runs", "Runs going on at once.", ge=1)
    runs_per_host: int = _knob(4, "runs_per_host", "Runs going on at once whose start page is on one host.", ge=1)
    poll_seconds: float = _knob(10, "poll_seconds", "How often the scheduler looks for due jobs.", gt=0)
    reconcile_minutes: float = _knob(
        5, "reconcile_minutes", "How often every crawl job is compared with its source.", gt=0
    )
    stale_minutes: float = _knob(
        5, "stale_minutes", "A run without a sign of life for this long is looked after.", gt=0
    )
    metrics_seconds: float = _knob(
        30, "metrics_seconds", "How often the scheduler's figures and the gauges of /metrics are taken.", gt=0
    )
    metrics_public: bool = _knob(
        False,
        "metrics_public",
        "Whether whoever reaches the port itself may read /metrics; otherwise, and through a proxy, it takes a viewer.",
    )
    metrics_port: int | None = _knob(
        None, "metrics_port", "Port on which a worker answers /metrics and /health; unset has none.", ge=1, le=65535
    )
    metrics_sources: int = _knob(
        200,
        "metrics_sources",
        "How many sources /metrics tells apart by name in one process; the rest are counted together as other.",
        ge=0,
        le=10_000,
    )
    lease_seconds: float = _knob(
        30, "lease_seconds", "How long a worker holds a host or page without a sign of life.", gt=0
    )
    run_deadline_minutes: float = _knob(
        60, "run_deadline_minutes", "After this long a run is ended with what it has.", gt=0
    )
    grace_seconds: float = _knob(10, "grace_seconds", "Time to finish what is in flight when asked to stop.", gt=0)
    manual_jobs: bool = _knob(
        True, "manual_jobs", "Whether crawl jobs may still be created by hand; false answers 410 to those who try."
    )
    disable_scheduler: bool = _knob(
        False, "disable_scheduler", "Open no runs by themselves.", "AIDJOBS_DISABLE_SCHEDULER"
    )
    crash_at: str | None = _knob(None, "crash_at", "For tests: die with SIGKILL at this point.")

    #: name -> value of every LAMPLIGHTER_SECRET_*; shown to nobody
    _secrets: dict[str, SecretStr] = PrivateAttr(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What a caller gives, then the environment: files are not looked for, which takes as long as all the rest."""
        return init_settings, env_settings

    @property
    def secrets(self) -> Mapping[str, str]:
        """What recipes may refer to by name; read when a request is made, never stored or logged."""
        return {name: secret.get_secret_value() for name, secret in self._secrets.items()}

    @property
    def jwt_secret(self) -> str | None:
        """The secret under which tokens are signed; None when there is none."""
        # An empty variable, as composed environments have them, says no more than none.
        return (self.auth_jwt_secret.get_secret_value() or None) if self.auth_jwt_secret else None

    @property
    def is_dev(self) -> bool:
        """Whether whoever is on this machine may do everything, without a login."""
        return self.env == "dev" or (self.env is None and self.jwt_secret is None)

    @property
    def resolved_database_url(self) -> str:
        """The database to open: the given one, or the file in the data folder."""
        return self.database_url or f"sqlite:///{self.data_dir / 'lamplighter.db'}"

    @property
    def resolved_user_agent(self) -> str:
        """What we call ourselves on the wire, always with a URL that explains us."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        page = self.contact_url or f"http://{host}:{self.port}/bot"
        return self.user_agent or f"LamplighterBot/{__version__} (+{page})"

    @property
    def has_contact(self) -> bool:
        """Whether a site owner could find out who we are."""
        return bool(self.contact_url or self.user_agent)

    @property
    def lease(self) -> timedelta:
        """How long a lease lasts without a heartbeat."""
        return timedelta(seconds=self.lease_seconds)


def load(env: Mapping[str, str] | None = None, /, **overrides: Any) -> Settings:
    """Reads the environment; an unknown name or an impossible value is an error that says what would work."""
    names = os.environ if env is None else env
    known = {PREFIX + field.upper() for field in Settings.model_fields}
    for name in names:
        if name.startswith(PREFIX) and name not in known and not name.startswith((PREFIX + "TEST_", SECRET_PREFIX)):
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            raise BadSetting(f"{name} is not a setting; did you mean {near[0]}?")
    try:
        settings = Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        shown = "" if any(word in name.upper() for word in ("SECRET", "KEY")) else f"={first.get('input')!r}"
        raise BadSetting(f"{name}{shown}: {first['msg']}") from None
    settings._secrets.update(
        {
            name.removeprefix(SECRET_PREFIX).lower(): SecretStr(value)
            for name, value in names.items()
            if name.startswith(SECRET_PREFIX)
        }
    )
    return settings
