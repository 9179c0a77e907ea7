"""Who may log in, with which role, and what did they do?"""
