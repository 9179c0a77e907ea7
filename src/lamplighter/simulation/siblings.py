"""What the visits of a host's other sources tell about each: the service's own rules, on arrays."""

import numpy as np

from lamplighter.rules.change import activity
from lamplighter.rules.change.activity import Activity, Bools, Busyness, HostVisits
from lamplighter.simulation.trace import Floats, Ints


class Siblings:
    """The visits of the last mean intervals, and the activity of hosts that they show."""

    def __init__(self, *, host: Ints, mean_hours: float) -> None:
        self._host = host
        self._count = int(host.max()) + 1 if len(host) else 0
        self._mean_hours = mean_hours
        self.epoch = activity.epoch_hours(mean_hours)
        self._bin = self.epoch / activity.BINS_PER_EPOCH
        self._look_back = activity.LOOK_BACK * mean_hours
        self._gain = np.zeros(self._count)
        self._curve = Activity(began=0.0, bin_hours=self._bin, level=np.ones((self._count, 1)))
        #: columns of the visits: source, start, end, whether it changed
        self._visits: list[tuple[Ints, Floats, Floats, Bools]] = []

    @property
    def is_used(self) -> Bools:
        """Whether the activity predicts better than nothing, for each source's host."""
        return (self._gain > activity.LEAST_GAIN)[self._host]

    def between(self, who: Ints, start: Floats, end: Floats) -> Busyness:
        """How busy the sources' hosts were; 1 where that does not predict."""
        is_used = self.is_used[who]
        return Busyness(*(np.where(is_used, each, 1.0) for each in self._curve.between(self._host[who], start, end)))

    def judge(self, who: Ints, a: Floats, b: Floats, felt: Floats, start: Floats, end: Floats, changed: Bools) -> None:
        """Counts how much better the activity known so far predicted these visits, and remembers them."""
        mean = self._curve.between(self._host[who], start, end).mean
        better = activity.log_likelihood(a, b, felt * mean, changed) - activity.log_likelihood(a, b, felt, changed)
        self._gain = activity.gained(self._gain, activity.sums(self._host[who], better, self._count))
        self._visits.append((who, start, end, changed))

    def look(self, now: float, rate: Floats) -> None:
        """Finds the activity of the last mean intervals; `rate` are changes per hour as believed of each source."""
        began = now - self._look_back
        while self._visits and self._visits[0][2].max(initial=began) <= began:
            del self._visits[0]
        if not self._visits:
            return
        who, start, end, changed = (np.concatenate(column) for column in zip(*self._visits, strict=True))
        visits = HostVisits(host=self._host[who], start=start, end=end, is_changed=changed, rate=rate[who])
        self._curve = activity.activity(visits, hosts=self._count, began=began, until=now, bin_hours=self._bin)

    def throughout(self, who: Ints, start: Floats, end: Floats, changed: Bools, rate: Floats) -> Floats:
        """The mean activity during each of all visits so far, as it is known now; 1 where it does not predict."""
        mean, is_used = np.ones(len(who)), self.is_used[who]
        hosts, place = np.unique(self._host[who][is_used], return_inverse=True)
        if len(hosts):
            who, start, end = who[is_used], start[is_used], end[is_used]
            visits = HostVisits(host=place, start=start, end=end, is_changed=changed[is_used], rate=rate[who])
            curve = activity.activity(visits, hosts=len(hosts), began=0.0, until=end.max(), bin_hours=self._bin)
            mean[is_used] = curve.between(place, start, end).mean
        return mean
