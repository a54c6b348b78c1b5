"""placeholder"""
from agents.testing.replies import *
def scientist(r: Request, n: int) -> Reply: return Say("x")
