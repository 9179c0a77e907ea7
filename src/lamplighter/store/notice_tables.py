"""The tables about telling people: what is wrong now, what is worth telling, to whom, and what became of it."""

import sqlalchemy as sa

from lamplighter.store import columns
from lamplighter.store.columns import metadata
from lamplighter.store.types import BigId, Json

# what an alert rule found, from the first time that it held until it holds no more
alerts = sa.Table(
    "alerts",
    metadata,
    columns.id_(),
    columns.public_id(),
    sa.Column("rule", sa.String(60), nullable=False),
    # the source or host that it is about; empty when about the whole installation
    sa.Column("subject", sa.String(400), nullable=False),
    sa.Column("severity", sa.String(10), nullable=False),
    # since when it holds without a break
    columns.time("since", nullable=False),
    # NULL while it has not held for long enough
    columns.time("fired_at"),
    # since when it holds no more, while it waits to be cleared
    columns.time("quiet_since"),
    columns.time("cleared_at"),
    sa.Column("value", sa.Float),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Index(
        "ix_alerts_open",
        "rule",
        "subject",
        unique=True,
        sqlite_where=sa.text("cleared_at IS NULL"),
        postgresql_where=sa.text("cleared_at IS NULL"),
    ),
    sa.Index("ix_alerts_rule", "rule", "since", "id"),
    sa.Index("ix_alerts_since", "since", "id"),
)

# what happened that somebody may want to be told of; gone as soon as it was handed out
notices = sa.Table(
    "notices",
    metadata,
    columns.id_(),
    columns.time("at", nullable=False),
    sa.Column("kind", sa.String(30), nullable=False),
    # the source that it is about; NULL when about the installation
    sa.Column("source_id", BigId),
    # what there is to tell
    sa.Column("data", Json, nullable=False),
)

notification_channels = sa.Table(
    "notification_channels",
    metadata,
    columns.id_(),
    columns.public_id(),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    # webhook, email, slack or ntfy
    sa.Column("kind", sa.String(10), nullable=False),
    # a URL or an address: whoever knows it may write there, so nobody sees it whole
    sa.Column("encrypted_target", sa.LargeBinary, nullable=False),
    sa.Column("target_hint", sa.Text, nullable=False),
    # what signs webhooks, or opens an ntfy topic
    sa.Column("encrypted_secret", sa.LargeBinary),
    # NULL takes the usual words
    sa.Column("title_template", sa.Text),
    sa.Column("body_template", sa.Text),
    sa.Column("enabled", sa.Boolean, nullable=False, server_default=sa.true()),
    # how often one notification is tried before it is given up
    sa.Column("max_tries", sa.Integer, nullable=False, server_default="8"),
    # in a row
    columns.count("failure_count"),
    columns.time("last_sent_at"),
    sa.Column("last_error", sa.Text),
    # nothing is sent before then, for its receiver asked for a pause
    columns.time("held_until"),
    columns.time("created_at", nullable=False),
    columns.time("updated_at", nullable=False),
)

notification_rules = sa.Table(
    "notification_rules",
    metadata,
    columns.id_(),
    columns.public_id(),
    columns.ref("channel_id", "notification_channels.id"),
    sa.Column("kind", sa.String(30), nullable=False),
    # of one source, or of those with a tag; NULL both means of all
    columns.ref("source_id", "sources.id", nullable=True),
    sa.Column("tag", sa.String(100)),
    # from so many in a row on
    sa.Column("threshold", sa.Integer, nullable=False, server_default="1"),
    # told together, so long after the first; NULL tells each by itself
    sa.Column("digest_minutes", sa.Integer),
    sa.Column("enabled", sa.Boolean, nullable=False, server_default=sa.true()),
    columns.time("created_at", nullable=False),
    sa.Index("ix_notification_rules_channel", "channel_id"),
    sa.Index("ix_notification_rules_source", "source_id"),
)

# the outbox of all channels, and afterwards the log of what was sent
notifications = sa.Table(
    "notifications",
    metadata,
    columns.id_(),
    # also what the receiver tells a second delivery by
    columns.public_id(),
    columns.ref("channel_id", "notification_channels.id"),
    sa.Column("rule_id", BigId),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("payload", Json, nullable=False),
    # gathering (a digest), pending, sent, dead or cancelled
    sa.Column("state", sa.String(10), nullable=False),
    columns.time("created_at", nullable=False),
    columns.time("due_at", nullable=False),
    columns.count("try_count"),
    columns.time("lease_until"),
    columns.time("sent_at"),
    # what the receiver answered, as a number and in words
    sa.Column("status", sa.Integer),
    sa.Column("detail", sa.Text),
    columns.partial_index("ix_notifications_due", "due_at", "id", where="state IN ('pending', 'gathering')"),
    sa.Index("ix_notifications_channel", "channel_id", "id"),
    sa.Index("ix_notifications_state", "state", "id"),
    sa.Index("ix_notifications_created", "created_at"),
)
