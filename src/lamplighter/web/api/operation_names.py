"""Names for the operations of the API, as programs that are generated from its description call them."""

import re
from collections.abc import Mapping

#: (method, path) -> a name where the function and its part of the API do not make one
_CHOSEN: Mapping[tuple[str, str], str] = {
    ("POST", "/api/v1/jobs"): "createJob",
    ("GET", "/api/v1/jobs/by-source/{source_id}"): "getJobOfSource",
    ("GET", "/api/v1/jobs/{job_id}/executions"): "listExecutionsOfJob",
    ("GET", "/api/v1/jobs/{job_id}/stats"): "getExecutionStatsOfJob",
    ("GET", "/api/v1/sources/{source_id}/executions"): "listExecutionsOfSource",
    ("GET", "/api/v1/jobs/{job_id}/logs"): "listJobLogs",
    ("GET", "/api/v1/events/log"): "listEvents",
    ("GET", "/api/v1/me"): "getMe",
    ("GET", "/api/v1/crawl/pause"): "getCrawlPause",
    ("POST", "/api/v1/crawl/pause"): "pauseCrawl",
    ("DELETE", "/api/v1/crawl/pause"): "resumeCrawl",
    ("GET", "/api/v1/audit"): "listAuditEntries",
    ("POST", "/api/v1/sources/{source_id}/learn"): "learnRecipe",
    ("POST", "/api/v1/sources/{source_id}/recipe-back"): "goBackToEarlierRecipe",
    ("POST", "/api/v1/sources/{source_id}/test"): "testFetchOfSource",
    ("GET", "/api/v1/notifications/log/{notification_id}"): "getNotification",
    ("GET", "/api/v1/notifications/log"): "listNotifications",
    ("POST", "/api/v1/events/dead-letters/{letter_id}/retry"): "retryDeadLetter",
    ("POST", "/api/v1/events/dead-letters/{letter_id}/discard"): "discardDeadLetter",
    ("DELETE", "/api/v1/events/dead-letters/{letter_id}"): "deleteDeadLetter",
    ("GET", "/api/v1/events/dead-letters"): "listDeadLetters",
    ("DELETE", "/api/v1/jobs/{job_id}/override"): "removeJobOverride",
    ("POST", "/api/v1/jobs/{job_id}/auto"): "makeJobAutomatic",
    ("GET", "/api/v1/frontier"): "listFrontierPages",
    ("POST", "/api/v1/frontier/submit"): "submitUrl",
    ("GET", "/api/v1/discovered-links"): "listDiscoveredLinks",
    ("POST", "/api/v1/discovered-links/{link_id}/create-job"): "createJobOfDiscoveredLink",
    ("POST", "/api/v1/notifications/log/retry-dead"): "retryDeadNotifications",
    ("POST", "/api/v1/notifications/channels/{channel_id}/test"): "testNotificationChannel",
    ("POST", "/api/v1/scheduler/rebalance/preview"): "previewRebalance",
    ("POST", "/api/v1/scheduler/rebalance"): "rebalanceSchedule",
    ("POST", "/api/v1/admin/sync-enabled-sources"): "syncEnabledSources",
    ("POST", "/api/v1/takedowns/purge-preview"): "previewPurge",
    ("POST", "/api/v1/index/reindex"): "reindexRecords",
    ("POST", "/api/v1/proxy-trials"): "testAllProxies",
    ("POST", "/api/admin/proxies/{proxy_id}/test"): "testProxy",
    ("POST", "/api/admin/tasks/restart-failed"): "restartFailedTasks",
    ("POST", "/admin/crawl/run_due"): "runDueJobs",
    ("PATCH", "/api/v1/secrets/{name}"): "bindSecret",
    ("GET", "/api/v1/settings"): "listSettings",
    ("PATCH", "/api/v1/settings"): "changeSettings",
    ("POST", "/api/v1/sources/bulk"): "bulkChangeSources",
    ("POST", "/admin/sources/bulk"): "bulkChangeSources",
    ("POST", "/api/v1/jobs/bulk"): "bulkChangeJobs",
    ("GET", "/api/products/search"): "searchProducts",
    ("GET", "/api/v1/records/export"): "exportRecords",
    ("GET", "/health"): "getHealth",
    ("GET", "/api/crawler/events"): "streamCrawlerEvents",
    ("GET", "/api/health/events"): "streamHealthEvents",
    ("GET", "/api/metrics/events"): "streamMetrics",
    ("GET", "/sse/crawler/events"): "streamCrawlerEvents",
    ("GET", "/sse/health/events"): "streamHealthEvents",
    ("GET", "/sse/metrics/events"): "streamMetrics",
    ("GET", "/api/health"): "getHealth",
}
_KNOWN_VERBS = (
    *("add", "assign", "cancel", "change", "clone", "create", "delete", "disable", "discard", "download"),
    *("enable", "export", "find", "force", "forget", "get", "import", "list", "make", "override", "pause", "preview"),
    *("purge", "reconcile", "refresh", "remove", "replace", "restart", "restore", "resume", "retry", "revoke", "run"),
    *("search", "send", "set", "simulate", "stop", "stream", "submit", "test", "view"),
)
_VERBS = {verb: verb for verb in _KNOWN_VERBS} | {"show": "get", "put": "set"}
#: words of a part of the API that are no noun of one thing
_NOUNS = {"frontier": "frontier page", "discovered links": "discovered link", "alerts": "alert", "index": "index"}
#: families whose operations have the names of others, and what tells them apart
_FAMILIES = (
    ("/api/v2", "V2"),
    ("/api/admin", "InEnvelope"),
    ("/admin", "OfJobBoard"),
    ("/sse", "OverSse"),
    ("/api/health", "InEnvelope"),
)


def operation_name(method: str, path: str, function: str, tag: str) -> str:
    """A name such as addTakedown; not yet told apart from those of other families."""
    if (method, path) in _CHOSEN:
        return _CHOSEN[method, path]
    first, *rest = function.split("_")
    verb = _VERBS.get(first, "get")
    rest = rest if first in _VERBS else [first, *rest]
    noun = _NOUNS.get(tag, _singular(tag)).split()
    said = {_singular(word) for word in rest}
    # "add channel" of notifications adds a notification channel; "list sources" of sources says it already.
    return _camel([verb, *(word for word in noun if _singular(word) not in said), *rest])


def distinct(names: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """The names of all operations by method and path, each once."""
    taken: set[str] = set()
    chosen: dict[tuple[str, str], str] = {}
    for method, path in sorted(names, key=lambda key: (_family(key[1]) != "", key[1].count("/"), key)):
        name = names[method, path]
        if name in taken:
            name += _family(path)
        if name in taken:
            name = _camel([name, "at", *re.findall(r"\w+", path.rsplit("}", 1)[-1] or path)])
        taken.add(name)
        chosen[method, path] = name
    return chosen


def _family(path: str) -> str:
    return next((words for start, words in _FAMILIES if path.startswith(start)), "")


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word.removesuffix("s") if not word.endswith(("ss", "us")) else word


def _camel(words: list[str]) -> str:
    first, *rest = words
    return first[:1].lower() + first[1:] + "".join(word[:1].upper() + word[1:] for word in rest)
