"""What can an operator do with pages, tasks and discovered links?"""
