"""What a test should fulfil before it is judged."""

import numpy as np
from my_method import kendall

from shearer.yardstick import SUITES


def pvalues(design: str, trials: int) -> list[float]:
    """Of the first trials of a design."""
    suite = SUITES["independence"]
    return [kendall.answer(suite.draw(design, trial), "independence", trial) for trial in range(trials)]


def test_it_is_a_probability_and_repeats_itself() -> None:
    """The same data give the same number."""
    found = pvalues("linear", 5)
    assert all(0 <= p <= 1 for p in found)
    assert found == pvalues("linear", 5)


def test_it_holds_its_level() -> None:
    """Of 200 trials at 5 % more than 21 would be a chance of less than 1 in 1000."""
    assert np.sum(np.array(pvalues("null: normal", 200)) <= 0.05) <= 21
