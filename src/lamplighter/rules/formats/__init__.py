"""How are values written for files, queues and people?"""
