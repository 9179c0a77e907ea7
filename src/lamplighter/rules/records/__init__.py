"""How is a search query read, how are its hits marked, and is a record still there?"""
