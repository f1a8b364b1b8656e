"""A fitted network in the forms that other programs take."""

from collections.abc import Collection, Iterable
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shearer._display import distinct_printable
from shearer._files import write_file
from shearer._validate import check_names, describe, type_error
from shearer.screening.frames import make_frame


class GraphOutput:
    """What an estimator with `edges_` and `names_` can write."""

    edges_: Any
    names_: tuple[str, ...]
    regulators: Collection[str] | None

    def to_networkx(self) -> Any:
        """The links as a graph of networkx, with every variable as a node and weight, pvalue, qvalue on edges.

        Examples
        --------
        >>> import numpy as np
        >>> from shearer.tools import DependenceNetwork
        >>> x = np.random.default_rng(0).normal(size=(100, 3))
        >>> x[:, 2] = x[:, 0] ** 2
        >>> list(DependenceNetwork().fit(x).to_networkx().edges)
        [('x1', 'x3')]
        """
        check_is_fitted(self)
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(self.names_)
        columns = self.edge_columns()
        pairs, numbers = zip(columns.pop("source"), columns.pop("target"), strict=True), columns
        for row, pair in enumerate(pairs):
            known = {name: float(values[row]) for name, values in numbers.items() if not np.isnan(values[row])}
            graph.add_edge(*pair, **known)
        return graph

    def to_graphml(self, path: str | PathLike[str]) -> None:
        """Write the graph as GraphML, which Cytoscape, Gephi and others read.

        Parameters
        ----------
        path : str or path
            File to write, whole or not at all. Characters in names that XML cannot hold are escaped.
        """
        write_file("path", path, self.graphml().encode())

    def graphml(self) -> str:
        """The text of `to_graphml`."""
        import networkx

        graph = networkx.relabel_nodes(self.to_networkx(), distinct_printable(self.names_))
        text = "\n".join(networkx.generate_graphml(graph))
        return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'

    def to_arboreto(self, tf_names: Iterable[str] | None = None) -> Any:
        """The links as arboreto lists them: TF, target, importance, heaviest first.

        Links have no direction, so that each is listed both ways where both ends can be a regulator.

        Parameters
        ----------
        tf_names : iterable of str, optional
            Variables that can be regulators; default: the `regulators` of the network, or all.

        Examples
        --------
        >>> import numpy as np
        >>> from shearer.tools import DependenceNetwork
        >>> x = np.random.default_rng(0).normal(size=(100, 3))
        >>> x[:, 2] = x[:, 0] ** 2
        >>> network = DependenceNetwork().fit(x)
        >>> network.to_arboreto(tf_names=["x3"]).select("TF", "target").rows()
        [('x3', 'x1')]
        """
        check_is_fitted(self)
        if isinstance(tf_names, str):
            raise type_error("tf_names", "a collection of names", describe(tf_names))
        tf_names = self.regulators if tf_names is None else tf_names
        allowed = None if tf_names is None else list(tf_names)
        if allowed is not None:
            check_names("tf_names", allowed, self.names_)
        columns = self.edge_columns()
        ends = [columns["source"], columns["target"]]
        regulator, target = (np.stack(pair, axis=1).ravel() for pair in (ends, ends[::-1]))
        importance = np.repeat(columns["weight"], 2)
        kept = np.ones(len(regulator), dtype=bool) if allowed is None else np.isin(regulator, np.array(allowed, object))
        listed = {"TF": regulator[kept], "target": target[kept], "importance": importance[kept]}
        return make_frame(listed, type(self.edges_).__module__.partition(".")[0])

    def edge_columns(self) -> dict[str, Any]:
        """The table of links as arrays: names as objects, the rest as numbers."""
        import narwhals.stable.v2 as nw

        frame = nw.from_native(self.edges_, eager_only=True)
        types = {"source": object, "target": object}
        return {name: np.array(frame[name].to_list(), dtype=types.get(name, np.float64)) for name in frame.columns}
