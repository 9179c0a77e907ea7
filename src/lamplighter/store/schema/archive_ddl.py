"""SQL that migrates databases from before page versions: a page's body becomes its first version.

Safe to repeat: once there are versions, it changes nothing.
"""

_SEGMENT = {
    "sqlite": "substr(body_key, 1, instr(body_key || ':', ':') - 1)",
    "postgresql": "split_part(body_key, ':', 1)",
}
_LENGTH = {
    "sqlite": "CAST(replace(body_key, rtrim(body_key, '0123456789'), '') AS INTEGER)",
    "postgresql": "coalesce(CAST(substring(body_key from '[0-9]+$') AS bigint), 0)",
}


def taking_over(dialect: str) -> tuple[str, ...]:
    """The statements; of several copies of a body they keep one."""
    return (
        "INSERT INTO bodies (hash, key, segment, stored_bytes, size_bytes) "
        f"SELECT body_hash, body_key, {_SEGMENT[dialect]}, {_LENGTH[dialect]}, size_bytes FROM "
        "(SELECT body_hash, min(body_key) AS body_key, coalesce(max(size_bytes), 0) AS size_bytes FROM pages "
        "WHERE body_hash IS NOT NULL AND body_key IS NOT NULL GROUP BY body_hash) AS held "
        "WHERE NOT EXISTS (SELECT 1 FROM bodies)",
        "UPDATE pages SET body_key = bodies.key FROM bodies "
        "WHERE bodies.hash = pages.body_hash AND bodies.key <> pages.body_key",
        "INSERT INTO page_versions (page_id, number, body_id, status, fetched_at) "
        "SELECT pages.id, 1, bodies.id, 200, coalesce(pages.fetched_at, pages.created_at) "
        "FROM pages JOIN bodies ON bodies.hash = pages.body_hash WHERE pages.body_key IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM page_versions)",
    )
