"""Does a table contradict a causal graph? Every independence that the graph implies, tested."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_inside, check_names, describe, type_error, value_error
from shearer.inference.pvalue import adjusted_pvalues
from shearer.screening.frames import make_frame
from shearer.tools.networks.causal import PvalueGiven


@dataclass(frozen=True, eq=False)
class GraphCheck:
    """What the data say of a graph.

    Attributes
    ----------
    missing : list of tuple
        ``(a, b, given)`` of each pair without an arrow: the graph says that they are independent given the parents of
        both.
    pvalues, qvalues : array
        Of these independences, in the same order.
    contradicted : list of tuple
        Those that the data contradict at the false discovery rate: an arrow, or a common cause, is missing.
    unsupported : list of tuple
        ``(a, b)`` of the arrows that the data do not show given the other parents of b.
    fdr : float
        The rate.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> a, e, f = np.random.default_rng(0).normal(size=(3, 200))
    >>> found = sh.tools.check_graph({"a": a, "b": a + e, "c": a + f}, [("a", "b"), ("a", "c")])
    >>> found.missing, found.contradicted
    ([('b', 'c', ('a',))], [])
    """

    missing: list[tuple[str, str, tuple[str, ...]]]
    pvalues: NDArray[np.float64]
    qvalues: NDArray[np.float64]
    contradicted: list[tuple[str, str, tuple[str, ...]]]
    unsupported: list[tuple[str, str]]
    fdr: float

    def __str__(self) -> str:
        """A sentence, and a line for each contradiction."""
        found = f"{len(self.contradicted)} of {len(self.missing)} implied independences are contradicted"
        lines = [f"{a} and {b} depend given {', '.join(given) or 'nothing'}" for a, b, given in self.contradicted]
        lines += [f"{a} -> {b} does not show given the other parents of {b}" for a, b in self.unsupported]
        return "\n".join([f"{found} at a false discovery rate of {self.fdr:g}", *lines])

    def to_frame(self, library: str = "polars") -> Any:
        """One row for each implied independence: first, second, given, pvalue, qvalue."""
        first, second, given = zip(*self.missing, strict=True) if self.missing else ((), (), ())
        columns = {
            "first": np.array(first, dtype=object),
            "second": np.array(second, dtype=object),
            "given": np.array([", ".join(names) for names in given], dtype=object),
            "pvalue": self.pvalues,
            "qvalue": self.qvalues,
        }
        return make_frame(columns, library)


def check_graph(data: Any, graph: Any, *, fdr: float = 0.05) -> GraphCheck:
    """Test what a directed acyclic graph implies about a table.

    Two variables without an arrow between them are independent given the parents of both, which implies every other
    independence of the graph (the pairwise Markov property); an arrow should show given the other parents of its head.

    Parameters
    ----------
    data : table or mapping
        With a column for each node of the graph, numbers or labels.
    graph : networkx.DiGraph, or pairs of names
        The arrows.
    fdr : float
        False discovery rate of the contradictions, and of the arrows that show.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=300)
    >>> b = a + 0.5 * rng.normal(size=300)
    >>> c = b + 0.5 * rng.normal(size=300)
    >>> print(sh.tools.check_graph({"a": a, "b": b, "c": c}, [("a", "b"), ("b", "c")]))
    0 of 1 implied independences are contradicted at a false discovery rate of 0.05
    >>> print(sh.tools.check_graph({"a": a, "b": b, "c": c}, [("b", "a"), ("c", "a")]))
    1 of 1 implied independences are contradicted at a false discovery rate of 0.05
    b and c depend given nothing
    c -> a does not show given the other parents of a
    """
    check_inside("fdr", fdr, "a number above 0 and up to 1", lambda rate: 0 < rate <= 1)
    import networkx

    try:
        dag = networkx.DiGraph(graph)
    except (TypeError, networkx.NetworkXError) as error:
        raise type_error("graph", "a networkx.DiGraph or pairs of names", describe(graph)) from error
    if not networkx.is_directed_acyclic_graph(dag):
        raise value_error("graph", "no cycles", describe(networkx.find_cycle(dag)))
    pvalue = PvalueGiven(data)
    check_names("graph", [str(node) for node in dag.nodes], pvalue.names)
    order = [str(node) for node in networkx.lexicographical_topological_sort(dag, key=str)]
    parents = {str(node): {str(own) for own in dag.predecessors(node)} for node in dag.nodes}
    pairs = [(a, b) for place, b in enumerate(order) for a in order[:place]]
    absent = [(a, b, tuple(sorted((parents[a] | parents[b]) - {a, b}))) for a, b in pairs if a not in parents[b]]
    arrows = [(a, b) for a, b in pairs if a in parents[b]]
    pvalues = np.array([pvalue(a, b, given) for a, b, given in absent])
    qvalues = adjusted_pvalues(pvalues) if len(pvalues) else pvalues
    shown = np.array([pvalue(a, b, sorted(parents[b] - {a})) for a, b in arrows])
    seen = adjusted_pvalues(shown) <= fdr if len(shown) else shown
    contradicted = [one for one, q in zip(absent, qvalues, strict=True) if q <= fdr]
    unsupported = [one for one, found in zip(arrows, seen, strict=True) if not found]
    return GraphCheck(absent, pvalues, qvalues, contradicted, unsupported, fdr)
