"""The demonstration behind `shearer demo`: a planted table, measured, and the picture of it."""

from shearer.demo.run import Demonstration, Finding, demonstrate

__all__ = ["Demonstration", "Finding", "demonstrate"]
