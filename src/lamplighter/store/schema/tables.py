"""All tables, one per noun of the glossary. Times are UTC; durations end in _ms or _seconds.

A column means what the field of the same name means in `model` or in the store's own types, and NULL what None means
there; comments say what no field says.
"""

# The other modules import every table from here.
# ruff: noqa: F401
# mypy: implicit-reexport

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.access_tables import api_tokens, ended_sessions, secrets, source_cookies, users
from lamplighter.store.schema.archive_tables import bodies, page_versions
from lamplighter.store.schema.columns import metadata
from lamplighter.store.schema.crawl_tables import (
    cohorts,
    crawl_jobs,
    crawl_runs,
    host_activity,
    pricing,
    run_hours,
    run_log_lines,
    samples,
)
from lamplighter.store.schema.fleet_tables import changed_settings, crawl_pause, instances, leads, upkeep
from lamplighter.store.schema.host_tables import hosts, proxies, proxy_standings, proxy_trials, robots_files, takedowns
from lamplighter.store.schema.notice_tables import (
    alerts,
    notices,
    notification_channels,
    notification_rules,
    notifications,
    problem_snoozes,
)
from lamplighter.store.schema.record_tables import (
    change_marks,
    change_readers,
    change_sets,
    index_outbox,
    index_state,
    record_changes,
    records,
    sightings,
    tombstones,
)
from lamplighter.store.schema.tally_tables import job_tallies, run_tallies, source_tallies
from lamplighter.store.schema.types import BigId, Json

# ── sources ──────────────────────────────────────────────────────────────────────────────────────────────────────────

sources = columns.table(
    "sources",
    columns.id_(),
    columns.public_id(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("url", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.String(20)),
    sa.Column("recipe", Json, nullable=False),
    sa.Column("max_depth", sa.Integer, nullable=False),
    sa.Column("max_pages", sa.Integer),
    sa.Column("interval_seconds", sa.BigInteger),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("recurring", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("policy", sa.String(20)),
    sa.Column("min_interval_seconds", sa.BigInteger),
    sa.Column("max_interval_seconds", sa.BigInteger),
    sa.Column("windows", Json, nullable=False, server_default="[]"),
    sa.Column("country", sa.String(2)),
    sa.Column("organisation_type", sa.String(20)),
    sa.Column("min_delay_ms", sa.Integer),
    sa.Column("is_implicit", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("disabled_reason", sa.Text),
    columns.time("disabled_at"),
    sa.Column("disabled_by", sa.Text),
    # deleted, but kept with all its records until an operator purges or restores it
    columns.time("deleted_at"),
    columns.time("created_at", nullable=False),
    columns.time("updated_at", nullable=False),
    sa.Index("ix_sources_created", "created_at", "id"),
    # with the columns by which lists filter, so that only rows that are shown are read
    sa.Index("ix_sources_name", "name", "id", "is_implicit", "deleted_at"),
    sa.Index("ix_sources_priority", "priority", "id"),
    sa.Index("ix_sources_updated", "updated_at", "id"),
    # sources are counted from this index alone: rows are wide, and SQLite would read each even for the condition
    columns.partial_index(
        "ix_sources_listed", "id", "is_implicit", "deleted_at", "enabled", where="deleted_at IS NULL"
    ),
    columns.partial_index("ix_sources_deleted", "id", where="deleted_at IS NOT NULL"),
    columns.windows_index("ix_sources_windows", "name"),
)

source_tags = columns.table(
    "source_tags",
    columns.ref("source_id", "sources.id"),
    sa.Column("tag", sa.String(100), nullable=False),
    sa.PrimaryKeyConstraint("source_id", "tag"),
    sa.Index("ix_source_tags_sources", "tag", "source_id"),
)

# where the lists of a source's pages are, by the pages' template
list_positions = columns.table(
    "list_positions",
    columns.ref("source_id", "sources.id"),
    sa.Column("template", sa.Text, nullable=False),
    sa.Column("grouped_by", sa.String(20), nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("links", sa.Text, nullable=False),
    sa.Column("sure", sa.Float, nullable=False),
    sa.Column("edition", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("source_id", "template"),
)

# what sources with a tag inherit
tags = columns.table(
    "tags",
    sa.Column("tag", sa.String(100), primary_key=True),
    sa.Column("policy", sa.String(20)),
    sa.Column("interval_seconds", sa.BigInteger),
    sa.Column("min_interval_seconds", sa.BigInteger),
    sa.Column("max_interval_seconds", sa.BigInteger),
    sa.Column("windows", Json),
    sa.Column("max_pages", sa.Integer),
    columns.time("updated_at", nullable=False),
)

# ── pages ────────────────────────────────────────────────────────────────────────────────────────────────────────────

pages = columns.table(
    "pages",
    columns.id_(),
    columns.ref("source_id", "sources.id"),
    # the page's current or latest run
    columns.ref("run_id", "crawl_runs.id", nullable=True, on_delete="SET NULL"),
    columns.ref("host_id", "hosts.id"),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("url_key", sa.String(64), nullable=False),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("depth", sa.Integer, nullable=False),
    # order within its host, lowest first: by priority, then depth
    sa.Column("rank", sa.Integer, nullable=False),
    # the page on which this one was found
    sa.Column("found_on", BigId),
    columns.count("hops"),
    sa.Column("phase", sa.String(12), nullable=False),
    # not before this; NULL means at once
    columns.time("due_at"),
    columns.count("retry_count"),
    sa.Column("max_retries", sa.Integer),
    # parse lease, and how often a reader died on it
    sa.Column("lease_owner", sa.String(100)),
    columns.time("lease_until"),
    columns.count("crash_count"),
    # the last response
    sa.Column("status", sa.Integer),
    sa.Column("etag", sa.Text),
    sa.Column("last_modified", sa.Text),
    sa.Column("content_type", sa.Text),
    sa.Column("robots_tag", sa.Text),
    sa.Column("usage", sa.Text),
    sa.Column("size_bytes", sa.BigInteger),
    sa.Column("took_ms", sa.Integer),
    columns.time("fetched_at"),
    # when fetching it last failed, even if it was fetched since
    columns.time("failed_at"),
    # when the request was sent that is in flight; NULL without one, or for its first moments
    columns.time("requested_at"),
    # since when a reader parses it; NULL while none does, or for the first moments
    columns.time("parsing_since"),
    columns.time("fresh_until"),
    # the proxy of the last request; NULL when direct
    sa.Column("proxy_id", BigId),
    # the robots line that allowed the last request
    sa.Column("robots_rule", sa.Text),
    sa.Column("body_hash", sa.String(64)),
    # the archive's key of that body
    sa.Column("body_key", sa.Text),
    # hash of the content that a person would notice; NULL until the page was parsed
    sa.Column("content_hash", sa.String(64)),
    sa.Column("seen_hash", sa.String(64)),
    columns.time("changed_at"),
    # the change rate learnt from visits; NULL before the second
    sa.Column("belief_a", sa.Float),
    sa.Column("belief_b", sa.Float),
    # end of the revisit delay: a link alone does not have it fetched before this
    columns.time("rest_until"),
    columns.time("links_due_at"),
    columns.count("missing_count"),
    sa.Column("redirected_to", sa.Text),
    # why it was refused or failed: a stable word, and a sentence
    sa.Column("reason", sa.String(40)),
    sa.Column("detail", sa.Text),
    columns.time("created_at", nullable=False),
    sa.UniqueConstraint("source_id", "url_key"),
    columns.partial_index("ix_pages_in_turn", "host_id", "rank", "run_id", "id", where="phase = 'pending'"),
    columns.partial_index("ix_pages_downloaded", "id", where="phase = 'downloaded'"),
    # includes the phase so that SQLite prefers it to ix_pages_run, which would read all pages of the run
    columns.partial_index("ix_pages_open", "run_id", "phase", where="phase IN ('pending', 'downloaded')"),
    columns.partial_index("ix_pages_seeds", "source_id", where="role IN ('seed')"),
    columns.partial_index("ix_pages_listings", "source_id", where="role IN ('listing')"),
    columns.partial_index("ix_pages_failed", "source_id", where="phase IN ('failed')"),
    # includes the hops so that SQLite prefers it to ix_pages_run
    columns.partial_index("ix_pages_redirected", "run_id", "hops", where="redirected_to IS NOT NULL"),
    # for lists by host, and by reason of failure
    sa.Index("ix_pages_host", "host_id", "id"),
    columns.partial_index("ix_pages_reason", "reason", "id", where="reason IS NOT NULL"),
    sa.Index("ix_pages_run", "run_id"),
    sa.Index("ix_pages_url", "url_key"),
    sa.Index("ix_pages_found_on", "found_on"),
)

# tasks: submitted pages, with their own priority and interval
page_orders = columns.table(
    "page_orders",
    sa.Column("page_id", BigId, sa.ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("priority", sa.Integer, nullable=False),
    # as it was given; a task that recurs is fetched again after this
    sa.Column("frequency_seconds", sa.BigInteger),
    sa.Column("is_recurring", sa.Boolean, nullable=False, server_default=sa.false()),
    # when its latest fetch was due, and when the next is; NULL while it is in a run, or never again
    columns.time("scheduled_at", nullable=False),
    columns.time("next_at"),
    columns.count("visit_count"),
    sa.Column("created_by", sa.Text, nullable=False),
    # the task for which it was submitted, the batch with which, and the notification channel of its webhook
    sa.Column("parent_page_id", BigId),
    sa.Column("batch_id", sa.String(36)),
    sa.Column("channel_id", BigId),
    columns.partial_index("ix_page_orders_batch", "batch_id", where="batch_id IS NOT NULL"),
    columns.partial_index("ix_page_orders_due", "next_at", where="next_at IS NOT NULL"),
)

# ── events and the audit log ─────────────────────────────────────────────────────────────────────────────────────────

events = columns.table(
    "events",
    columns.id_(),
    sa.Column("event_id", sa.String(36), nullable=False, unique=True),
    sa.Column("type", sa.String(40), nullable=False),
    sa.Column("source_id", BigId),
    # the source's public id, even when it is deleted or never was ours
    sa.Column("source_public_id", sa.String(36)),
    sa.Column("payload", Json, nullable=False),
    columns.time("created_at", nullable=False),
    # written by another program, read from the stream
    sa.Column("is_foreign", sa.Boolean, nullable=False, server_default=sa.false()),
    # when it was published to the stream, and its id there; NULL without a stream
    columns.time("published_at"),
    sa.Column("stream_id", sa.String(50)),
    columns.time("delivered_at"),
    # the result: success, error, duplicate or ignored; how long it took and how often it was tried
    sa.Column("result", sa.String(10)),
    sa.Column("detail", sa.Text),
    sa.Column("took_ms", sa.Float),
    columns.count("try_count"),
    sa.Index("ix_events_about", "source_public_id", "id"),
    columns.partial_index("ix_events_outbox", "id", where="delivered_at IS NULL"),
    columns.partial_index("ix_events_unpublished", "id", where="delivered_at IS NULL AND published_at IS NULL"),
    columns.partial_index("ix_events_published", "published_at", where="delivered_at IS NULL"),
    columns.partial_index("ix_events_in_vain", "id", where="result IN ('error')"),
)

receipts = columns.table(
    "receipts",
    sa.Column("event_id", sa.String(36), primary_key=True),
    columns.time("processed_at", nullable=False),
    sa.Index("ix_receipts_processed", "processed_at"),
)

audit_log = columns.table(
    "audit_log",
    columns.id_(),
    columns.time("at", nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.String(60), nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    # the values before and after the change; NULL where there are none
    sa.Column("before", Json),
    sa.Column("after", Json),
    sa.Index("ix_audit_log_subject", "subject", "id"),
)
