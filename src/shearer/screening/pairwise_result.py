"""The result of `pairwise`: a dependence for every pair."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer import plotting
from shearer._cached import cached_property
from shearer._validate import check_option, value_error
from shearer.inference.pvalue import adjusted_pvalues
from shearer.pairs.limits import FEWEST_ROWS
from shearer.screening.frames import header, make_frame, pick_names
from shearer.screening.significance import Significance

Floats = NDArray[Any]

LAYOUTS = ("long", "wide")
_TESTED, _STRENGTHS = ("pvalue", "qvalue", "adjusted"), ("strength", "strength_low", "strength_high")


@dataclass(frozen=True, eq=False, repr=False)
class Pairwise:
    """A measure, strengths and p-values of all pairs of variables, or of all variables with targets.

    Attributes
    ----------
    value : NDArray
        I* (or I in bits, or another measure) of every pair, symmetric, shape (p, p). On the diagonal stands a variable
        with itself, I(x;x) normalised like the others: the most that a variable of its kind reaches with a copy (below
        1 unless the kernel is 0 or 1 everywhere, as for labels), and 0 for a constant. With targets, shape (p,) for a
        single one or (p, t) for a collection of t. nan where two variables have fewer than two rows in common.
    joint : NDArray
        Joint entropies in bits, of the same shape.
    entropy : NDArray
        Entropies in bits of the p variables, each on the rows that it has.
    rows : int or NDArray
        Rows used; with ``missing="pairwise"`` the number for each pair, in the shape of `value`.
    names : tuple of str
        The p variables.
    alpha : float
        Order of the entropy.
    normalize : bool or str
        What `value` is divided by; see the function of the measure's name.
    measure : str
        What `value` is.
    target : tuple of str
        The targets; empty if all pairs were asked for.
    target_entropy : NDArray or None
        Entropies in bits of the targets, shape () or (t,).
    error : float
        Bound in bits on the error of any I, round-off aside: 0 unless the similarities were factored.
    route : str
        How it was computed: "triangles" (alpha 2), "low rank" (alpha 2, tall tables), "spectra" (any other alpha).
    library : str
        Whose tables `to_frame` makes.
    significance : callable or None
        Makes what `pvalue`, `qvalue`, `adjusted` and `strength` are computed from when first asked for.

    Examples
    --------
    >>> from shearer.screening import pairwise
    >>> m = pairwise({"a": ["x", "x", "y", "y"], "b": ["u", "u", "v", "v"], "c": ["s", "t", "s", "t"]})
    >>> m.value
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    >>> m
    Pairwise(3 variables, 4 rows, alpha=2, triangles)
    """

    value: Floats
    joint: Floats
    entropy: Floats
    rows: Any
    names: tuple[str, ...]
    alpha: float
    normalize: bool | str
    measure: str
    target: tuple[str, ...]
    target_entropy: Floats | None
    error: float
    route: str
    library: str
    significance: Callable[[], Significance] | None = None

    @cached_property
    def pvalue(self) -> Floats:
        """p-value of every pair, in the shape of `value`: that of `shearer.independence_test`, without permutations.

        At several widths, or at the one width of the kernel where a kernel is stated; with `cluster`, for rows that
        come in clusters. 1 on the diagonal, and where a variable is constant or nearly all its rows are unlike. Each
        pair is tested on the rows that both variables have; nan where these are fewer than 6. Computed when first asked
        for.

        Examples
        --------
        >>> import numpy as np
        >>> import shearer as sh
        >>> x = np.random.default_rng(0).normal(size=(100, 3))
        >>> x[:, 2] = x[:, 0] ** 2
        >>> m = sh.pairwise(x)
        >>> bool(m.qvalue[0, 2] < 1e-6), bool(m.qvalue[0, 1] > 0.05)
        (True, True)
        """
        return self._significance.pvalues().reshape(self.value.shape)

    @cached_property
    def qvalue(self) -> Floats:
        """`pvalue` adjusted for the number of tests: the false discovery rate at which each would be reported."""
        qvalue = self.pvalue.copy()
        tested = ~np.isnan(qvalue)
        if not self.target:
            tested &= np.tri(len(self.names), k=-1, dtype=bool).T
        qvalue[tested] = adjusted_pvalues(qvalue[tested])
        if not self.target:
            below = np.tril_indices(len(self.names), -1)
            qvalue[below] = qvalue.T[below]
        return qvalue

    @cached_property
    def adjusted(self) -> Floats:
        """Chance-adjusted I, in the shape of `value`: 0 in expectation under independence, 1 for scaled copies.

        nan where `pvalue` is.
        """
        return self._significance.adjusted(self._pairs(self.joint)).reshape(self.value.shape)

    @cached_property
    def strength(self) -> Floats:
        """How strong each dependence is, on the scale of a correlation, in the shape of `value`; whatever the order.

        0 in mean for independent variables of any kind, 1 for copies, close to the size of the correlation for two
        normal variables; chance can make it a little negative. The alignment of similarities as a share of what it can
        be, at those of several widths of both variables where that is largest, less what the choice gains by chance, as
        a root with its sign; at one width where a kernel is stated. 0 with a constant; nan where two variables have
        fewer than 6 rows in common. Computed when first asked for.

        Examples
        --------
        >>> import numpy as np
        >>> import shearer as sh
        >>> x = np.random.default_rng(0).normal(size=(400, 2))
        >>> m = sh.pairwise({"a": x[:, 0], "twice": 2 * x[:, 0], "noisy": 0.6 * x[:, 0] + 0.8 * x[:, 1]})
        >>> m.strength[0].round(1).tolist()
        [1.0, 1.0, 0.6]
        >>> bool(m.strength_low[0, 2] < 0.6 < m.strength_high[0, 2])
        True
        """
        return self._tested("strength").strengths().reshape(self.value.shape)

    @property
    def strength_low(self) -> Floats:
        """Lower ends of the 95 % confidence intervals of `strength`, 0 where independence cannot be excluded."""
        return self._strength_ends[0]

    @property
    def strength_high(self) -> Floats:
        """Upper ends of the 95 % confidence intervals of `strength`: bounds where independence cannot be excluded."""
        return self._strength_ends[1]

    @cached_property
    def _strength_ends(self) -> tuple[Floats, Floats]:
        low, high = self._tested("strength").strength_intervals()
        return low.reshape(self.value.shape), high.reshape(self.value.shape)

    def _pairs(self, values: Floats) -> Floats:
        """Of a single target too, one column."""
        return values.reshape(len(self.names), -1)

    @property
    def _significance(self) -> Significance:
        if self.alpha != 2:
            hint = "permutation_test takes any order."
            raise value_error("pvalue", "alpha=2", f"alpha={self.alpha:g}", hint)
        return self._tested("pvalue")

    def _tested(self, name: str) -> Significance:
        rows = int(np.max(self.rows))
        if rows < FEWEST_ROWS:
            raise value_error(name, f"at least {FEWEST_ROWS} rows", f"{rows}")
        return self._made

    @cached_property
    def _made(self) -> Significance:
        if self.significance is None:
            raise value_error("significance", "a result of pairwise", "one made by hand")
        return self.significance()

    def __repr__(self) -> str:
        """What was compared, and how."""
        against = f" with {len(self.target)} target{'s'[: len(self.target) != 1]}" if self.target else ""
        rows = f"{self.rows}" if isinstance(self.rows, int) else f"{self.rows.min()} to {self.rows.max()}"
        return f"Pairwise({len(self.names)} variables{against}, {rows} rows, alpha={self.alpha:g}, {self.route})"

    def to_frame(self, layout: str = "long", *, pvalues: bool = False, strengths: bool = False) -> Any:
        """The values as a table: polars, or pandas or pyarrow if the data came from there.

        Parameters
        ----------
        layout : {"long", "wide"}
            "long": one row for each pair (i < j), or each variable with each target, in columns first, second,
            value, joint, and rows where it differs between pairs. "wide": one row for each variable, one column for
            each it is compared with.
        pvalues : bool
            With "long": columns pvalue, qvalue and adjusted as well.
        strengths : bool
            With "long": columns strength, strength_low and strength_high as well.

        Examples
        --------
        >>> from shearer.screening import pairwise
        >>> m = pairwise({"a": ["x", "x", "y", "y"], "b": ["u", "u", "v", "v"], "c": ["s", "t", "s", "t"]})
        >>> m.to_frame().rows()
        [('a', 'b', 1.0, 1.0), ('a', 'c', 0.0, 2.0), ('b', 'c', 0.0, 2.0)]
        >>> m.to_frame("wide").columns
        ['name', 'a', 'b', 'c']
        """
        check_option("layout", layout, LAYOUTS)
        names: tuple[str, ...] = ("value", "joint")
        for option, asked, more in (("pvalues", pvalues, _TESTED), ("strengths", strengths, _STRENGTHS)):
            check_option(option, asked, (False, True))
            if layout == "wide" and asked:
                raise value_error(option, 'False with layout="wide"', "True", 'Use layout="long".')
            names += more if asked else ()
        return make_frame(self._wide() if layout == "wide" else self._long(names), self.library)

    def plot(self, kind: str = "heatmap", *, fdr: float = 0.05, ax: Any = None) -> Any:
        """Draw the values with matplotlib.

        Parameters
        ----------
        kind : {"heatmap", "network"}
            All values as coloured cells; or, of all pairs, those with a q-value of at most `fdr` as links.
        fdr : float, default 0.05
            Of the links of a network.
        ax : matplotlib.axes.Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> import shearer as sh
        >>> table = sh.datasets.planted_table(60).columns
        >>> axes = sh.pairwise(table).plot()
        """
        check_option("kind", kind, ("heatmap", "network"))
        if kind == "heatmap":
            value = self.value.reshape(len(self.names), -1)
            return plotting.heatmap(value, self.names, columns=self.target or None, ax=ax)
        if self.target:
            raise value_error("kind", '"heatmap" with targets', '"network"', "A network is of all pairs.")
        return plotting.network(np.where(self.qvalue <= fdr, self.value, 0.0), self.names, ax=ax)

    def _long(self, names: tuple[str, ...]) -> dict[str, Any]:
        others = self.target or self.names
        shape = len(self.names), len(others)
        first, second = np.indices(shape).reshape(2, -1) if self.target else np.triu_indices(shape[0], 1)
        columns = {"first": pick_names(self.names, first), "second": pick_names(others, second)}
        columns |= {name: getattr(self, name).reshape(shape)[first, second] for name in names}
        return columns if isinstance(self.rows, int) else columns | {"rows": self.rows.reshape(shape)[first, second]}

    def _wide(self) -> dict[str, Any]:
        others = self.target or self.names
        value = self.value.reshape(len(self.names), len(others))
        columns: dict[str, Any] = {header("name", others): list(self.names)}
        return columns | {name: value[:, position] for position, name in enumerate(others)}
