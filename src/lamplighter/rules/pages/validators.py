"""Can the ETag and the Last-Modified of a body be used for conditional requests?"""

from dataclasses import replace

from lamplighter.model.visit import Validators


def judged(got: Validators, *, before: Validators, is_same_body: bool) -> Validators:
    """The validators that came with a body, knowing those `before` them.

    The same ones with another body say nothing about either: with them the site would call the page unchanged for
    ever. They are not used until others come.
    """
    if not _are_the_same(got, before):
        return got
    return replace(got, mean_nothing=before.mean_nothing or not is_same_body)


def _are_the_same(got: Validators, before: Validators) -> bool:
    if got.etag is None:
        return before.etag is None and got.last_modified is not None and got.last_modified == before.last_modified
    # A weak ETag identifies the meaning of a page: its bytes may differ.
    return got.etag == before.etag and not got.etag.startswith("W/")
