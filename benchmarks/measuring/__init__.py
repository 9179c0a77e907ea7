"""How is a benchmark measured, judged and shown?"""
