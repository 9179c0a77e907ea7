"""What can an operator do with crawl jobs and the schedule?"""
