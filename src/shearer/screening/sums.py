"""The sums of every variable that its pairs need, each by the cheapest way to them."""

import numpy as np

from shearer._threads import Each, map_threads
from shearer.screening.marginals import Marginals, join, marginals
from shearer.screening.polynomials import groups_of, polynomial_sums
from shearer.screening.similarities import Similarities

# Entries of matrices, or of polynomials, that are formed at a time.
BATCH = 2**18
# Mean square of the centred form below which sums of polynomials have lost too many digits for a third moment.
_FLAT = 3e-4


def marginals_of(similarities: Similarities, each: Each = map_threads) -> Marginals:
    """The sums of every variable: by polynomials where they serve, else by whole matrices, a few at a time."""
    scalars = similarities.scalars
    groups = groups_of(scalars, BATCH) if similarities.presence.complete else []
    parts, order = [], []
    found = each(lambda group: polynomial_sums(scalars, *group), groups)
    for (columns, _), sums in zip(groups, found, strict=True):
        kept = sums.centered.second[:, 0] > _FLAT
        every = Marginals(sums.mean, sums.shift, sums.slope, sums.usable, sums.raw, sums.centered)
        parts.append(every[kept])
        order.append(scalars.index[columns[kept]])
    rest = np.setdiff1d(np.arange(similarities.count), np.concatenate([*order, np.empty(0, dtype=np.intp)]))
    others, size = similarities.restrict(rest), max(1, BATCH // similarities.rows**2)
    spans = [slice(start, min(start + size, len(rest))) for start in range(0, len(rest), size)]
    parts += each(lambda span: marginals(others.matrices(span)), spans)
    return join(parts)[np.argsort(np.concatenate([*order, rest]), kind="stable")]
