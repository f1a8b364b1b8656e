"""Every route on which a measure should be known by its name, for those that are registered and for one just added.

usage: python tests/measures/routes.py FOLDER NAME, with the docs and tests folders on PYTHONPATH
"""

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import tables_measures
from typer.testing import CliRunner

import shearer as sh
import shearer.accessors
from reference import oracle
from shearer.cli import app
from shearer.inference.adjust import expected_by_chance
from shearer.measures.registry import MEASURES, normalized_measures

ROWS = 30


def table_of(name):
    """As many variables as the measure takes, three at most."""
    x, noise, z = np.random.default_rng(4).normal(size=(3, ROWS))
    columns = {"a": x, "b": x + noise, "c": z - x}
    return {key: columns[key] for key in "abc"[: MEASURES[name].most]}


def close(found, expected):
    assert abs(float(found) - float(expected)) < 1e-9, (found, expected)


def check_exports(name):
    for module in (sh, sh.measures):
        assert name in module.__all__
        assert getattr(module, name) is getattr(sh, name)
    assert name in dir(sh)
    assert ">>> " in getattr(sh, name).__doc__
    page = tables_measures.reference(lambda title, header, rows: "\n".join(map(" ".join, rows)))
    assert f":func:`{name}`" in page
    assert f".. autofunction:: {name}\n" in page


def check_formula(name):
    """Written down again, with 50 digits; `tests/reference` compares more of it."""
    labels = {"a": list("uvuvuu"), "b": list("uvvvuw"), "c": list("xyxxyz")}
    exact = oracle.Oracle([oracle.delta(column) for column in labels.values()], 1)
    chosen = "abc"[: MEASURES[name].most]
    for normalize in MEASURES[name].options:
        expected = getattr(exact, name)(*([normalize] if MEASURES[name].is_normalized else []))
        close(sh.Dependence(labels).measure(name, *chosen, normalize=normalize), expected)


def check_values(name):
    """The function is the method, the method is the measure by name, of rows in memory, sketched, and in groups."""
    table = table_of(name)
    noun = sh.Dependence(table)
    expected = noun.measure(name).value
    close(getattr(noun, name)(), expected)
    close(getattr(sh, name)(table), expected)
    close(getattr(pl.DataFrame(table).shearer, name)(), expected)
    close(getattr(sh.Subsampling(table, repeats=2, rows=ROWS), name)(), expected)
    sketch = sh.Sketch.like(table, measures=(name,))
    sketch.update(table)
    whole = sh.Dependence(table, kernel=sketch.kernels).measure(name).value
    found = getattr(sketch, name)()
    assert found.lower - 1e-9 <= whole <= found.upper + 1e-9


def check_inference(name):
    table = table_of(name)
    expected = sh.Dependence(table).measure(name).value
    close(sh.confidence_interval(table, measure=name).value, expected)
    close(sh.permutation_test(table, statistic=name, n_resamples=9).statistic, expected)
    close(sh.independence_test(table, measure=name, n_resamples=9).statistic, expected)


def check_pairs(name):
    table = table_of(name)
    pair = {key: table[key] for key in "ab"}
    for alpha in (1, 2):
        found = sh.pairwise(table, measure=name, alpha=alpha)
        assert found.measure == name
        close(found.value[0, 1], getattr(sh, name)(pair, alpha=alpha))
        close(sh.pairwise(pair, measure=name, alpha=alpha, normalize=False).value[0, 1],
              sh.Dependence(pair, alpha=alpha).measure(name, normalize=False))  # fmt: skip


def check_sets(name):
    """What takes normalised measures alone."""
    if name in normalized_measures():
        assert np.isfinite(expected_by_chance(table_of(name), measure=name))
    if name in normalized_measures(any_number=True):
        table = table_of(name)
        found = sh.tools.SubspaceSearch(measure=name, max_size=2).fit(np.column_stack(list(table.values())))
        first, second = found.subspaces_[0]
        close(found.scores_[0], getattr(sh, name)(*(list(table.values())[i] for i in (first, second)), alpha=2))


def check_commands(name, folder):
    table, path = table_of(name), Path(folder) / "table.csv"
    pl.DataFrame(table).write_csv(path)
    run = CliRunner().invoke(app, ["test", str(path), *table, "--measure", name, "--resamples", "9", "--json", "-"])
    assert run.exit_code == 0, run.output
    close(json.loads(run.stdout)["statistic"], getattr(sh, name)(table))
    assert name in " ".join(CliRunner().invoke(app, ["test", "--help"], env={"COLUMNS": "400"}).output.split())


def check(name, folder):
    """All of them."""
    check_exports(name)
    check_formula(name)
    check_values(name)
    check_inference(name)
    check_pairs(name)
    check_sets(name)
    check_commands(name, folder)


if __name__ == "__main__":
    check(sys.argv[2], sys.argv[1])
    print(sh.__file__)
