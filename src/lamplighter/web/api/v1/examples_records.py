"""Answers about records, as examples."""

from typing import Any

RECORD: dict[str, Any] = {
    "id": "6f1f2c0e-5a4f-4a58-9d0f-1d2f3a4b5c6d",
    "kind": "job",
    "url": "https://jobs.example/42",
    "source_id": "0b6a4f0e-8d5c-4f6e-9a7b-2c3d4e5f6a7b",
    "source_name": "Example jobs",
    "canonical_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "title": "Water engineer",
    "organisation": "Example Relief",
    "location_raw": "Nairobi, Kenya",
    "country_iso": "KE",
    "deadline": "2026-05-31",
    "published_at": "2026-05-01T00:00:00Z",
    "updated_at": None,
    "description": "Plans and builds wells.",
    "language": "en",
    "tags": [],
    "fields": {"level_norm": "mid", "work_modality": "onsite"},
    "quality": 0.9,
    "provenance": {"title": {"method": "jsonld", "confidence": 0.95}},
    "first_seen_at": "2026-05-01T06:12:00Z",
    "last_seen_at": "2026-05-04T06:12:00Z",
    "gone_at": None,
    "state": "present",
}
LIST: dict[str, Any] = {
    "records": [
        RECORD
        | {
            "score": 0.61,
            "highlight": {"title": "<mark>Water</mark> engineer", "description": "Plans and builds wells."},
        }
    ],
    "total": 1,
    "limit": 50,
    "offset": 0,
    "facets": {"country": [{"value": "KE", "label": None, "count": 1}]},
    "engine": "database",
}
HISTORY: dict[str, Any] = {
    "history": [{"at": "2026-05-02T06:12:00Z", "field": "deadline", "before": "2026-05-15", "after": "2026-05-31"}]
}
DETAIL: dict[str, Any] = {
    **RECORD,
    "revision": 2,
    "expires_at": None,
    "told_by": "https://jobs.example/42",
    "shown_on": [{"url": "https://jobs.example/42", "is_own": True, "since": "2026-05-01T06:12:00Z"}],
    **HISTORY,
}
TOMBSTONE: dict[str, Any] = {
    "canonical_hash": RECORD["canonical_hash"],
    "title": "Water engineer",
    "reason": "the organisation asked for it",
}
