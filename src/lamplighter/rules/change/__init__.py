"""How often does something change, and did it change now?"""
