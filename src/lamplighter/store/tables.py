"""The tables, one per noun of the glossary. Times are UTC; durations end in _ms or _seconds."""

import sqlalchemy as sa

from lamplighter.store.types import BigId, Json, UtcTime

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def _id() -> sa.Column[int]:
    return sa.Column("id", BigId, primary_key=True, autoincrement=True)


def _public_id() -> sa.Column[str]:
    return sa.Column("public_id", sa.String(36), nullable=False, unique=True)


def _ref(name: str, target: str, *, nullable: bool = False, on_delete: str = "CASCADE") -> sa.Column[int]:
    return sa.Column(name, BigId, sa.ForeignKey(target, ondelete=on_delete), nullable=nullable)


def _time(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, UtcTime, nullable=nullable)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, server_default="0")


def _partial_index(name: str, *columns: object, where: str) -> sa.Index:
    return sa.Index(name, *columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))  # type: ignore[arg-type]


# ── what to watch ────────────────────────────────────────────────────────────────────────────────────────────────────

sources = sa.Table(
    "sources",
    metadata,
    _id(),
    _public_id(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("url", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.String(20)),
    sa.Column("recipe", Json, nullable=False),
    sa.Column("max_depth", sa.Integer, nullable=False),
    # NULL leaves the page budget of a run to the host's policy
    sa.Column("max_pages", sa.Integer),
    sa.Column("interval_seconds", sa.BigInteger, nullable=False),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    _time("created_at", nullable=False),
    _time("updated_at", nullable=False),
)

source_tags = sa.Table(
    "source_tags",
    metadata,
    _ref("source_id", "sources.id"),
    sa.Column("tag", sa.String(100), nullable=False),
    sa.PrimaryKeyConstraint("source_id", "tag"),
    sa.Index("ix_source_tags_tag", "tag"),
)

crawl_jobs = sa.Table(
    "crawl_jobs",
    metadata,
    _id(),
    _public_id(),
    _ref("source_id", "sources.id"),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("pause_reason", sa.String(20)),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("interval_seconds", sa.BigInteger, nullable=False),
    _time("next_run_at"),
    sa.Column("next_run_reason", Json),
    # when automation resumes what automation paused (robots, breaker)
    _time("resume_at"),
    _count("failure_count"),
    _count("unchanged_count"),
    _time("backoff_until"),
    _count("run_count"),
    _time("created_at", nullable=False),
    _time("updated_at", nullable=False),
    sa.UniqueConstraint("source_id"),
    _partial_index("ix_crawl_jobs_due", "next_run_at", where="state IN ('pending', 'scheduled')"),
    _partial_index("ix_crawl_jobs_resume", "resume_at", where="state = 'paused'"),
)

crawl_runs = sa.Table(
    "crawl_runs",
    metadata,
    _id(),
    _public_id(),
    _ref("job_id", "crawl_jobs.id"),
    _ref("source_id", "sources.id"),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("trigger", sa.String(20), nullable=False),
    _time("started_at", nullable=False),
    _time("deadline_at", nullable=False),
    _time("finished_at"),
    sa.Column("outcome", sa.String(10)),
    sa.Column("message", sa.Text),
    # pages this run may ask for, and has taken on
    sa.Column("page_budget", sa.Integer, nullable=False),
    _count("page_count"),
    _count("pages_fetched"),
    _count("pages_unchanged"),
    _count("pages_refused"),
    _count("pages_failed"),
    # of the pages fetched, how many read differently from the last time
    _count("pages_changed"),
    _count("records_found"),
    _count("records_inserted"),
    _count("records_updated"),
    _count("records_unchanged"),
    _count("records_skipped"),
    sa.Column("bytes_fetched", sa.BigInteger, nullable=False, server_default="0"),
    sa.UniqueConstraint("job_id", "number"),
    sa.Index("ix_crawl_runs_source", "source_id", "started_at"),
    _partial_index("ix_crawl_runs_open", "deadline_at", where="finished_at IS NULL"),
)

run_log_lines = sa.Table(
    "run_log_lines",
    metadata,
    _id(),
    _ref("run_id", "crawl_runs.id"),
    _time("at", nullable=False),
    sa.Column("level", sa.String(10), nullable=False),
    # lifecycle, fetch, robots, parse, record …
    sa.Column("category", sa.String(20), nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("url", sa.Text),
    sa.Index("ix_run_log_lines_run", "run_id", "id"),
)

# ── whom to ask, and how gently ──────────────────────────────────────────────────────────────────────────────────────

hosts = sa.Table(
    "hosts",
    metadata,
    _id(),
    sa.Column("key", sa.String(300), nullable=False, unique=True),
    # the operator's policy; NULL takes the installation's default
    sa.Column("max_concurrency", sa.Integer),
    sa.Column("min_delay_ms", sa.Integer),
    sa.Column("max_pages", sa.Integer),
    sa.Column("max_page_kb", sa.Integer),
    # learnt from the site
    sa.Column("crawl_delay_ms", sa.BigInteger),
    sa.Column("learnt_delay_ms", sa.BigInteger, nullable=False, server_default="0"),
    _count("failure_count"),
    _time("blocked_until"),
    sa.Column("block_reason", sa.Text),
    # the turn
    _time("free_at"),
    # when the host should next be looked at; NULL while it has no pending page
    _time("due_at"),
    sa.Column("lease_owner", sa.String(100)),
    sa.Column("lease_token", sa.BigInteger, nullable=False, server_default="0"),
    _time("lease_until"),
    _time("updated_at", nullable=False),
    _partial_index("ix_hosts_due", "due_at", where="due_at IS NOT NULL"),
)

robots_files = sa.Table(
    "robots_files",
    metadata,
    # scheme://host[:port]: each may have its own
    sa.Column("origin", sa.String(320), primary_key=True),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("detail", sa.Text),
    _count("failure_count"),
    _time("fetched_at", nullable=False),
    _time("expires_at", nullable=False),
)

takedowns = sa.Table(
    "takedowns",
    metadata,
    sa.Column("domain_or_url", sa.Text, primary_key=True),
    sa.Column("reason", sa.Text),
    _time("created_at", nullable=False),
)

proxies = sa.Table(
    "proxies",
    metadata,
    _id(),
    sa.Column("protocol", sa.String(10), nullable=False),
    sa.Column("address", sa.String(255), nullable=False),
    sa.Column("port", sa.Integer, nullable=False),
    sa.Column("username", sa.Text),
    sa.Column("encrypted_password", sa.LargeBinary),
    sa.Column("country_code", sa.String(2)),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("max_requests_per_hour", sa.Integer, nullable=False, server_default="1000"),
    _time("created_at", nullable=False),
    _time("updated_at", nullable=False),
)

proxy_standings = sa.Table(
    "proxy_standings",
    metadata,
    _ref("host_id", "hosts.id"),
    _ref("proxy_id", "proxies.id"),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("priority", sa.Integer, nullable=False, server_default="50"),
    # in a row, and ever
    _count("failure_count"),
    _count("failure_total"),
    _count("success_total"),
    sa.Column("average_took_ms", sa.Float),
    _time("last_used_at"),
    _time("quarantined_until"),
    sa.PrimaryKeyConstraint("host_id", "proxy_id"),
)

# ── what was asked for and found ─────────────────────────────────────────────────────────────────────────────────────

pages = sa.Table(
    "pages",
    metadata,
    _id(),
    _ref("source_id", "sources.id"),
    # the run the page is in, or was last in
    _ref("run_id", "crawl_runs.id", nullable=True, on_delete="SET NULL"),
    _ref("host_id", "hosts.id"),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("url_key", sa.String(64), nullable=False),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("depth", sa.Integer, nullable=False),
    # order within its host, lowest first: by priority, then depth
    sa.Column("rank", sa.Integer, nullable=False),
    # the page on which this one was found
    sa.Column("found_on", BigId),
    _count("hops"),
    sa.Column("phase", sa.String(12), nullable=False),
    # not before this; NULL means at once
    _time("due_at"),
    _count("retry_count"),
    # parse lease, and how often a reader died on it
    sa.Column("lease_owner", sa.String(100)),
    _time("lease_until"),
    _count("crash_count"),
    # the last answer
    sa.Column("status", sa.Integer),
    sa.Column("etag", sa.Text),
    sa.Column("last_modified", sa.Text),
    sa.Column("content_type", sa.Text),
    sa.Column("robots_tag", sa.Text),
    sa.Column("size_bytes", sa.BigInteger),
    sa.Column("took_ms", sa.Integer),
    _time("fetched_at"),
    _time("fresh_until"),
    # the robots line that allowed the last request
    sa.Column("robots_rule", sa.Text),
    sa.Column("body_hash", sa.String(64)),
    # where the archive keeps that body
    sa.Column("body_key", sa.Text),
    # what a reader would notice; NULL until the page was read
    sa.Column("content_hash", sa.String(64)),
    _time("changed_at"),
    sa.Column("redirected_to", sa.Text),
    # why it was refused or failed: a stable word, and a sentence
    sa.Column("reason", sa.String(40)),
    sa.Column("detail", sa.Text),
    _time("created_at", nullable=False),
    sa.UniqueConstraint("source_id", "url_key"),
    _partial_index("ix_pages_frontier", "host_id", "rank", "id", where="phase = 'pending'"),
    _partial_index("ix_pages_downloaded", "id", where="phase = 'downloaded'"),
    # the phase stands in it so that SQLite prefers it to ix_pages_run, which would walk all pages of the run
    _partial_index("ix_pages_open", "run_id", "phase", where="phase IN ('pending', 'downloaded')"),
    _partial_index("ix_pages_seeds", "source_id", where="role IN ('seed')"),
    _partial_index("ix_pages_redirects", "run_id", where="redirected_to IS NOT NULL"),
    sa.Index("ix_pages_run", "run_id"),
    sa.Index("ix_pages_url", "url_key"),
    sa.Index("ix_pages_found_on", "found_on"),
)

records = sa.Table(
    "records",
    metadata,
    _id(),
    _public_id(),
    _ref("source_id", "sources.id"),
    _ref("page_id", "pages.id", nullable=True, on_delete="SET NULL"),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("canonical_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("content_hash", sa.String(64), nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("organisation", sa.Text),
    sa.Column("location_raw", sa.Text),
    sa.Column("country_iso", sa.String(2)),
    sa.Column("deadline", sa.Date),
    _time("published_at"),
    _time("updated_at"),
    sa.Column("description", sa.Text),
    sa.Column("language", sa.String(20)),
    sa.Column("tags", Json, nullable=False),
    sa.Column("fields", Json, nullable=False),
    sa.Column("provenance", Json, nullable=False),
    sa.Column("quality", sa.Float, nullable=False),
    _time("first_seen_at", nullable=False),
    _time("last_seen_at", nullable=False),
    sa.Index("ix_records_source", "source_id", "id"),
    sa.Index("ix_records_page", "page_id"),
)

# ── facts to pass on ─────────────────────────────────────────────────────────────────────────────────────────────────

events = sa.Table(
    "events",
    metadata,
    _id(),
    sa.Column("event_id", sa.String(36), nullable=False, unique=True),
    sa.Column("type", sa.String(40), nullable=False),
    sa.Column("source_id", BigId),
    sa.Column("payload", Json, nullable=False),
    _time("created_at", nullable=False),
    _time("delivered_at"),
    _partial_index("ix_events_outbox", "id", where="delivered_at IS NULL"),
)

receipts = sa.Table(
    "receipts",
    metadata,
    sa.Column("event_id", sa.String(36), primary_key=True),
    _time("processed_at", nullable=False),
    sa.Index("ix_receipts_processed", "processed_at"),
)

index_outbox = sa.Table(
    "index_outbox",
    metadata,
    _id(),
    _ref("record_id", "records.id"),
    sa.Column("action", sa.String(10), nullable=False),
    _count("try_count"),
    _time("due_at", nullable=False),
    sa.Column("detail", sa.Text),
)

webhook_outbox = sa.Table(
    "webhook_outbox",
    metadata,
    _id(),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("payload", Json, nullable=False),
    _count("try_count"),
    _time("due_at", nullable=False),
    sa.Column("detail", sa.Text),
)

audit_log = sa.Table(
    "audit_log",
    metadata,
    _id(),
    _time("at", nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.String(60), nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("detail", Json),
)
