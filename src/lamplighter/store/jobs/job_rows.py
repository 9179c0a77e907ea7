"""Converts rows of the crawl jobs' table to jobs, and back."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lamplighter.model.crawl import CrawlJob, Override
from lamplighter.model.fields import loaded, plain
from lamplighter.model.schedule import Belief, Learnt

#: the fields of `Learnt` that have columns of the same name
_LEARNT = tuple(each.name for each in fields(Learnt) if each.name not in ("belief", "prior"))


def job_of(row: Any) -> CrawlJob:
    """Converts a row to a job."""
    values = loaded(row._mapping, CrawlJob, but=("override", "learnt"))
    return CrawlJob(**values, override=_override(row.override), learnt=_learnt(row))


def _override(stored: Mapping[str, Any] | None) -> Override | None:
    return Override(**loaded(stored, Override)) if stored is not None else None


def _learnt(row: Any) -> Learnt | None:
    if row.belief_a is None or row.belief_b is None:
        return None
    has_prior = row.prior_a is not None and row.prior_b is not None
    return Learnt(
        belief=Belief(a=row.belief_a, b=row.belief_b),
        prior=Belief(a=row.prior_a, b=row.prior_b) if has_prior else None,
        **{name: getattr(row, name) for name in _LEARNT},
    )


def learnt_values(learnt: Learnt) -> dict[str, Any]:
    """Converts `Learnt` to columns."""
    belief = {"belief_a": learnt.belief.a, "belief_b": learnt.belief.b}
    if learnt.prior is not None:
        belief |= {"prior_a": learnt.prior.a, "prior_b": learnt.prior.b}
    return belief | {name: getattr(learnt, name) for name in _LEARNT}


def override_values(override: Override) -> dict[str, Any]:
    """An override as stored: only what it sets."""
    return {name: value for name, value in plain(override, Override).items() if value is not None}
