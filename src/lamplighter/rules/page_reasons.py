"""Says for people why a page stands where it does."""

from collections.abc import Mapping
from typing import NamedTuple

from lamplighter.model.page import IGNORED, Stage
from lamplighter.model.visit import Fault, Refusal

#: why a page was refused or failed: the stable word -> a sentence
REASONS: Mapping[str, str] = {
    Refusal.TAKEDOWN: "it was taken down and is never asked again",
    Refusal.ROBOTS: "robots.txt does not allow it",
    Refusal.ROBOTS_UNREACHABLE: "robots.txt could not be had, so nothing is asked",
    Refusal.BREAKER: "its host is left alone after failures in a row",
    Refusal.HOST_DISABLED: "its host was disabled",
    Refusal.ADDRESS: "its address is none of the public web",
    Refusal.NO_CONTACT: "no contact is set, and without one nobody is asked",
    Refusal.NO_SECRET: "a secret that it needs is not set",
    Refusal.NO_PROXY: "none of its host's proxies can be used now",
    Fault.DNS: "the name of its host could not be resolved",
    Fault.CONNECT: "no connection to its host",
    Fault.TLS: "no safe connection to its host",
    Fault.TIMEOUT: "no answer in time",
    Fault.BROKEN_RESPONSE: "the answer broke off",
    Fault.TOO_LARGE: "the page is larger than allowed",
    Fault.CONTENT_TYPE: "a type that nobody here can read",
    Fault.TOO_MANY_REDIRECTS: "too many redirects",
    Fault.BAD_REDIRECT: "redirected to where we cannot go",
    Fault.BUSY: "the host asked us to come later",
    Fault.SERVER_ERROR: "the server failed (5xx)",
    Fault.NOT_FOUND: "not found (404)",
    Fault.GONE: "gone for good (410)",
    Fault.CLIENT_ERROR: "the server refused it (4xx)",
    Fault.UNREADABLE: "the reader could not cope with it",
    Fault.NOT_RENDERED: "the browser could not show it",
    Fault.UNSTORABLE: "the database would not take it",
    Fault.OBSTRUCTED: "something else stood where the content should be",
    Fault.PROXY: "the proxy failed, not the site behind it",
    IGNORED: "somebody said that it leads nowhere",
}
_STAGES: Mapping[Stage, str] = {
    Stage.WAITING: "taken into a run as soon as it is due",
    Stage.PENDING: "in line for its host's turn",
    Stage.QUEUED: "its host is being asked, and other pages come first",
    Stage.CRAWLING: "being asked for now",
    Stage.DOWNLOADED: "was had, and waits to be read",
    Stage.PARSING: "being read now",
    Stage.COMPLETED: "was had and read",
    Stage.FAILED: "could not be had",
    Stage.PAUSED: "left alone until somebody resumes it",
    Stage.CANCELLED: "given up; a crawl that finds it again may ask for it",
}


class Standing(NamedTuple):
    """Where a page stands, as it is stored."""

    stage: Stage
    reason: str | None
    detail: str | None
    retry_count: int
    redirected_to: str | None = None


def sentence(standing: Standing) -> str:
    """Why it stands there, in one line."""
    why = _why(standing)
    match standing.stage:
        case Stage.PENDING | Stage.QUEUED if standing.reason == Refusal.NO_PROXY:
            return f"waits for a proxy: {standing.detail}" if standing.detail else why
        case Stage.PENDING | Stage.QUEUED if standing.retry_count and why:
            return f"try {standing.retry_count + 1} comes; last time: {why}"
        case Stage.FAILED | Stage.PAUSED | Stage.CANCELLED if why:
            return why
        case Stage.COMPLETED if standing.redirected_to:
            return "leads to another page, which is asked for in its place"
    return _STAGES[standing.stage]


def _why(standing: Standing) -> str:
    """The stored reason in words, and the sentence stored with it unless that says the same."""
    words = REASONS.get(standing.reason or "", "")
    told = (standing.detail or "").strip()
    if not words or not told:
        return words or told
    return words if told.lower() in words.lower() else f"{words}: {told}"
