"""The settings that can be changed while the service runs: when each change takes effect, and the most it may be."""

from collections.abc import Mapping
from typing import NamedTuple

_NEXT_REQUEST = "from the next request on"
_NEXT_RUN = "from the next run on"
_NEXT_PLAN = "within minutes, when jobs and budget are planned again"
_NEXT_CLEANUP = "with the next cleanup, within minutes; what is deleted then does not come back"
_MOST_DAYS = 36_500
_MOST_MINUTES = 527_040
_MOST_PER_HOUR = 100_000_000


class LiveSetting(NamedTuple):
    """A setting that can be changed while running."""

    takes_effect: str
    #: None where the setting's own bounds are enough
    most: float | None = None


LIVE_SETTINGS: Mapping[str, LiveSetting] = {
    "contact_url": LiveSetting(_NEXT_REQUEST),
    "contact_email": LiveSetting(_NEXT_REQUEST),
    "min_delay_ms": LiveSetting(_NEXT_REQUEST, 86_400_000),
    "max_concurrency": LiveSetting(_NEXT_REQUEST, 1000),
    "max_page_kb": LiveSetting(_NEXT_REQUEST, 1_048_576),
    "max_pages": LiveSetting(_NEXT_RUN, 10_000_000),
    "policy": LiveSetting(_NEXT_PLAN),
    "interval_minutes": LiveSetting(_NEXT_PLAN),
    "min_interval_minutes": LiveSetting(_NEXT_PLAN, _MOST_MINUTES),
    "max_interval_days": LiveSetting(_NEXT_PLAN),
    "budget_per_hour": LiveSetting(_NEXT_PLAN, _MOST_PER_HOUR),
    "host_budget_per_hour": LiveSetting(_NEXT_PLAN, _MOST_PER_HOUR),
    "max_open_runs": LiveSetting(_NEXT_RUN, 1_000_000),
    "runs_per_host": LiveSetting(_NEXT_RUN, 1_000_000),
    "fetch_slots": LiveSetting(_NEXT_REQUEST, 100_000),
    "archive_keep_days": LiveSetting(_NEXT_CLEANUP, _MOST_DAYS),
    "archive_keep_versions": LiveSetting(_NEXT_CLEANUP, 1_000_000),
    "archive_max_gb": LiveSetting(_NEXT_CLEANUP, 1_000_000_000),
    "keep_runs": LiveSetting(_NEXT_CLEANUP, 1_000_000),
    "keep_run_days": LiveSetting(_NEXT_CLEANUP, _MOST_DAYS),
    "run_log_days": LiveSetting(_NEXT_CLEANUP, _MOST_DAYS),
    "keep_change_days": LiveSetting(_NEXT_CLEANUP, _MOST_DAYS),
    "status_page": LiveSetting("within seconds"),
}
