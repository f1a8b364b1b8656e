"""An independent computation of entropies and measures with 50 digits (mpmath), from raw data and widths.

Nothing of shearer is used: kernels are formed entry by entry, eigenvalues come from mpmath's own solver,
the measures are written out from their definitions.
"""

from itertools import combinations

import mpmath as mp

mp.mp.dps = 50


def gaussian(values, width):
    """Kernel matrix of rows of numbers; every float is taken as the exact binary number it is."""
    scale = 2 * mp.mpf(float(width)) ** 2
    return _matrix(values, lambda x, y: mp.exp(-mp.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / scale))


def laplacian(values, width):
    """exp(-|x - y|_1 / width)."""
    scale = mp.mpf(float(width))
    return _matrix(values, lambda x, y: mp.exp(-mp.fsum(abs(a - b) for a, b in zip(x, y, strict=True)) / scale))


def _matrix(values, kernel):
    rows = [[mp.mpf(float(v)) for v in row] for row in values]
    return mp.matrix([[kernel(x, y) for y in rows] for x in rows])


def delta(labels):
    return mp.matrix([[mp.mpf(a == b) for b in labels] for a in labels])


def spectrum(kernels):
    """Eigenvalues of the normalised Hadamard product that are more than round-off."""
    n = kernels[0].rows
    joint = mp.matrix(n, n)
    for i in range(n):
        for j in range(n):
            joint[i, j] = mp.fprod(kernel[i, j] for kernel in kernels) / n
    return [value for value in mp.eigsy(joint, eigvals_only=True) if value > mp.mpf(10) ** (10 - mp.mp.dps)]


def entropy(kernels, alpha):
    """S_alpha in bits of the normalised Hadamard product."""
    return entropy_of(spectrum(kernels), alpha)


def entropy_of(eigenvalues, alpha):
    """S_alpha in bits of a spectrum of sum 1."""
    if alpha == mp.inf:
        return -mp.log(max(eigenvalues), 2)
    if alpha == 1:
        return -mp.fsum(value * mp.log(value, 2) for value in eigenvalues)
    if alpha == 0:
        return mp.log(len(eigenvalues), 2)
    order = mp.mpf(alpha)
    return mp.log(mp.fsum(value**order for value in eigenvalues), 2) / (1 - order)


class Oracle:
    """All entropies of subsets of the given kernel matrices."""

    def __init__(self, kernels, alpha):
        self.kernels, self.alpha, self.known, self.spectra = kernels, alpha, {}, {}

    def at(self, alpha):
        """The same at another order, with the spectra that are known."""
        other = Oracle(self.kernels, alpha)
        other.spectra = self.spectra
        return other

    def entropy(self, *subset):
        key = tuple(sorted(subset))
        if not key:
            return mp.mpf(0)
        if key not in self.known:
            if key not in self.spectra:
                self.spectra[key] = spectrum([self.kernels[i] for i in key])
            self.known[key] = entropy_of(self.spectra[key], self.alpha)
        return self.known[key]

    @property
    def everyone(self):
        return tuple(range(len(self.kernels)))

    def total_correlation(self, normalize):
        marginals = [self.entropy(i) for i in self.everyone]
        raw = mp.fsum(marginals) - self.entropy(*self.everyone)
        return raw / (mp.fsum(marginals) - max(marginals)) if normalize else raw

    def dual_total_correlation(self, normalize):
        count = len(self.kernels)
        rests = [self.entropy(*rest) for rest in combinations(self.everyone, count - 1)]
        raw = mp.fsum(rests) - (count - 1) * self.entropy(*self.everyone)
        return raw / self.entropy(*self.everyone) if normalize else raw

    def mutual_information(self, normalize):
        a, b, joint = self.entropy(0), self.entropy(1), self.entropy(0, 1)
        by = {False: 1, True: max(a, b), "max": max(a, b), "min": min(a, b), "joint": joint}
        by |= {"mean": (a + b) / 2, "sqrt": mp.sqrt(a * b)}
        return (a + b - joint) / by[normalize]

    def conditional_mutual_information(self):
        """I(0; 1 | 2)."""
        return self.entropy(0, 2) + self.entropy(1, 2) - self.entropy(0, 1, 2) - self.entropy(2)

    def shearer_gap(self, subsets, normalize):
        """Weight 1 each; c is the smallest number of subsets that hold a variable."""
        depth = min(sum(i in subset for subset in subsets) for i in self.everyone)
        parts = [self.entropy(*subset) for subset in subsets]
        average, joint = mp.fsum(parts) / depth, self.entropy(*self.everyone)
        by = {False: 1, "marginal": average - max(parts), "joint": (mp.mpf(len(subsets)) / depth - 1) * joint}
        return (average - joint) / by[normalize]

    def o_information(self):
        return self.total_correlation(False) - self.dual_total_correlation(False)

    def s_information(self):
        return self.total_correlation(False) + self.dual_total_correlation(False)

    def co_information(self):
        subsets = [s for size in range(1, len(self.kernels) + 1) for s in combinations(self.everyone, size)]
        return -mp.fsum((-1) ** len(subset) * self.entropy(*subset) for subset in subsets)
