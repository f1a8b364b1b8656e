"""Tests by rearranged rows."""
