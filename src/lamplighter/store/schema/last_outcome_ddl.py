"""SQL that fills in the outcome of each job's latest run, for jobs that ran before the column existed.

Cancelled runs, and runs of tasks, say nothing about the health of a source.
"""

_OF_LATEST = """
    SELECT run.{column} FROM crawl_runs AS run
    WHERE run.job_id = crawl_jobs.id AND run.finished_at IS NOT NULL
        AND run.outcome IN ('ok', 'warn', 'fail') AND run."trigger" <> 'tasks'
    ORDER BY run.number DESC LIMIT 1"""

#: safe to repeat
FILLED = f"""UPDATE crawl_jobs SET last_outcome = ({_OF_LATEST.format(column="outcome")}),
last_drifted = coalesce(({_OF_LATEST.format(column="has_drifted")}), false)
WHERE last_outcome IS NULL"""
