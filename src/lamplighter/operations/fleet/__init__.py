"""Which processes are there, is crawling paused, and how is the system doing?"""
