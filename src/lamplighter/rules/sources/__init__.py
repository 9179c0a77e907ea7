"""How is a source doing?"""
