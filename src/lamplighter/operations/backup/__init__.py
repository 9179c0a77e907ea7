"""How are backups made, listed and restored?"""
