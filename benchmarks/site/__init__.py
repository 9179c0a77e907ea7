"""Which sites and databases are measured?"""
