"""The tables about crawling: standing orders, their runs, and what scheduling has learnt."""

import sqlalchemy as sa

from lamplighter.store import columns
from lamplighter.store.columns import metadata
from lamplighter.store.types import BigId, Json

crawl_jobs = sa.Table(
    "crawl_jobs",
    metadata,
    columns.id_(),
    columns.public_id(),
    columns.ref("source_id", "sources.id"),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("pause_reason", sa.String(20)),
    # since when it is in this state
    columns.time("state_since"),
    # false when a person set its schedule: then that holds, not the source's
    sa.Column("auto_managed", sa.Boolean, nullable=False, server_default=sa.true()),
    # what that person set (see crawl.effective); NULL when nothing
    sa.Column("override", Json),
    # deleted by a person: automation does not make it again
    columns.time("deleted_at"),
    # its source is neither deleted nor there only for submitted pages; kept by a trigger, to be counted by
    sa.Column("source_is_shown", sa.Boolean, nullable=False, server_default=sa.true()),
    # tries of a failing run after the first, and the wait before the first of them, doubled each time
    sa.Column("max_retries", sa.Integer, nullable=False, server_default="3"),
    sa.Column("retry_backoff_seconds", sa.Integer, nullable=False, server_default="60"),
    # what its creator wants to remember of it
    sa.Column("metadata", Json),
    sa.Column("priority", sa.Integer, nullable=False),
    # whom its start page is asked of; NULL until its first run
    sa.Column("host_id", BigId),
    sa.Column("recurring", sa.Boolean, nullable=False, server_default=sa.true()),
    # before anything was observed
    sa.Column("interval_seconds", sa.BigInteger, nullable=False),
    # now in force: what the policy made of it
    sa.Column("pace_seconds", sa.BigInteger),
    # when the latest run began that came to an end of its own; NULL before the first
    columns.time("last_run_at"),
    # how that run ended, and whether it showed so little that the extractor may be broken; NULL before the first
    sa.Column("last_outcome", sa.String(10)),
    sa.Column("last_drifted", sa.Boolean, nullable=False, server_default=sa.false()),
    columns.time("next_run_at"),
    sa.Column("next_run_reason", Json),
    # since when it is due and its host may not be asked, hours outside its windows left out; NULL while that is not so
    columns.time("held_since"),
    # which queue of due jobs it stands in: the value lost with every hour that it waits, as a power of two
    sa.Column("urgency", sa.Integer, nullable=False, server_default="0"),
    # when it was last moved to balance the load
    columns.time("moved_at"),
    # when automation resumes what automation paused (robots, breaker)
    columns.time("resume_at"),
    # tries of the run that goes on failing; then, rounds of tries in a row that failed
    columns.count("retry_count"),
    columns.count("failure_count"),
    # for those who are told: runs in a row that failed, tries too, and that the site turned away; runs are forgotten
    columns.count("failed_runs"),
    columns.count("turned_away_runs"),
    columns.count("unchanged_count"),
    columns.time("backoff_until"),
    columns.count("run_count"),
    # pages asked for in a run, on average
    sa.Column("cost", sa.Float, nullable=False, server_default="1"),
    # what visits taught about how often it changes; NULL before the first (see model.schedule.Learnt)
    sa.Column("belief_a", sa.Float),
    sa.Column("belief_b", sa.Float),
    sa.Column("signal", sa.Float, nullable=False, server_default="0"),
    sa.Column("rise", sa.Float, nullable=False, server_default="0"),
    sa.Column("fall", sa.Float, nullable=False, server_default="0"),
    columns.count("visit_count"),
    columns.count("change_count"),
    columns.time("visited_at"),
    columns.time("changed_at"),
    sa.Column("watched_hours", sa.Float, nullable=False, server_default="0"),
    sa.Column("expected_stale_hours", sa.Float, nullable=False, server_default="0"),
    sa.Column("seen_stale_hours", sa.Float, nullable=False, server_default="0"),
    # of its linked pages: changes found on second and later visits, and the hours between those visits
    sa.Column("page_changes", sa.Float, nullable=False, server_default="0"),
    sa.Column("page_hours", sa.Float, nullable=False, server_default="0"),
    columns.time("created_at", nullable=False),
    columns.time("updated_at", nullable=False),
    sa.UniqueConstraint("source_id"),
    columns.partial_index(
        "ix_crawl_jobs_queue", "urgency", "next_run_at", "host_id", where="state IN ('pending', 'scheduled')"
    ),
    # how the coming day fills up, and how many are due
    columns.partial_index("ix_crawl_jobs_planned", "next_run_at", where="state IN ('pending', 'scheduled')"),
    sa.Index("ix_crawl_jobs_host", "host_id"),
    # lists, sorted in the database
    # with all that tells how the source stands, so that sources are counted by it without reading a job
    sa.Index("ix_crawl_jobs_state", "state", "id", "pause_reason", "source_id"),
    sa.Index("ix_crawl_jobs_next_run", "next_run_at", "id"),
    sa.Index("ix_crawl_jobs_last_run", "last_run_at", "id"),
    sa.Index("ix_crawl_jobs_created", "created_at", "id"),
    # those for which a person set something
    columns.partial_index("ix_crawl_jobs_override", "source_id", where="override IS NOT NULL"),
    columns.partial_index("ix_crawl_jobs_held", "held_since", where="held_since IS NOT NULL"),
    columns.partial_index("ix_crawl_jobs_resume", "resume_at", where="state = 'paused'"),
    # those that failed, are tried again or were stopped by automation; statements put it in the same order.
    # With all that is counted and sorted by, so that no job is read for it.
    columns.partial_index(
        "ix_crawl_jobs_unwell",
        "source_id",
        "state",
        "pause_reason",
        "failure_count",
        "retry_count",
        "deleted_at",
        where="failure_count > 0 OR retry_count > 0 OR pause_reason IN ('breaker', 'robots', 'takedown') "
        "OR state IN ('failed')",
    ),
    # those whose latest run was not as it should be; most of them are none of those above
    columns.partial_index(
        "ix_crawl_jobs_complained",
        "source_id",
        "last_drifted",
        "last_outcome",
        "state",
        "pause_reason",
        "failure_count",
        "retry_count",
        "deleted_at",
        where="last_outcome IN ('warn', 'fail')",
    ),
    # all jobs by priority, and how fresh their copies are, without reading a job
    sa.Index("ix_crawl_jobs_figures", "priority", "watched_hours", "expected_stale_hours", "seen_stale_hours"),
)

crawl_runs = sa.Table(
    "crawl_runs",
    metadata,
    columns.id_(),
    columns.public_id(),
    columns.ref("job_id", "crawl_jobs.id"),
    columns.ref("source_id", "sources.id"),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("trigger", sa.String(20), nullable=False),
    columns.time("started_at", nullable=False),
    columns.time("deadline_at", nullable=False),
    # when a worker last did something for it
    columns.time("heartbeat_at"),
    columns.time("finished_at"),
    sa.Column("outcome", sa.String(10)),
    sa.Column("message", sa.Text),
    # pages this run may ask for, and has taken on
    sa.Column("page_budget", sa.Integer, nullable=False),
    columns.count("page_count"),
    columns.count("pages_fetched"),
    columns.count("pages_unchanged"),
    columns.count("pages_refused"),
    columns.count("pages_failed"),
    # of the pages fetched, how many read differently from the last time
    columns.count("pages_changed"),
    # of linked pages that were had before: those that read differently, and the hours since
    columns.count("revisit_changes"),
    sa.Column("revisit_hours", sa.Float, nullable=False, server_default="0"),
    columns.count("records_found"),
    columns.count("records_inserted"),
    columns.count("records_updated"),
    columns.count("records_unchanged"),
    columns.count("records_skipped"),
    columns.count("records_failed"),
    # of the skipped, those without a title
    columns.count("empty_titles"),
    # what the source's pages show at the end of the run; NULL for runs of which nobody counted it
    sa.Column("records_shown", sa.Integer),
    # whether it showed so little that its extractor may be broken
    sa.Column("has_drifted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("bytes_fetched", sa.BigInteger, nullable=False, server_default="0"),
    # answers by status, times, errors, skips, what reading took (see model.run_figures); NULL before the first answer
    sa.Column("figures", Json),
    # lines written to its log, also those beyond what is kept
    columns.count("log_lines"),
    sa.UniqueConstraint("job_id", "number"),
    sa.Index("ix_crawl_runs_source", "source_id", "started_at"),
    sa.Index("ix_crawl_runs_started", "started_at"),
    columns.partial_index("ix_crawl_runs_open", "deadline_at", where="finished_at IS NULL"),
    columns.partial_index("ix_crawl_runs_open_job", "job_id", where="finished_at IS NULL"),
)

# what the runs that began in an hour came to; written when all of them have ended, and kept when they are forgotten
run_hours = sa.Table(
    "run_hours",
    metadata,
    # hours since 1970, UTC
    sa.Column("hour", sa.Integer, primary_key=True, autoincrement=False),
    columns.count("runs"),
    # well or with a warning
    columns.count("ok"),
    columns.count("failed"),
    sa.Column("pages", sa.BigInteger, nullable=False, server_default="0"),
    # new or changed
    sa.Column("records", sa.BigInteger, nullable=False, server_default="0"),
)

run_log_lines = sa.Table(
    "run_log_lines",
    metadata,
    columns.id_(),
    columns.ref("run_id", "crawl_runs.id"),
    columns.time("at", nullable=False),
    sa.Column("level", sa.String(10), nullable=False),
    # lifecycle, fetch, robots, parse, record …
    sa.Column("category", sa.String(20), nullable=False),
    # what happened, in a stable word that programs may rely on; NULL in lines of old
    sa.Column("action", sa.String(40)),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("url", sa.Text),
    # the figures of it, for programs
    sa.Column("fields", Json),
    sa.Index("ix_run_log_lines_run", "run_id", "id"),
)

# one row: what a fetch is worth in this installation
pricing = sa.Table(
    "pricing",
    metadata,
    columns.id_(),
    # stale hours that a fetch must save
    sa.Column("price", sa.Float),
    # how far the fetches really made lie from those planned; a factor on the budget
    sa.Column("correction", sa.Float, nullable=False, server_default="1"),
    # figures of the last solve, for people
    sa.Column("figures", Json),
    columns.time("solved_at"),
    # no further run before this, so that the installation's budget holds
    columns.time("budget_free_at"),
)

# sources that are alike: what is known of all of them helps with a new one
cohorts = sa.Table(
    "cohorts",
    metadata,
    sa.Column("key", sa.String(100), primary_key=True),
    sa.Column("changes", sa.Float, nullable=False),
    sa.Column("hours", sa.Float, nullable=False),
    # changes seen in each hour of the week (UTC), and whether they predict better than no profile at all
    sa.Column("by_hour", Json, nullable=False),
    sa.Column("has_rhythm", sa.Boolean, nullable=False),
    columns.time("updated_at", nullable=False),
)
