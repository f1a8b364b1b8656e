"""Tables 3 and 5 and Figure 4 of the paper in the first epochs of the trainings, with what was mended beside it."""

from collections.abc import Callable, Mapping

import numpy as np
from tables_learning import NOT_RUN, counted, found, of, signed, spread
from tables_network import Table, escape
from tables_neural import shown_method

# What stands in the tables of the first epochs: whether inputs count, and how the gradient treats the width of z.
FASHION_FIRST = {
    "CE": "–",
    "HSIC": "do not count",
    "H(e)": "do not enter",
    "I(x;e)": "do not count",
    "I(x;e), median, 1.01": "count",
}
FIRST = {
    "baseline": "–",
    "VIB": "–",
    "DIB": "width a constant",
    "DIB, beta 0.01": "width a constant",
    "DIB known, beta 0.01": "width included",
    "|z|^2, beta 0.001": "–",
    "|z|^2, beta 0.01": "–",
}


def late(part: str, whole: str, key: str, name: str, series: str) -> dict[int, float]:
    """By seed, the mean of a series over the second half of the epochs that a part of an experiment was trained for.

    From the records of the whole trainings where there are any, up to the same epoch; else from those of the part.
    """
    firsts = list(found(part).values())
    if not firsts:
        return {}
    stop = firsts[0]["epochs"]
    own = {study["seed"]: study["late"] for study in firsts if study[key] == name}
    return {s["seed"]: float(np.mean(s[series][stop // 2 : stop])) for s in of(whole, key, name)} or own


def late_errors(method: str) -> dict[int, float]:
    return late("bottleneck_first", "bottleneck_mnist", "method", method, "test_errors")


def late_accuracies(loss: str) -> dict[int, float]:
    return late("fashion_first", "fashion_shift", "loss", loss, "targets")


def beginning(
    part: str, rows: Mapping[str, str], values: Callable[[str], dict[int, float]], base: str
) -> tuple[str, list[list[str]]]:
    """The end of a title, and values of the first epochs with how far they are from those of one method, by seed."""
    cells = []
    for name, remark in rows.items():
        own, known = values(name), values(base)
        apart = [own[seed] - known[seed] for seed in own if seed in known and name != base]
        difference = signed(float(np.mean(apart))) if apart else "–"
        if len(apart) > 1:
            difference += f" ± {np.std(apart, ddof=1):.2f}"
        cells.append([shown_method(name.replace(" known", "")), remark, spread([*own.values()]), difference])
    title, firsts = "", list(found(part).values())
    if firsts:
        stop, whole = firsts[0]["epochs"], firsts[0]["of_epochs"]
        title = f", mean of epochs {stop // 2 + 1} to {stop} of {whole}; {firsts[0]['train']} images to learn from"
    return title, cells


def first() -> Table:
    """Table 5 in its first epochs, with a gradient that includes the width and with a penalty on |z|^2."""
    title, rows = beginning("bottleneck_first", FIRST, late_errors, "baseline")
    for row, name in zip(rows, FIRST, strict=True):
        kept = [study["information"] for study in of("bottleneck_first", "method", name)]
        row.append(spread(kept) if kept else "–")
    header = ["method", "the gradient", "test error", "minus baseline, seed by seed", "I(x; z), bits, at the end"]
    return f"Table 5, first epochs: test error in percent{title}", header, rows


def fashion_first() -> Table:
    """Table 3 in its first epochs, with inputs that count."""
    title, rows = beginning("fashion_first", FASHION_FIRST, late_accuracies, "CE")
    header = ["loss", "inputs", "turned", "minus cross entropy, seed by seed"]
    return f"Table 3, first epochs: accuracy in percent on turned images{title}", header, rows


def similarity() -> Table:
    """CKA and adjusted T of the layers in the first epochs, beside T*."""
    studies = list(found("map_similarity").values())
    names, kinds = ("CKA", "adjusted T", "T*(2)"), ("start", "end", "end, shuffled")
    rows = []
    for layer in range(13):
        cells = []
        for name in names:
            for key, look in ((name, 0), (name, -1), (f"{name}, shuffled", -1)):
                values = [study["maps"][look][key][layer] for study in studies]
                cells.append(f"{round(np.mean(values), 2) + 0.0:.2f}".replace("-", "−") if values else NOT_RUN)
        rows.append([f"{layer + 1}", *cells])
    title = "CKA, T adjusted for chance, and T* of the feature maps of VGG16, order 2, median width"
    if studies:
        title += f"; before training and after {studies[0]['epochs']} of {studies[0]['of_epochs']} epochs"
        title += f", mean over {counted(studies)}"
    return title, ["layer", *(f"{escape(name)}, {kind}" for name in names for kind in kinds)], rows


TABLES: dict[str, Callable[[], Table]] = {
    "learning_fashion_first": fashion_first,
    "learning_first": first,
    "learning_similarity": similarity,
}
