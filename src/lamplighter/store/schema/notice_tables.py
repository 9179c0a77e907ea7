"""The tables for notifications: alerts, notices, channels, rules, and the notifications with their results."""

import sqlalchemy as sa

from lamplighter.store.schema import columns
from lamplighter.store.schema.types import BigId, Json

# a condition that an alert rule found, from its first match until it is cleared
alerts = columns.table(
    "alerts",
    columns.id_(),
    columns.public_id(),
    sa.Column("rule", sa.String(60), nullable=False),
    sa.Column("subject", sa.String(400), nullable=False),
    sa.Column("severity", sa.String(10), nullable=False),
    columns.time("since", nullable=False),
    columns.time("fired_at"),
    columns.time("quiet_since"),
    columns.time("cleared_at"),
    sa.Column("value", sa.Float),
    sa.Column("detail", sa.Text, nullable=False),
    columns.partial_index("ix_alerts_open", "rule", "subject", unique=True, where="cleared_at IS NULL"),
    sa.Index("ix_alerts_rule", "rule", "since", "id"),
    sa.Index("ix_alerts_since", "since", "id"),
)

# occurrences that notification rules may subscribe to; deleted as soon as they are routed
notices = columns.table(
    "notices",
    columns.id_(),
    columns.time("at", nullable=False),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("source_id", BigId),
    sa.Column("data", Json, nullable=False),
)

notification_channels = columns.table(
    "notification_channels",
    columns.id_(),
    columns.public_id(),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("kind", sa.String(10), nullable=False),
    # a URL or an address: everyone who knows it may write there, so it is never shown whole
    sa.Column("encrypted_target", sa.LargeBinary, nullable=False),
    sa.Column("target_hint", sa.Text, nullable=False),
    # the secret that signs webhooks, or the token for an ntfy topic
    sa.Column("encrypted_secret", sa.LargeBinary),
    sa.Column("title_template", sa.Text),
    sa.Column("body_template", sa.Text),
    sa.Column("enabled", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("max_tries", sa.Integer, nullable=False, server_default="8"),
    columns.count("failure_count"),
    columns.time("last_sent_at"),
    sa.Column("last_error", sa.Text),
    columns.time("held_until"),
    # most tries in a minute, and the tries of the current minute; NULL means no limit
    sa.Column("max_per_minute", sa.Integer),
    columns.time("minute_began_at"),
    columns.count("minute_count"),
    columns.time("created_at", nullable=False),
    columns.time("updated_at", nullable=False),
)

notification_rules = columns.table(
    "notification_rules",
    columns.id_(),
    columns.public_id(),
    columns.ref("channel_id", "notification_channels.id"),
    sa.Column("kind", sa.String(30), nullable=False),
    columns.ref("source_id", "sources.id", nullable=True),
    sa.Column("tag", sa.String(100)),
    sa.Column("threshold", sa.Integer, nullable=False, server_default="1"),
    sa.Column("digest_minutes", sa.Integer),
    # only records with these words, changes of this field, prices below this; NULL means all
    sa.Column("words", sa.String(500)),
    sa.Column("record_field", sa.String(100)),
    sa.Column("price_below", sa.Float),
    sa.Column("with_baseline", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("enabled", sa.Boolean, nullable=False, server_default=sa.true()),
    columns.time("created_at", nullable=False),
    sa.Index("ix_notification_rules_channel", "channel_id"),
    sa.Index("ix_notification_rules_source", "source_id"),
)

# the outbox of all channels, and afterwards the log of what was sent
notifications = columns.table(
    "notifications",
    columns.id_(),
    columns.public_id(),
    columns.ref("channel_id", "notification_channels.id"),
    sa.Column("rule_id", BigId),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("payload", Json, nullable=False),
    sa.Column("state", sa.String(10), nullable=False),
    columns.time("created_at", nullable=False),
    columns.time("due_at", nullable=False),
    columns.count("try_count"),
    columns.time("lease_until"),
    columns.time("sent_at"),
    sa.Column("status", sa.Integer),
    sa.Column("detail", sa.Text),
    columns.partial_index("ix_notifications_due", "due_at", "id", where="state IN ('pending', 'gathering')"),
    sa.Index("ix_notifications_channel", "channel_id", "id"),
    sa.Index("ix_notifications_state", "state", "id"),
    sa.Index("ix_notifications_created", "created_at"),
)

# problems that are hidden for a while; the key says which kind, cause and host
problem_snoozes = columns.table(
    "problem_snoozes",
    sa.Column("key", sa.String(400), primary_key=True),
    # the problem in words, as it was then
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("snoozed_by", sa.Text, nullable=False),
    columns.time("snoozed_at", nullable=False),
    columns.time("until", nullable=False),
)
