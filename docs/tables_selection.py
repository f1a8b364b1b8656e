"""The table of the selection experiment, from its committed results."""

from collections.abc import Callable

from tables_network import Table, results


def selection() -> Table:
    """Mean scores of ten tables by way of choosing, and the default compared with each."""
    found = results("selection_compared")
    tables = list(max((own["scores"] for own in found.values()), key=len))
    rows = []
    for place, (way, own) in enumerate(found.items()):
        cells = [f"{own['scores'][table]:.3f}" if table in own["scores"] else "–" for table in tables]
        mean = f"{own['mean']:.3f}" if len(own["scores"]) == len(tables) else "–"
        compared = f"{own['default less this']:+.3f} (p = {own['p']:.3f})" if place else "–"
        rows.append([way.replace("default before", "earlier default"), *cells, mean, compared])
    return "Mean score with the chosen features", ["method", *tables, "mean", "default minus this"], rows


TABLES: dict[str, Callable[[], Table]] = {"selection": selection}
