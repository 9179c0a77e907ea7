"""No request that need not be: what is known is asked for by its validators, and nothing is asked for twice."""

from tests.witness.lines import ROBOTS, Line, is_conditional, over_at
from tests.witness.permission import Copies
from tests.witness.policy import Policy
from tests.witness.rule import Breach, may_be_lost

#: after such an answer there is nothing left to compare with: another page, another place, or none
_FORGETTING = {200, 301, 302, 303, 307, 308, 404, 410}


class Conditional:
    """A page that came with an ETag or a Last-Modified is asked for with them from then on."""

    name = "an unconditional request for a page that has validators"

    def __init__(self, policy: Policy, _: Copies) -> None:
        self._policy = policy
        self._known: dict[str, Line] = {}
        self._spare = dict(policy.shared)

    def asked(self, line: Line) -> Breach | None:
        known = self._known.get(line.path)
        if known is None or is_conditional(line) or line.path in self._policy.unkept or _spared(self._spare, line):
            return None
        return Breach("its validators were sent, and were not used", known)

    def answered(self, line: Line) -> None:
        status = line.status or 0
        if status == 304 or line.path == ROBOTS:
            return
        if status == 200 and line.answered is not None and ("etag" in line.sent or "last-modified" in line.sent):
            if not may_be_lost(line, self._policy.lost):
                self._known[line.path] = line
        elif status in _FORGETTING:
            self._known.pop(line.path, None)


def _spared(spare: dict[str, int], line: Line) -> bool:
    """Whether another source may have been on its way to this page, which it may be once."""
    if spare.get(line.path, 0) <= 0:
        return False
    spare[line.path] -= 1
    return True


class OwnValidators:
    """A conditional request names a validator that this very page has sent."""

    name = "a condition on what the page never sent"

    def __init__(self, _: Policy, __: Copies) -> None:
        self._tags: dict[str, tuple[str, ...]] = {}
        self._dates: dict[str, tuple[str, ...]] = {}

    def asked(self, line: Line) -> Breach | None:
        if not is_conditional(line):
            return None
        tag, date = line.headers.get("if-none-match"), line.headers.get("if-modified-since")
        if tag is not None and tag not in self._tags.get(line.path, ()):
            return Breach(f"If-None-Match: {tag}")
        if date is not None and date not in self._dates.get(line.path, ()):
            return Breach(f"If-Modified-Since: {date}")
        return None

    def answered(self, line: Line) -> None:
        if "etag" in line.sent:
            _remember(self._tags, line.path, line.sent["etag"])
        if "last-modified" in line.sent:
            _remember(self._dates, line.path, line.sent["last-modified"])


def _remember(sent: dict[str, tuple[str, ...]], path: str, value: str) -> None:
    before = sent.get(path, ())
    if value not in before:
        sent[path] = (*before, value)


class Once:
    """What was properly answered is not asked for again at once, as by one who looks first and then fetches."""

    name = "the same page asked for twice"

    def __init__(self, policy: Policy, _: Copies) -> None:
        self._policy = policy
        self._got: dict[str, Line] = {}
        self._spare = dict(policy.shared)

    def asked(self, line: Line) -> Breach | None:
        before = self._got.get(line.path)
        if before is None or is_conditional(line):
            return None
        since = line.arrived - over_at(before)
        if since >= self._policy.revisit or _spared(self._spare, line):
            return None
        return Breach(f"{since:.3f} s after it was got, {self._policy.revisit:.0f} s at least were promised", before)

    def answered(self, line: Line) -> None:
        is_proper = line.answered is not None and (line.status or 500) < 400
        if is_proper and not may_be_lost(line, self._policy.lost):
            self._got[line.path] = line
        else:
            self._got.pop(line.path, None)
