"""What can an operator see of runs, and how are they started and stopped?"""
