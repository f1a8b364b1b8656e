"""`independence_test` on several threads and with a bar: the same answers."""

from dataclasses import asdict

import numpy as np
import pytest

import shearer as sh
from shearer.inference import aggregated

RNG = np.random.default_rng(2)
X, Z, W = RNG.normal(size=(3, 60))
Y = X**2 + RNG.normal(size=60)
CALLS = {
    "two": ((X, Y), {}),
    "three": ((X, Y, Z), {}),
    "four at one width": ((X, Y, Z, W), {"method": "moments"}),
    "permutations": ((X, Y), {"method": "permutation", "n_resamples": 30}),
    "a measure of three": ((X, Y, Z), {"measure": "dual_total_correlation", "n_resamples": 30}),
    "all permutations of few rows": ((X[:4], Y[:4]), {}),
    "thorough": ((X, Z), {"method": "thorough", "n_resamples": 60}),
    "clusters": ((X, Y), {"cluster": np.arange(60) // 3}),
    "clusters moved": ((X, Y), {"cluster": np.arange(60) // 3, "method": "permutation", "n_resamples": 30}),
    "given": ((X, Y), {"given": Z}),
    "given, by permutations": ((X, Y), {"given": Z, "method": "permutation", "n_resamples": 30}),
}


def answers(result):
    found = asdict(result)
    return {key: found[key] for key in ("statistic", "pvalue", "method", "names", "rows")} | {
        "components": [tuple(component.values()) for component in found["components"]],
        "null": None if result.null_distribution is None else result.null_distribution.tolist(),
    }


@pytest.mark.parametrize("name", CALLS)
def test_the_same_for_any_number_of_threads(name, monkeypatch):
    monkeypatch.setattr(aggregated, "_BAND", 300)  # several bands of few rows
    data, options = CALLS[name]
    expected = repr(answers(sh.independence_test(*data, **options)))
    for jobs in (1, 2, -1):
        assert repr(answers(sh.independence_test(*data, n_jobs=jobs, progress=False, **options))) == expected


def test_bands_are_pieces_of_one_sum(monkeypatch):
    whole = sh.independence_test(X, Y, Z)
    monkeypatch.setattr(aggregated, "_BAND", 1)  # a row at a time
    pieces = sh.independence_test(X, Y, Z, n_jobs=2)
    for one, other in zip(whole.components, pieces.components, strict=True):
        assert one.pvalue == pytest.approx(other.pvalue, rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"method": "permutation", "n_resamples": 9}])
def test_a_bar_counts_what_is_done(options, monkeypatch):
    seen = []

    def track(iterable, total, label, enabled=None):
        found = list(iterable)
        seen.append((len(found) == total, label, enabled))
        return iter(found)

    monkeypatch.setattr(aggregated, "track", track)
    monkeypatch.setattr("shearer.inference.permutation.resampling.track", track)
    sh.independence_test(X, Y, Z, progress=True, **options)
    assert {entry[::2] for entry in seen} == {(True, True)}
    assert {entry[1] for entry in seen} == {"permutations" if options else "pairs of rows"}


@pytest.mark.parametrize(("jobs", "error"), [(0, ValueError), (1.5, TypeError), ("all", TypeError), (True, ValueError)])
def test_numbers_of_threads_that_cannot_be(jobs, error):
    with pytest.raises(error, match="n_jobs: expected a number of threads, or -1 for all"):
        sh.independence_test(X, Y, n_jobs=jobs)
