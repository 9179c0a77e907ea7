"""An outage must not fill the disk with tracebacks, and a fault of our own must not be cut short."""

import structlog
from sqlalchemy.exc import OperationalError

from lamplighter import telemetry
from lamplighter.crawl.process import loops

_LOG = telemetry.logger("test")


def told(error: Exception) -> dict[str, object]:
    with structlog.testing.capture_logs() as said:
        loops.report_failure(_LOG, "loop.step_failed", error, loop="heartbeat")
    (line,) = said
    return {name: value for name, value in line.items() if name in ("event", "log_level", "loop", "error", "exc_info")}


def test_i1_that_the_database_is_away_is_told_in_a_line() -> None:
    error = OperationalError("SELECT 1", {}, ConnectionRefusedError("refused\nand more"))

    assert told(error) == {
        "event": "loop.step_failed",
        "log_level": "error",
        "loop": "heartbeat",
        "error": "ConnectionRefusedError: refused",
    }


def test_of_a_fault_of_our_own_the_whole_way_is_told() -> None:
    error = ValueError("ours")

    assert told(error)["exc_info"] is error
