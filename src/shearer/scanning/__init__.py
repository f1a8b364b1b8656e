"""Scan: what depends on what in a table, in pairs and beyond, and how sure it is."""

from shearer.scanning.scan_result import Scan
from shearer.scanning.scanner import scan

__all__ = ["Scan", "scan"]
