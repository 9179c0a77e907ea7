"""How are records searched, exported, removed and indexed?"""
