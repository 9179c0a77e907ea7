"""Every setting: its default, its unit, one sentence. In the environment: `LAMPLIGHTER_` plus the name in capitals."""

from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr

PREFIX = "LAMPLIGHTER_"


def _knob(default: Any, name: str, help_text: str, *aliases: str, **limits: Any) -> Any:
    """A field read from its own environment name or from a seed's name for the same setting."""
    choices = AliasChoices(PREFIX + name.upper(), *aliases)
    return Field(default, validation_alias=choices, description=help_text, **limits)


class SettingFields(BaseModel):
    """The fields of the configuration; `Settings` adds what follows from them."""

    # Built when first used, which only `Settings` is.
    model_config = ConfigDict(frozen=True, populate_by_name=True, defer_build=True)

    data_dir: Path = _knob(Path("data"), "data_dir", "Folder of the database file, the archive and backups.")
    database_url: str | None = _knob(
        None,
        "database_url",
        "SQLAlchemy URL; unset means an SQLite file in the data folder. postgresql+asyncpg://… for several machines.",
    )
    queue_url: SecretStr | None = _knob(
        None,
        "queue_url",
        "amqp://… of RabbitMQ, through which workers wake each other; unset wakes only within the process.",
    )
    events_url: SecretStr | None = _knob(
        None, "events_url", "redis://… of the stream of source events; unset delivers them within the process."
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
        "Whether a new source gets its crawl job automatically; false leaves that to people and sync-enabled-sources.",
        "AUTO_MANAGE_NEW_SOURCES",
    )
    redis_storage_enabled: bool = _knob(
        False,
        "redis_storage_enabled",
        "Whether visited pages and what was learnt of each source are also mirrored in Redis, for outside readers.",
        "CRAWLER_REDIS_STORAGE_ENABLED",
    )
    redis_storage_expires: str = _knob(
        "168h",
        "redis_storage_expires",
        "How long mirror entries stay in Redis: 168h, 90m, 7d.",
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
        "lamplighter", "index_prefix", "Prefix of our index names.", pattern=r"^[a-z][a-z0-9_-]{0,40}$"
    )
    archive_url: str | None = _knob(
        None,
        "archive_url",
        "s3://bucket/prefix or file:///folder for bodies, of this database alone; unset keeps them in the data folder.",
    )
    archive_s3_endpoint: str | None = _knob(
        None, "archive_s3_endpoint", "http(s)://… of an S3 server other than Amazon's (such as MinIO)."
    )
    archive_format: Literal["plain", "warc"] = _knob(
        "plain", "archive_format", "plain: compressed segments of our own. warc: WARC files that other tools read too."
    )
    archive_keep_days: float | None = _knob(
        None, "archive_keep_days", "Days to keep a version after a newer one replaced it. Unset: for ever.", gt=0
    )
    archive_keep_versions: int | None = _knob(
        None, "archive_keep_versions", "Versions kept of one page, the latest included. Unset: all.", ge=1
    )
    archive_max_gb: float | None = _knob(
        None, "archive_max_gb", "Above this the oldest versions are deleted; latest ones stay. Unset: no limit.", gt=0
    )
    keep_runs: int = _knob(
        100,
        "keep_runs",
        "Runs kept of one crawl job; those of the last day, the last successful and the last failed stay.",
        ge=1,
    )
    keep_run_days: float = _knob(
        30, "keep_run_days", "Days to keep a run; the last successful and the last failed stay.", ge=1
    )
    run_log_days: float = _knob(30, "run_log_days", "Days to keep a line of a run's log.", gt=0)
    keep_change_days: float | None = _knob(
        None, "keep_change_days", "Days to keep the history of a record. Unset: as long as the record.", gt=0
    )
    keep_backups: int = _knob(
        10, "keep_backups", "Backups kept in the folder backups; a new one replaces the oldest.", ge=1
    )
    least_free_mb: int = _knob(
        512, "least_free_mb", "With less free disk than this in the data folder, fetching stops.", ge=0
    )
    duties: str = _knob(
        "fetch,parse,schedule",
        "duties",
        "Duties of this process, comma-separated: fetch, parse, schedule. Of all that schedule, one leads at a time.",
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
        "Comma-separated addresses or CIDRs of reverse proxies whose X-Forwarded-For names the client.",
    )
    env: Literal["dev", "prod"] | None = _knob(
        None,
        "env",
        "dev: users of this machine are admin, other machines have no access. prod: every caller must log in. Unset "
        "means prod when a JWT secret is set, else dev.",
        "AIDJOBS_ENV",
    )
    auth_jwt_secret: SecretStr | None = _knob(
        None,
        "auth_jwt_secret",
        "Signs JWTs (HS256) and, through derived keys, sessions: 32 random bytes or more. Required in prod.",
        "AUTH_JWT_SECRET",
    )
    session_hours: float = _knob(12, "session_hours", "How long a login lasts.", gt=0, le=720)
    login_attempts: int = _knob(
        10,
        "login_attempts",
        "Failed logins of one name before each further one has to wait, 30 s and then twice as long each time; of one "
        "address ten times as many.",
        ge=1,
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
        "info", "run_log_level", "Least level of run logs: debug (every page, every wait), info, warning or error."
    )
    run_log_lines: int = _knob(
        2000,
        "run_log_lines",
        "Lines of one run's log; above it only warnings and errors are kept, up to as many again.",
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
        "Full User-Agent; its first word is the robots token. Unset builds it from the contact.",
        "AIDJOBS_CRAWLER_UA",
    )
    contact_url: str | None = _knob(
        None,
        "contact_url",
        "Page about this crawler, named in the User-Agent. Without a contact only hosts on this machine are fetched.",
    )
    contact_email: str | None = _knob(
        None,
        "contact_email",
        "Sent as the From header, and named in the User-Agent when there is no page about this crawler.",
        "AIDJOBS_CONTACT_EMAIL",
    )
    allow_hosts: str = _knob(
        "",
        "allow_hosts",
        "Comma-separated host:port, host or CIDR that the address guard allows (loopback origins, an intranet).",
    )

    min_delay_ms: int = _knob(3000, "min_delay_ms", "Least milliseconds between two requests to one host.", ge=0)
    max_concurrency: int = _knob(1, "max_concurrency", "Requests in flight at once to one host.", ge=1)
    max_pages: int = _knob(10, "max_pages", "Pages of one run, unless the host's policy says otherwise.", ge=1)
    max_page_kb: int = _knob(1024, "max_page_kb", "Decompressed kibibytes of one page.", ge=1)
    follow_redirects: bool = _knob(
        True, "follow_redirects", "Whether redirects of pages are followed.", "FETCHER_FOLLOW_REDIRECTS"
    )
    max_redirects: int = _knob(
        5, "max_redirects", "Redirects followed for one page.", "FETCHER_MAX_REDIRECTS", ge=0, le=20
    )
    robots_ttl_hours: float = _knob(12, "robots_ttl_hours", "How long a robots.txt is valid.", gt=0, le=24)
    robots_denied: Literal["allow", "refuse"] = _knob(
        "allow",
        "robots_denied",
        "What 401 or 403 for a robots.txt means: allow (no rules, as RFC 9309 says) or refuse (nothing is fetched).",
    )

    fetch_slots: int = _knob(512, "fetch_slots", "Requests in flight at once over all hosts.", ge=1)
    request_retries: int = _knob(2, "request_retries", "Retries of a request after a transient fault.", ge=0, le=5)
    page_retries: int = _knob(
        3, "page_retries", "Retries of a page within its run, not of a start page: after 1, 2, 4 … min.", ge=0, le=10
    )
    proxy_requests_per_hour: int = _knob(
        20,
        "proxy_requests_per_hour",
        "Requests per hour that one proxy should send to one host; used to advise how many proxies a host needs.",
        ge=1,
        le=100_000,
    )
    connect_timeout_seconds: float = _knob(10, "connect_timeout_seconds", "Time to connect, TLS included.", gt=0)
    read_timeout_seconds: float = _knob(20, "read_timeout_seconds", "Longest silence within a response.", gt=0)
    total_timeout_seconds: float = _knob(60, "total_timeout_seconds", "Time for one whole request.", gt=0)

    parse_workers: int = _knob(1, "parse_workers", "Processes that parse pages.", ge=1)
    parse_timeout_seconds: float = _knob(
        20, "parse_timeout_seconds", "After this long a parser process is killed and its page fails.", gt=0
    )

    chromium: str | None = _knob(
        None, "chromium", "The browser for hosts that allow scripts; unset looks for Chromium on the PATH."
    )
    render_seconds: float = _knob(
        60, "render_seconds", "After this long a page in the browser fails and the browser is killed.", gt=0
    )

    proxies_enabled: bool = _knob(
        False,
        "proxies_enabled",
        "Whether hosts without proxies of their own use those of LAMPLIGHTER_PROXY_URLS.",
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
        "only: hosts with proxies are fetched through them or not at all. prefer: directly while none is usable. "
        "A host's policy overrides it.",
    )

    policy: Literal["fixed", "yield_days", "hash_backoff", "priority", "learned"] = _knob(
        "learned", "policy", "The scheduling policy where neither the source nor a tag sets one."
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
        "Fetches per hour over all hosts; unset uses what the sources' own intervals would need.",
        gt=0,
    )
    host_budget_per_hour: float | None = _knob(
        None, "host_budget_per_hour", "Fetches per hour of one host, unless its policy says otherwise.", gt=0
    )
    reprice_minutes: float = _knob(60, "reprice_minutes", "How often the fetch budget is redistributed.", gt=0)
    max_open_runs: int = _knob(256, "max_open_runs", "Parallel runs.", ge=1)
    runs_per_host: int = _knob(4, "runs_per_host", "Parallel runs whose start page is on one host.", ge=1)
    poll_seconds: float = _knob(10, "poll_seconds", "How often the scheduler checks for due jobs.", gt=0)
    reconcile_minutes: float = _knob(
        5, "reconcile_minutes", "How often every crawl job is compared with its source.", gt=0
    )
    stale_minutes: float = _knob(5, "stale_minutes", "A run without a heartbeat for this long is checked.", gt=0)
    metrics_seconds: float = _knob(
        30, "metrics_seconds", "How often the scheduler's figures and the gauges of /metrics are updated.", gt=0
    )
    metrics_public: bool = _knob(
        False,
        "metrics_public",
        "Whether clients of the port itself may read /metrics without a login; through a proxy it needs a viewer.",
    )
    status_page: bool = _knob(
        False,
        "status_page",
        "Whether /status shows everybody, without a login, which sources are watched and how fresh their data is.",
    )
    metrics_port: int | None = _knob(
        None, "metrics_port", "Port on which a worker serves /metrics and /health; unset serves none.", ge=1, le=65535
    )
    metrics_sources: int = _knob(
        200,
        "metrics_sources",
        "Sources that /metrics names in one process; the rest are counted together as other.",
        ge=0,
        le=10_000,
    )
    lease_seconds: float = _knob(
        30, "lease_seconds", "How long a worker holds a host or page without a heartbeat.", gt=0
    )
    run_deadline_minutes: float = _knob(
        60, "run_deadline_minutes", "After this long a run is ended with what it has.", gt=0
    )
    feed_discovery_enabled: bool = _knob(
        False,
        "feed_discovery_enabled",
        "Whether feeds that start pages announce are remembered as feeds of their sources.",
        "CRAWLER_FEED_DISCOVERY_ENABLED",
    )
    feed_poll_enabled: bool = _knob(
        False,
        "feed_poll_enabled",
        "Whether the feeds of sources are polled between runs; a new entry moves the next run forward.",
        "CRAWLER_FEED_POLL_ENABLED",
    )
    feed_poll_minutes: float = _knob(
        15, "feed_poll_minutes", "The least time between two polls of a feed; its own ttl may make it longer.", gt=0
    )
    grace_seconds: float = _knob(10, "grace_seconds", "Time to finish requests in flight when asked to stop.", gt=0)
    manual_jobs: bool = _knob(
        True, "manual_jobs", "Whether crawl jobs may be created by hand; false answers such calls with 410."
    )
    disable_scheduler: bool = _knob(
        False, "disable_scheduler", "Do not open runs automatically.", "AIDJOBS_DISABLE_SCHEDULER"
    )
    demo_past_days: float = _knob(
        42,
        "demo_past_days",
        "Days of history that `serve --demo` makes in advance when it first starts, on SQLite; 0 makes none.",
        ge=0,
        le=90,
    )
    crash_at: str | None = _knob(None, "crash_at", "For tests: die with SIGKILL at this point.")
