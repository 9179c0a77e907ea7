"""What can an operator do with sources: add, change, list, import, export, tag?"""
