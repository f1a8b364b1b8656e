"""A yardstick for tests and measures of dependence: designs with known answers, anyone's method, one page."""

from shearer.yardstick.known_design import TASKS, Design, Suite
from shearer.yardstick.method import Command, Method, load_method
from shearer.yardstick.pictured import render
from shearer.yardstick.ranked_scores import losses, summary
from shearer.yardstick.registered import METHODS
from shearer.yardstick.running import QUICK, Effort, run
from shearer.yardstick.stored import merge, read_document
from shearer.yardstick.suites import SUITES

__all__ = [
    "METHODS",
    "QUICK",
    "SUITES",
    "TASKS",
    "Command",
    "Design",
    "Effort",
    "Method",
    "Suite",
    "load_method",
    "losses",
    "merge",
    "read_document",
    "render",
    "run",
    "summary",
]
