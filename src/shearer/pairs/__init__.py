"""The engine of the tests of pairs: one pair is a batch of one.

rungs -> features -> sums over rows -> moments -> tails.
"""
