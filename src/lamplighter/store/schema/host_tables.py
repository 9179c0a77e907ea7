"""The tables for hosts: host policies, robots.txt files, takedowns and proxies."""

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.types import BigId, Json

hosts = columns.table(
    "hosts",
    columns.id_(),
    sa.Column("key", sa.String(300), nullable=False, unique=True),
    # the operator's host policy; NULL takes the installation's default
    sa.Column("max_concurrency", sa.Integer),
    sa.Column("min_delay_ms", sa.Integer),
    sa.Column("max_pages", sa.Integer),
    sa.Column("max_page_kb", sa.Integer),
    sa.Column("allow_js", sa.Boolean),
    # when it may be requested; NULL means at any time
    sa.Column("windows", Json),
    sa.Column("enabled", sa.Boolean, nullable=False, server_default=sa.true()),
    # the user agent for this host; keeps the installation's product token
    sa.Column("user_agent", sa.Text),
    sa.Column("proxy_mode", sa.String(10)),
    sa.Column("proxy_country", sa.String(2)),
    # for tasks: the implicit source they belong to, and how often they are fetched again
    sa.Column("task_source_id", BigId),
    sa.Column("task_frequency_seconds", sa.BigInteger),
    sa.Column("parser_name", sa.String(100)),
    # the domain's name where it is not the host's
    sa.Column("domain_name", sa.String(255)),
    sa.Column("budget_per_hour", sa.Float),
    # learnt from the site
    sa.Column("crawl_delay_ms", sa.BigInteger),
    sa.Column("learnt_delay_ms", sa.BigInteger, nullable=False, server_default="0"),
    columns.count("failure_count"),
    columns.time("blocked_until"),
    sa.Column("block_reason", sa.Text),
    # it needs a proxy and has none that can be used
    columns.time("proxy_wait_until"),
    sa.Column("proxy_wait_reason", sa.Text),
    # no run starts before this, to keep to its budget
    columns.time("budget_free_at"),
    # the price of a fetch, in stale hours, while demand for the host exceeds its capacity
    sa.Column("price", sa.Float),
    # when the next turn may be given
    columns.time("free_at"),
    # when the host has work next; NULL while it has no pending page
    columns.time("due_at"),
    sa.Column("lease_owner", sa.String(100)),
    sa.Column("lease_token", sa.BigInteger, nullable=False, server_default="0"),
    columns.time("lease_until"),
    columns.time("created_at"),
    columns.time("updated_at", nullable=False),
    columns.partial_index("ix_hosts_due", "due_at", where="due_at IS NOT NULL"),
    columns.partial_index("ix_hosts_leased", "lease_until", where="lease_until IS NOT NULL"),
    # the few hosts with windows, a back-off or a wait, those disabled, and the few that are requested through proxies
    columns.windows_index("ix_hosts_windows", "key"),
    columns.partial_index("ix_hosts_blocked", "blocked_until", where="blocked_until IS NOT NULL"),
    columns.partial_index("ix_hosts_proxy_wait", "proxy_wait_until", where="proxy_wait_until IS NOT NULL"),
    columns.partial_index("ix_hosts_disabled", "id", where="NOT enabled"),
    columns.partial_index("ix_hosts_exits", "id", where="proxy_mode IN ('only', 'prefer')"),
)

robots_files = columns.table(
    "robots_files",
    sa.Column("origin", sa.String(320), primary_key=True),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("detail", sa.Text),
    columns.count("failure_count"),
    columns.time("fetched_at", nullable=False),
    columns.time("expires_at", nullable=False),
    sa.Column("led_to", sa.Text),
    columns.count("hops"),
    # finds them without reading bodies
    columns.partial_index("ix_robots_files_unreachable", "origin", where="state IN ('unreachable')"),
)

takedowns = columns.table(
    "takedowns",
    sa.Column("domain_or_url", sa.Text, primary_key=True),
    sa.Column("reason", sa.Text),
    columns.time("created_at", nullable=False),
)

proxies = columns.table(
    "proxies",
    columns.id_(),
    sa.Column("protocol", sa.String(10), nullable=False),
    sa.Column("address", sa.String(255), nullable=False),
    sa.Column("port", sa.Integer, nullable=False),
    sa.Column("username", sa.Text),
    sa.Column("encrypted_password", sa.LargeBinary),
    sa.Column("country_code", sa.String(2)),
    sa.Column("city", sa.String(100)),
    sa.Column("provider", sa.String(100)),
    sa.Column("monthly_cost", sa.Numeric(10, 2)),
    sa.Column("enabled", sa.Boolean, nullable=False),
    # for hosts without proxies of their own; named by the settings
    sa.Column("in_default_pool", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("max_requests_per_hour", sa.Integer, nullable=False, server_default="1000"),
    # the times of the requests that count towards that limit (see rules.hourly_use)
    sa.Column("hour_uses", Json),
    # in a row, and ever
    *map(columns.count, ("failure_count", "failure_total", "success_total")),
    sa.Column("average_took_ms", sa.Float),
    *map(columns.time, ("last_used_at", "last_success_at", "last_failure_at")),
    sa.Column("last_error", sa.Text),
    # not used until then; how many times in a row, so that each quarantine is longer
    columns.time("quarantined_until"),
    columns.count("quarantine_count"),
    columns.time("created_at", nullable=False),
    columns.time("updated_at", nullable=False),
    sa.Index("ix_proxies_address", "address", "port"),
)

proxy_standings = columns.table(
    "proxy_standings",
    columns.ref("host_id", "hosts.id"),
    columns.ref("proxy_id", "proxies.id"),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("priority", sa.Integer, nullable=False, server_default="50"),
    # in a row, and ever
    *map(columns.count, ("failure_count", "failure_total", "success_total")),
    sa.Column("average_took_ms", sa.Float),
    columns.time("last_used_at"),
    sa.Column("last_error", sa.Text),
    columns.time("quarantined_until"),
    columns.count("quarantine_count"),
    sa.PrimaryKeyConstraint("host_id", "proxy_id"),
)

# the latest test result of a proxy with a host
proxy_trials = columns.table(
    "proxy_trials",
    columns.ref("proxy_id", "proxies.id"),
    columns.ref("host_id", "hosts.id"),
    columns.time("at", nullable=False),
    sa.Column("ok", sa.Boolean, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("took_ms", sa.Float),
    sa.Column("detail", sa.Text),
    sa.PrimaryKeyConstraint("proxy_id", "host_id"),
)
