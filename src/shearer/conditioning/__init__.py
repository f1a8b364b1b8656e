"""Dependence that is left once conditions are known: residual features, and tests of their products.

conditions -> designs -> ridge -> residual features of each variable -> sums over rows of their products -> p-values.
"""
