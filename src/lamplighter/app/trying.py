"""Builds the trials for operators: of sources before they are added, and of proxies."""

from dataclasses import dataclass
from typing import Self

from lamplighter.app.foundation import Foundation
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.operations.explain.source_preview import FirstLooks
from lamplighter.operations.explain.trials import Simulator
from lamplighter.operations.proxies.proxy_trial_matrix import TrialMatrixRuns
from lamplighter.operations.proxies.proxy_trials import ProxyTrials
from lamplighter.ports import Archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Trying:
    """Trials of sources and proxies."""

    simulator: Simulator
    first_looks: FirstLooks
    #: try proxies: at once, and in the background
    proxy_trials: ProxyTrials
    proxy_rounds: TrialMatrixRuns

    @classmethod
    def of(cls, base: Foundation, *, pool: ReaderPool, archive: Archive, secrets: SecretBook) -> Self:
        """Builds trials on the service's web client stack."""
        simulator = Simulator(base.db, door=base.door, pool=pool, archive=archive, secrets=secrets)
        proxy_trials = ProxyTrials(base.db, trial=base.door.proxy_tester.trial, clock=base.clock)
        return cls(
            simulator=simulator,
            first_looks=FirstLooks(simulator, clock=base.clock),
            proxy_trials=proxy_trials,
            proxy_rounds=TrialMatrixRuns(proxy_trials, clock=base.clock),
        )
