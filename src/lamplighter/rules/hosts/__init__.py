"""How gently must a host be treated?"""
