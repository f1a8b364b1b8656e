"""The engine beside the dense route: certified low rank, Frobenius tiles, cost in L and in n."""

import os
import subprocess
import sys

import numpy as np
import scipy.linalg

import shearer as sh
from benchmarks.cases import PEAK, Case, best
from shearer._threads import single_threaded_blas
from shearer.spectrum.dense import Dense
from shearer.spectrum.request import Request


def slope(sizes: list[float], seconds: list[float]) -> float:
    """Exponent of the cost, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def certified_mutual_information() -> Case:
    """I* of two scalars, n=4000, alpha=1.01, certified to 1e-6, one thread each."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    y = x + rng.normal(size=4000)

    def ours() -> sh.Estimate:
        return sh.Dependence(x, y, alpha=1.01, tol=1e-6).mutual_information()

    def dense() -> float:
        """The same measure from all eigenvalues of the three matrices."""
        grams = sh.kernels.grams(sh.Dependence(x, y)._table)
        request = Request(1.01, memory=10**10)
        a, b, joint = (Dense().solve(g, request).value for g in (*grams, grams[0].hadamard(grams[1])))
        return (a + b - joint) / max(a, b)

    with single_threaded_blas():
        ours()
        mine, reference = best(ours, 7), best(dense, 1)
        estimate = ours()
        assert estimate.width <= 1e-6
        assert abs(estimate.value - dense()) <= 1e-6
    return Case(
        "I*, 2 scalars, n=4000, alpha 1.01, to 1e-6", mine, reference, "s", at_least=150, note="one thread each"
    )


def frobenius_total_correlation() -> Case:
    """T* of five scalars, n=2000, alpha=2, widths included, against the dense route at alpha=1.01."""
    rng = np.random.default_rng(1)
    common = rng.normal(size=2000)
    columns = [common + rng.normal(size=2000) for _ in range(5)]

    def ours() -> sh.Estimate:
        return sh.Dependence(*columns, alpha=2, tol=1e-6).total_correlation()

    def dense() -> sh.Estimate:
        return sh.Dependence(*columns, alpha=1.01, tol=0).total_correlation()

    ours(), dense()
    mine, reference = min(best(ours, 5) for _ in range(4)), best(dense, 3)
    note = "widths inside both times; all threads for both"
    return Case("T*, 5 scalars, n=2000, alpha 2 v dense 1.01", mine, reference, "s", at_least=100, note=note)


def dense_route() -> Case:
    """Our dense route against scipy's eigenvalues of the ready matrix."""
    rng = np.random.default_rng(2)
    gram = sh.kernels.grams(sh.Dependence(rng.normal(size=(1500, 3)))._table)[0]
    matrix = gram.dense() / gram.n
    request = Request(1.01, memory=10**10)
    pairs = [
        (best(lambda: Dense().solve(gram, request), 1), best(lambda: scipy.linalg.eigvalsh(matrix), 1))
        for _ in range(9)
    ]
    mine, reference = (min(column) for column in zip(*pairs, strict=True))
    return Case(
        "dense route, n=1500, v scipy eigvalsh", mine, reference, "s", at_most=1.1, note="kernel included in ours"
    )


def frobenius_hundred_thousand() -> Case:
    """n = 100,000 at alpha = 2 without a matrix: nanoseconds a pair, and memory."""
    script = (
        "import numpy, time, shearer as sh; x = numpy.random.default_rng(0).normal(size=(100_000, 2));"
        "start = time.perf_counter(); sh.entropy(x, alpha=2); seconds = time.perf_counter() - start;"
        f"print(seconds, {PEAK})"
    )
    seconds, mebibytes = map(float, subprocess.check_output([sys.executable, "-c", script]).split())
    note = f"{seconds:.1f} s, {seconds / (1e10 / 2) * 1e9:.2f} ns a pair; reference: 1 GiB; the matrix would be 80 GB"
    return Case("entropy, n=100,000, d=2, alpha 2, exact: peak RSS", mebibytes, 1024, "MiB", at_most=1, note=note)


MILLION = """
import sys, time, numpy, shearer as sh
n = int(sys.argv[1]); rng = numpy.random.default_rng(0)
x = rng.normal(size=n); y = x + rng.normal(size=n)
start = time.perf_counter(); estimate = sh.Dependence(x, y, tol=1e-6).mutual_information(); end = time.perf_counter()
assert estimate.width <= 1e-6 and estimate.certified
print(end - start, PEAK)
"""


def million_rows() -> list[Case]:
    """I* of two scalars certified to 1e-6, in a child process: memory at a million rows, slope from ten thousand."""
    sizes, seconds, memory = [10_000, 31_623, 100_000, 316_228, 1_000_000], [], 0.0
    for n in sizes:
        taken, memory = map(
            float, subprocess.check_output([sys.executable, "-c", MILLION.replace("PEAK", PEAK), str(n)]).split()
        )
        seconds.append(taken)
    times = ", ".join(f"n={n}: {t:.2f} s" for n, t in zip(sizes, seconds, strict=True))
    return [
        Case("I*, n=1,000,000, to 1e-6: peak RSS", memory, 1024, "MiB", at_most=1, note="reference: 1 GiB"),
        Case("I*, n=1e4..1e6, to 1e-6: slope of log time", slope(sizes, seconds), 1, "", at_most=1.15, note=times),
    ]


def linear_in_variables() -> list[Case]:
    """Time of T* and D* in the number of variables."""
    rng = np.random.default_rng(3)
    table = rng.normal(size=(400, 64)) + rng.normal(size=(400, 1))
    sizes = [2, 4, 8, 16, 32, 64]
    cases = []
    for name in ("total_correlation", "dual_total_correlation"):
        seconds = [best(lambda p=p, m=name: getattr(sh.Dependence(table[:, :p]), m)(), 3) for p in sizes]
        times = ", ".join(f"L={p}: {t:.3f} s" for p, t in zip(sizes, seconds, strict=True))
        cases.append(Case(f"{name}, L=2..64, n=400: slope", slope(sizes, seconds), 1, "", at_most=1.15, note=times))
    return cases


def run() -> list[Case]:
    if os.getloadavg()[0] > 1:
        print(f"the machine is busy (load {os.getloadavg()[0]:.1f}): ratios may suffer", file=sys.stderr)
    return [
        certified_mutual_information(),
        frobenius_total_correlation(),
        dense_route(),
        frobenius_hundred_thousand(),
        *million_rows(),
        *linear_in_variables(),
    ]
