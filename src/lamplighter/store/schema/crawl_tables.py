"""The tables for crawling: jobs, their runs and logs, and what scheduling has learnt."""

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.types import BigId, Json

crawl_jobs = columns.table(
    "crawl_jobs",
    columns.id_(),
    columns.public_id(),
    columns.ref("source_id", "sources.id"),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("pause_reason", sa.String(20)),
    columns.time("state_since"),
    sa.Column("auto_managed", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("override", Json),
    columns.time("deleted_at"),
    # its source is neither deleted nor implicit; a trigger sets it, and tallies count by it
    sa.Column("source_is_shown", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("max_retries", sa.Integer, nullable=False, server_default="3"),
    sa.Column("retry_backoff_seconds", sa.Integer, nullable=False, server_default="60"),
    sa.Column("metadata", Json),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("host_id", BigId),
    sa.Column("recurring", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("interval_seconds", sa.BigInteger, nullable=False),
    sa.Column("pace_seconds", sa.BigInteger),
    # start of the latest run that ended and was not cancelled; NULL before the first
    columns.time("last_run_at"),
    # how that run ended, and whether it found so little that the extractor may be broken; NULL before the first
    sa.Column("last_outcome", sa.String(10)),
    sa.Column("last_drifted", sa.Boolean, nullable=False, server_default=sa.false()),
    # what its latest run advises; NULL for nothing
    sa.Column("last_advice", sa.String(20)),
    columns.time("next_run_at"),
    sa.Column("next_run_reason", Json),
    columns.time("held_since"),
    # its queue among the due jobs: the value lost with every hour that it waits, as a power of two
    sa.Column("urgency", sa.Integer, nullable=False, server_default="0"),
    columns.time("moved_at"),
    columns.time("resume_at"),
    columns.count("retry_count"),
    columns.count("failure_count"),
    # for notifications: runs in a row that failed (retries count), and that the site blocked; old runs are deleted
    columns.count("failed_runs"),
    columns.count("turned_away_runs"),
    # when the first complete run ended, for notifications of news; NULL before
    columns.time("baseline_at"),
    columns.count("unchanged_count"),
    columns.time("backoff_until"),
    columns.count("run_count"),
    sa.Column("cost", sa.Float, nullable=False, server_default="1"),
    # the change rate learnt from visits; NULL before the first (see model.schedule.Learnt)
    sa.Column("belief_a", sa.Float),
    sa.Column("belief_b", sa.Float),
    # what was believed before the second visit, and whether these beliefs are about felt hours or plain ones
    sa.Column("prior_a", sa.Float),
    sa.Column("prior_b", sa.Float),
    sa.Column("is_felt", sa.Boolean, nullable=False, server_default=sa.true()),
    # for neighbours: changes seen, and hours observed as these beliefs count them
    *map(columns.amount, ("evidence_changes", "evidence_hours")),
    *map(columns.amount, ("signal", "rise", "fall")),
    columns.count("visit_count"),
    columns.count("change_count"),
    columns.time("visited_at"),
    columns.time("changed_at"),
    *map(columns.amount, ("watched_hours", "expected_stale_hours", "seen_stale_hours")),
    *map(columns.amount, ("page_changes", "page_hours")),
    columns.time("created_at", nullable=False),
    columns.time("updated_at", nullable=False),
    sa.UniqueConstraint("source_id"),
    columns.partial_index(
        "ix_crawl_jobs_queue", "urgency", "next_run_at", "host_id", where="state IN ('pending', 'scheduled')"
    ),
    # for the load of the coming day, and the number of due jobs
    columns.partial_index("ix_crawl_jobs_planned", "next_run_at", where="state IN ('pending', 'scheduled')"),
    sa.Index("ix_crawl_jobs_host", "host_id"),
    # for sorted lists
    # with every column that gives a source's status, so that sources are counted without reading a job
    sa.Index("ix_crawl_jobs_state", "state", "id", "pause_reason", "source_id"),
    sa.Index("ix_crawl_jobs_next_run", "next_run_at", "id"),
    sa.Index("ix_crawl_jobs_last_run", "last_run_at", "id"),
    sa.Index("ix_crawl_jobs_created", "created_at", "id"),
    # jobs with an override
    columns.partial_index("ix_crawl_jobs_override", "source_id", where="override IS NOT NULL"),
    columns.partial_index("ix_crawl_jobs_held", "held_since", where="held_since IS NOT NULL"),
    columns.partial_index("ix_crawl_jobs_resume", "resume_at", where="state = 'paused'"),
    # jobs that failed, are retried or were paused by automation; statements use the same order of conditions.
    # With every column that is counted and sorted by, so that no job is read.
    columns.partial_index(
        *("ix_crawl_jobs_unwell", "source_id", "state", "pause_reason", "failure_count", "retry_count", "deleted_at"),
        where="failure_count > 0 OR retry_count > 0 OR pause_reason IN ('breaker', 'robots', 'takedown') "
        "OR state IN ('failed')",
    ),
    # jobs whose latest run ended with a warning or failed; most of them are not in the index above
    columns.partial_index(
        *("ix_crawl_jobs_complained", "source_id", "last_drifted", "last_outcome"),
        *("state", "pause_reason", "failure_count", "retry_count", "deleted_at"),
        where="last_outcome IN ('warn', 'fail')",
    ),
    # jobs whose latest run advises something
    columns.partial_index("ix_crawl_jobs_advised", "source_id", "last_advice", where="last_advice IS NOT NULL"),
    # all jobs by priority, and the freshness of their copies, without reading a job
    sa.Index("ix_crawl_jobs_figures", "priority", "watched_hours", "expected_stale_hours", "seen_stale_hours"),
)

crawl_runs = columns.table(
    "crawl_runs",
    columns.id_(),
    columns.public_id(),
    columns.ref("job_id", "crawl_jobs.id"),
    columns.ref("source_id", "sources.id"),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("trigger", sa.String(20), nullable=False),
    columns.time("started_at", nullable=False),
    columns.time("deadline_at", nullable=False),
    columns.time("heartbeat_at"),
    columns.time("finished_at"),
    sa.Column("outcome", sa.String(10)),
    sa.Column("message", sa.Text),
    sa.Column("page_budget", sa.Integer, nullable=False),
    columns.count("page_count"),
    *map(columns.count, ("pages_fetched", "pages_unchanged", "pages_refused", "pages_failed", "pages_changed")),
    columns.count("revisit_changes"),
    columns.amount("revisit_hours"),
    *map(columns.count, ("records_found", "records_inserted", "records_updated", "records_unchanged")),
    *map(columns.count, ("records_skipped", "records_failed", "empty_titles")),
    sa.Column("records_shown", sa.Integer),
    sa.Column("has_drifted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("bytes_fetched", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("figures", Json),
    # lines written to its log, including those no longer kept
    columns.count("log_lines"),
    sa.UniqueConstraint("job_id", "number"),
    sa.Index("ix_crawl_runs_source", "source_id", "started_at"),
    sa.Index("ix_crawl_runs_started", "started_at"),
    columns.partial_index("ix_crawl_runs_open", "deadline_at", where="finished_at IS NULL"),
    columns.partial_index("ix_crawl_runs_open_job", "job_id", where="finished_at IS NULL"),
)

# totals of the runs that began in an hour; written when all of them have ended, and kept when the runs are deleted
run_hours = columns.table(
    "run_hours",
    # hours since 1970, UTC
    sa.Column("hour", sa.Integer, primary_key=True, autoincrement=False),
    *map(columns.count, ("runs", "ok", "failed")),
    sa.Column("pages", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("records", sa.BigInteger, nullable=False, server_default="0"),
    # pages and records by outcome, and bytes; NULL for hours written before the columns existed
    *(sa.Column(name, sa.BigInteger) for name in ("pages_fetched", "pages_unchanged", "pages_failed", "pages_refused")),
    *(sa.Column(name, sa.BigInteger) for name in ("records_inserted", "records_updated", "records_unchanged")),
    sa.Column("bytes_fetched", sa.BigInteger),
)

# what no other table keeps over time: one row for every five minutes, kept for 90 days
samples = columns.table(
    "samples",
    # five minutes each, counted from 1970
    sa.Column("step", sa.Integer, primary_key=True, autoincrement=False),
    # pages that wait, and due jobs
    *map(columns.count, ("to_fetch", "to_parse", "due")),
    # shares of the watched time; NULL without any
    *(sa.Column(name, sa.Float) for name in ("expected_staleness", "measured_staleness")),
    # fetches; NULL while the budget was not distributed yet
    sa.Column("budget_per_hour", sa.Float),
)

run_log_lines = columns.table(
    "run_log_lines",
    columns.id_(),
    columns.ref("run_id", "crawl_runs.id"),
    columns.time("at", nullable=False),
    sa.Column("level", sa.String(10), nullable=False),
    sa.Column("category", sa.String(20), nullable=False),
    sa.Column("action", sa.String(40)),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("url", sa.Text),
    sa.Column("fields", Json),
    sa.Index("ix_run_log_lines_run", "run_id", "id"),
)

# one row: what a fetch is worth in this installation
pricing = columns.table(
    "pricing",
    columns.id_(),
    # stale hours that a fetch must save
    sa.Column("price", sa.Float),
    # fetches that the budget paid for and that were not made
    sa.Column("owed", sa.Float, nullable=False, server_default="0"),
    sa.Column("figures", Json),
    columns.time("solved_at"),
    columns.time("budget_free_at"),
)

# how busy hosts with several sources are: a factor on the change rates of their sources, by time
host_activity = columns.table(
    "host_activity",
    sa.Column("host_id", BigId, sa.ForeignKey("hosts.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    columns.time("looked_at", nullable=False),
    columns.time("began_at", nullable=False),
    sa.Column("bin_seconds", sa.Float, nullable=False),
    # a factor for each bin
    sa.Column("levels", Json, nullable=False),
    # log-likelihood by which it predicts better than no such factor
    sa.Column("gain", sa.Float, nullable=False),
)

# similar sources: what is known of all of them gives the prior of a new one
cohorts = columns.table(
    "cohorts",
    sa.Column("key", sa.String(100), primary_key=True),
    sa.Column("changes", sa.Float, nullable=False),
    sa.Column("hours", sa.Float, nullable=False),
    sa.Column("by_hour", Json, nullable=False),
    sa.Column("has_rhythm", sa.Boolean, nullable=False),
    # the prior that predicted best: its shape, and whether hours are felt
    sa.Column("shape", sa.Float, nullable=False, server_default="0.6"),
    sa.Column("is_felt", sa.Boolean, nullable=False, server_default=sa.true()),
    columns.time("updated_at", nullable=False),
)
