"""Methods that behave badly, by name, so that files and processes can load them."""

import os
import time

from shearer.yardstick import Method


def middle(x, y):
    return float(abs(x.mean()) % 1)


def sleeps(x, y):
    time.sleep(600)
    return 0.5


def dies(x, y):
    os._exit(3)


def interrupts(x, y):
    raise KeyboardInterrupt("a last word")


def prints(x, y):
    print("noise on the standard output")
    return 0.5


def refuses(x, y):
    raise ValueError("not this")


judged = Method("judged", middle, source="a test")
