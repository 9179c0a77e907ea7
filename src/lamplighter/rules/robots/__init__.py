"""What does a robots.txt say about a URL, and on which terms may content be used?"""
