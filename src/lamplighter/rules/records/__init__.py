"""How is a search query read, and how are its hits marked?"""
