"""Every path that outside programs rely on, as the design documents name them; `{}` stands for an id."""

JOB_BOARD = """
POST /admin/crawl/run
POST /admin/crawl/run_due
GET /admin/crawl/status
GET /admin/crawl/logs
GET /admin/robots/{}
GET /admin/domain_policies/{}
POST /admin/domain_policies/{}
GET /admin/sources
POST /admin/sources
PATCH /admin/sources/{}
DELETE /admin/sources/{}
DELETE /admin/sources/{}/permanent
POST /admin/sources/{}/test
POST /admin/sources/{}/simulate_extract
GET /admin/sources/{}/export
POST /admin/sources/import
"""

SCHEDULER = """
GET /health
GET /api/v1/jobs
POST /api/v1/jobs
GET /api/v1/jobs/{}
PUT /api/v1/jobs/{}
DELETE /api/v1/jobs/{}
GET /api/v1/jobs/status-counts
POST /api/v1/jobs/{}/pause
POST /api/v1/jobs/{}/resume
POST /api/v1/jobs/{}/cancel
POST /api/v1/jobs/{}/retry
POST /api/v2/jobs/{}/force-run
GET /api/v1/jobs/{}/executions
GET /api/v1/executions/{}
GET /api/v1/jobs/{}/stats
GET /api/v1/scheduler/metrics
GET /api/v1/scheduler/distribution
POST /api/v1/scheduler/rebalance
POST /api/v1/scheduler/rebalance/preview
GET /api/v1/jobs/{}/logs
GET /api/v1/jobs/{}/logs/stream
GET /api/v1/jobs/{}/logs/stream/v2
GET /api/v1/jobs/{}/logs/download
GET /api/v1/jobs/{}/logs/view
GET /api/v1/frontier
POST /api/v1/frontier
GET /api/v1/frontier/stats
POST /api/v1/frontier/submit
GET /api/v1/frontier/{}
POST /api/v1/frontier/{}/retry
DELETE /api/v1/frontier/{}
GET /api/v1/discovered-links
GET /api/v1/discovered-links/{}
DELETE /api/v1/discovered-links/{}
POST /api/v1/discovered-links/{}/create-job
GET /sse/crawler/events
GET /sse/health/events
GET /sse/metrics/events
GET /api/crawler/events
GET /api/health/events
GET /api/metrics/events
POST /api/v1/admin/sync-enabled-sources
"""

LIFECYCLE = """
GET /api/v1/sources
POST /api/v1/sources
GET /api/v1/sources/{}
PUT /api/v1/sources/{}
DELETE /api/v1/sources/{}
POST /api/v1/sources/{}/enable
POST /api/v1/sources/{}/disable
POST /api/v1/sources/bulk
GET /api/v1/jobs/stats
GET /api/v1/jobs/by-source/{}
POST /api/v1/jobs/{}/force-run
PUT /api/v1/jobs/{}/override
POST /api/v1/jobs/bulk
GET /api/v1/sources/{}/executions
GET /api/v1/events/log
"""

TASKS = """
POST /api/admin/tasks
POST /api/admin/tasks/batch
GET /api/admin/tasks/{}
GET /api/admin/tasks
POST /api/admin/tasks/{}/restart
POST /api/admin/tasks/{}/restart-parsing
POST /api/admin/tasks/restart-failed
POST /api/admin/tasks/{}/pause
POST /api/admin/tasks/{}/resume
PATCH /api/admin/tasks/{}/priority
DELETE /api/admin/tasks/{}
GET /api/admin/tasks/stats
POST /api/admin/domains
GET /api/admin/domains
GET /api/admin/domains/{}
PATCH /api/admin/domains/{}
POST /api/admin/domains/{}/enable
POST /api/admin/domains/{}/disable
POST /api/admin/domains/{}/refresh-robots
POST /api/admin/proxies
GET /api/admin/proxies
GET /api/admin/proxies/{}
PATCH /api/admin/proxies/{}
DELETE /api/admin/proxies/{}
POST /api/admin/proxies/{}/enable
POST /api/admin/proxies/{}/disable
POST /api/admin/domains/{}/proxies
GET /api/admin/domains/{}/proxies
DELETE /api/admin/domains/{}/proxies/{}
POST /api/admin/domains/{}/proxies/{}/enable
POST /api/admin/domains/{}/proxies/{}/disable
GET /api/admin/domains/{}/proxies/stats
GET /api/products/search
GET /api/products/{}
GET /api/products
GET /api/health
GET /api/admin/stats
GET /api/admin/queues
"""

#: beyond the documents, but promised in the interfaces
OURS = """
GET /openapi.json
GET /docs
GET /api/v1/records
"""

PROMISED = frozenset(
    line for paths in (JOB_BOARD, SCHEDULER, LIFECYCLE, TASKS, OURS) for line in paths.split("\n") if line
)
