"""When does a crawl job run next, and why?"""
