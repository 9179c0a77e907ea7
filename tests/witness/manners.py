"""What a single request looks like: its method, its name, what it carries, and how it came about."""

import re
from urllib.parse import urljoin, urlsplit

from tests.witness.lines import Line, over_at
from tests.witness.pace import seconds_asked
from tests.witness.permission import Copies
from tests.witness.policy import Policy
from tests.witness.rule import Breach

_CARRIERS = frozenset({"authorization", "proxy-authorization", "cookie"})


class OnlyGet:
    """Sites are asked by GET, never by anything else."""

    name = "a method other than GET"

    def __init__(self, _: Policy, __: Copies) -> None: ...

    def asked(self, line: Line) -> Breach | None:
        return None if line.method == "GET" else Breach(line.method)


class Named:
    """Every request says who asks, and where to read about it or whom to write to: `Token/1.0 (+https://…)`."""

    name = "a User-Agent that does not say who asks"

    def __init__(self, policy: Policy, _: Copies) -> None:
        self._form = re.compile(rf"{re.escape(policy.token)}/\S+ \(\+(https?://|[^@\s)]+@)[^)]+\)")
        #: the last that was as it should be: most are alike
        self._good: str | None = None

    def asked(self, line: Line) -> Breach | None:
        said = line.headers.get("user-agent", "")
        if said == self._good:
            return None
        if not self._form.match(said):
            return Breach(f"User-Agent: {said!r}")
        self._good = said
        return None


class OwnCredentials:
    """A host is sent only the credentials that were declared for it, and cookies that it set itself."""

    name = "credentials that are not this host's"

    def __init__(self, policy: Policy, _: Copies) -> None:
        self._theirs = set(policy.credentials)

    def asked(self, line: Line) -> Breach | None:
        if _CARRIERS.isdisjoint(line.headers):
            return None
        carried = [line.headers.get(name) for name in ("authorization", "proxy-authorization")]
        carried += line.headers.get("cookie", "").split("; ")
        foreign = [value for value in carried if value and value not in self._theirs]
        return Breach(f"it carries {', '.join(foreign)}") if foreign else None

    def answered(self, line: Line) -> None:
        if "set-cookie" in line.sent:
            self._theirs.update(cookie.partition(";")[0] for cookie in line.sent["set-cookie"].splitlines())


class Chains:
    """Redirects that may be followed, over all hosts."""

    def __init__(self) -> None:
        #: by host and path: the redirect that points there, and how many led to it, itself included
        self._targets: dict[tuple[str, str], tuple[Line, int]] = {}

    def follow(self, line: Line, *, within: float) -> tuple[int, Line | None]:
        """How many redirects in a row led to this request, and the last of them."""
        here = (line.headers.get("host", ""), line.path)
        last, steps = self._targets.get(here, (None, 0))
        if last is not None and line.arrived >= over_at(last):
            del self._targets[here]
        if last is None or not 0 <= line.arrived - over_at(last) <= within:
            last, steps = None, 0
        if 300 <= (line.status or 0) < 400 and "location" in line.sent:
            self._targets[_target(line)] = (line, steps + 1)
        return steps, last


def _target(line: Line) -> tuple[str, str]:
    there = urlsplit(urljoin(f"http://{line.headers.get('host', '')}{line.path}", line.sent["location"]))
    return there.netloc, (there.path or "/") + (f"?{there.query}" if there.query else "")


class FewRedirects:
    """No chain of redirects is followed further than allowed."""

    name = "more redirects than allowed"

    def __init__(self, policy: Policy, chains: Chains) -> None:
        self._policy, self._chains = policy, chains

    def asked(self, line: Line) -> Breach | None:
        steps, last = self._chains.follow(line, within=self._policy.redirect_seconds)
        if steps <= self._policy.max_redirects:
            return None
        return Breach(f"{steps} in a row, {self._policy.max_redirects} are allowed", last)


class Delays:
    """Redirects to other hosts that are to be followed later; those to the same host wait as the host does."""

    def __init__(self) -> None:
        #: by host and path: the redirect that points there, and from when on it may be followed
        self.targets: dict[tuple[str, str], tuple[Line, float]] = {}


class FollowedLater:
    """A redirect with Retry-After is not followed to another host before its time."""

    name = "a redirect followed before its time"

    def __init__(self, policy: Policy, delays: Delays) -> None:
        self._policy, self._targets = policy, delays.targets

    def asked(self, line: Line) -> Breach | None:
        self._remember(line)
        here = (line.headers.get("host", ""), line.path)
        if here not in self._targets:
            return None
        told, until = self._targets[here]
        if not over_at(told) <= line.arrived < until - self._policy.jitter:
            return None
        return Breach(f"{until - line.arrived:.3f} s too early", told)

    def _remember(self, line: Line) -> None:
        if not 300 <= (line.status or 0) < 400 or "location" not in line.sent:
            return
        wait, target = seconds_asked(line, self._policy), _target(line)
        if wait and target[0] != line.headers.get("host", ""):
            self._targets[target] = (line, over_at(line) + min(wait, self._policy.longest_retry_after))
