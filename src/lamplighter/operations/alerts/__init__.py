"""What is wrong, who is notified, and through which channel?"""
