"""What can an operator set for hosts, and which sites are taken down?"""
