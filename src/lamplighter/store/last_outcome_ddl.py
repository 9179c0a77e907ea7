"""How the latest run of each job ended, filled in where jobs ran before that was kept; for SQLite and PostgreSQL.

Runs that were cancelled, and those of submitted pages, say nothing about how a source stands.
"""

_OF_LATEST = """
    SELECT run.{column} FROM crawl_runs AS run
    WHERE run.job_id = crawl_jobs.id AND run.finished_at IS NOT NULL
        AND run.outcome IN ('ok', 'warn', 'fail') AND run."trigger" <> 'tasks'
    ORDER BY run.number DESC LIMIT 1"""

#: harmless to repeat
FILLED = f"""UPDATE crawl_jobs SET last_outcome = ({_OF_LATEST.format(column="outcome")}),
last_drifted = coalesce(({_OF_LATEST.format(column="has_drifted")}), false)
WHERE last_outcome IS NULL"""
