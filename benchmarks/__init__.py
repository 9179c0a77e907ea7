"""How much CPU, time and memory does a crawl cost, beside the crawlers people would otherwise use?"""
