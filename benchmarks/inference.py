"""Tests without permutations beside hyppo's: the same samples, the same run, rivals compiled first."""

import subprocess
import sys
import warnings

import numpy as np

import shearer as sh
from benchmarks.cases import PEAK, Case, best
from shearer.data import read
from shearer.pairs.engine import PairTests

ROWS, RESAMPLES, TIMED = 2000, 1000, 20


def permutation_seconds(x: np.ndarray, y: np.ndarray) -> float:
    """hyppo's Hsic with 1000 permutations, extrapolated from 20: its cost is proportional to their number."""
    from hyppo.independence import Hsic

    Hsic().test(x[:100], y[:100], reps=5, workers=1, auto=False)  # compiles
    base = best(lambda: Hsic().test(x, y, reps=1, workers=1, auto=False), 1)
    more = best(lambda: Hsic().test(x, y, reps=TIMED + 1, workers=1, auto=False), 1)
    return base + (more - base) / TIMED * (RESAMPLES - 1)


def one_test() -> list[Case]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 1))
    y = 0.05 * x + rng.normal(size=(ROWS, 1))
    reference = permutation_seconds(x, y)
    note = f"hyppo Hsic, {RESAMPLES} permutations, extrapolated from {TIMED}"
    cases = []
    for method, target in (("moments", 500), ("aggregated", 100)):
        ours = best(lambda m=method: sh.independence_test(x, y, method=m), 3)
        cases.append(Case(f"{method} test, n={ROWS}", ours, reference, "s", at_least=target, note=note))
    return cases


def defaults() -> Case:
    """One test as it is called without options, ours and hyppo's, which takes a chi-square law and no permutations."""
    from hyppo.independence import Hsic

    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 1))
    y = 0.05 * x + rng.normal(size=(ROWS, 1))
    Hsic().test(x[:100], y[:100])  # compiles
    reference, ours = best(lambda: Hsic().test(x, y), 3), best(lambda: sh.independence_test(x, y), 3)
    return Case(f"default test, n={ROWS}, v hyppo's default", ours, reference, "s", note="hyppo Hsic, chi-square")


def all_pairs() -> Case:
    """p-values of all pairs of 1000 columns x 136 rows, against a loop of hyppo's fastest (Dcorr, chi-square)."""
    from hyppo.independence import Dcorr

    rng = np.random.default_rng(1)
    table = rng.normal(size=(136, 1000))
    Dcorr().test(table[:, :1], table[:, 1:2], auto=True)  # compiles
    sample = 200
    loop = best(lambda: [Dcorr().test(table[:, [k]], table[:, [k + 1]], auto=True) for k in range(sample)], 1)
    ours = best(lambda: sh.pairwise(table, kernel=sh.kernels.Gaussian()).pvalue, 5)
    pairs = 1000 * 999 / 2
    note = f"hyppo Dcorr with its chi-square p-value in a loop, extrapolated from {sample} pairs; one width"
    return Case("p-values of all pairs, 1000 x 136", ours, loop / sample * pairs, "s", at_least=600, note=note)


def ladder_of_all_pairs() -> list[Case]:
    """The aggregated test of all pairs at once, against one pair after the other; complete, and with gaps."""
    rng = np.random.default_rng(2)
    cases = []
    for count, gaps, target in ((1000, 0.0, 500), (150, 0.05, 25)):
        table = rng.normal(size=(136, count))
        table[rng.random(table.shape) < gaps] = np.nan
        whole = read(table, missing="pairwise", pairwise=True)
        sample = np.random.default_rng(3).integers(0, count, size=(100, 2))
        everything = slice(0, count), slice(0, count)
        PairTests.of(read(table[:, :40], missing="pairwise", pairwise=True)).pvalues(slice(0, 40), slice(0, 40))
        ours = best(lambda whole=whole, every=everything: PairTests.of(whole).pvalues(*every), 2)
        loop = best(
            lambda table=table, sample=sample: [
                sh.independence_test(table[:, i], table[:, j], missing="drop") for i, j in sample
            ],
            1,
        )
        name = f"aggregated test of all pairs, {count} x 136" + ", 5 % missing" * (gaps > 0)
        note = f"independence_test in a loop, extrapolated from {len(sample)} pairs"
        reference = loop / len(sample) * count * (count - 1) / 2
        cases.append(Case(name, ours, reference, "s", at_least=target, note=note))
    return cases


MILLION = """
import numpy, time, shearer as sh
rng = numpy.random.default_rng(0); x = rng.normal(size=1_000_000); y = 0.005 * x + rng.normal(size=1_000_000)
start = time.perf_counter(); sh.independence_test(x, y); end = time.perf_counter()
print(end - start, PEAK)
"""


def million_rows() -> Case:
    seconds, mebibytes = map(
        float, subprocess.check_output([sys.executable, "-c", MILLION.replace("PEAK", PEAK)]).split()
    )
    note = f"reference: 2 GiB; {seconds:.0f} s"
    return Case("independence test, n=1,000,000: peak RSS", mebibytes, 2048, "MiB", at_most=1, note=note)


def run() -> list[Case]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rivals' deprecations
        return [*one_test(), defaults(), all_pairs(), *ladder_of_all_pairs(), million_rows()]
