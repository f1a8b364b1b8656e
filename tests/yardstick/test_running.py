"""Runs: processes that are killed, resumed files, commands, and powers that theory knows."""

import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from shearer.yardstick import METHODS, SUITES, Command, Effort, Method, load_method, merge, read_document, run, summary
from shearer.yardstick import running as running_module
from shearer.yardstick.killable import close_idle
from shearer.yardstick.suite_independence import BINARY_LAW, CORRELATION
from shearer.yardstick.trial_worker import Job, run_trial
from yardstick import methods_of_tests as bad

FEW = Effort(nulls=3, alternatives=3, budget=20, patience=60)
HERE = Path(__file__).parent


def cells(document, **wanted):
    return [cell for cell in document["cells"] if all(cell[key] == value for key, value in wanted.items())]


def test_a_process_is_killed_where_it_hangs_and_the_next_goes_on():
    found = {}
    for name in ("sleeps", "prints", "interrupts", "dies", "refuses"):
        job = Job(Method(name, getattr(bad, name)), "independence", "linear", 0, 2, 0, 20.0)
        found[name] = running_module._cell(job, 3.0 if name == "sleeps" else 120.0)
    # A function of a file goes to the process as it is, which has never seen the file.
    of_file = Job(load_method(f"{HERE / 'methods_of_tests.py'}:middle"), "independence", "linear", 0, 1, 0, 20.0)
    assert running_module._cell(of_file, 120.0)["status"] == "done"
    close_idle()
    status = {name: cell["status"] for name, cell in found.items()}
    assert status == {
        "sleeps": "timeout", "prints": "done", "interrupts": "failed", "dies": "failed", "refuses": "done",
    }  # fmt: skip
    assert found["interrupts"]["why"] == "KeyboardInterrupt: a last word"
    refused = found["refuses"]
    assert (refused["answered"], refused["rejected"], refused["why"]) == (0, 0, "ValueError: not this")
    assert found["prints"]["values"] == [0.5, 0.5]
    assert found["sleeps"]["rate"] is None


def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    options = {"suites": ["interaction"], "quick": True, "effort": FEW, "isolated": False}
    whole = run(methods=["product term"], **options)
    ran = []

    def stopping(job, patience):
        if len(ran) == 4:
            raise KeyboardInterrupt
        ran.append(job.design)
        return cell_of(job, patience)

    cell_of = running_module._cell
    monkeypatch.setattr(running_module, "_cell", stopping)
    with pytest.raises(KeyboardInterrupt):
        run(path, methods=["product term"], **options)
    assert len(read_document(path)["cells"]) == 4  # what was done when it was interrupted
    monkeypatch.setattr(running_module, "_cell", lambda job, patience: ran.append(job.design) or cell_of(job, patience))
    again = run(path, methods=["product term"], **options)
    assert len(ran) == len(set(ran)) == len(whole["cells"])
    assert [cell["values"] for cell in again["cells"]] == [cell["values"] for cell in whole["cells"]]
    run(path, methods=["product term"], **options)
    assert len(ran) == len(whole["cells"])
    with pytest.raises(ValueError, match="another file"):
        run(path, methods=["product term"], seed=1, **options)


def test_two_at_a_time_give_the_same(tmp_path):
    options = {"suites": ["interaction"], "methods": ["product term"], "quick": True, "effort": FEW}
    one, two = run(isolated=False, **options), run(n_jobs=2, **options)
    assert [cell["values"] for cell in one["cells"]] == [cell["values"] for cell in two["cells"]]


def test_a_command_reads_files(tmp_path):
    script = tmp_path / "my test.py"
    script.write_text(
        "import sys, numpy\nprint('words')\n"
        "print(numpy.corrcoef(numpy.load(sys.argv[1]), numpy.load(sys.argv[2]))[0, 1])\n"
    )
    line = shlex.join([sys.executable, str(script)])
    x, y = SUITES["independence"].draw("linear", 0)
    expected = np.corrcoef(x, y)[0, 1]
    assert Command(line)(x, y) == Command(f"{line} {{x}} {{y}}")(x, y) == pytest.approx(expected)
    with pytest.raises(ValueError, match="exit code 0, got 1"):
        Command(f"{line} {{x}}")(x, y)
    with pytest.raises(ValueError, match="a number in its last line"):
        Command(shlex.join([sys.executable, "-c", "print('none')"]))(x, y)


def test_a_command_gets_conditions_and_labels():
    program = "import sys, numpy; z = numpy.load(sys.argv[1]); print((z == 'l1').mean() if z.dtype.kind == 'U' else -1)"
    method = Method("z", Command(shlex.join([sys.executable, "-c", program, "{given}"])), ("conditional",))
    drawn = SUITES["conditional"].draw("null: a label", 0)
    assert method.answer(drawn, "conditional", 0) == pytest.approx(np.mean(drawn[2] == "l1"))


def test_methods_of_files():
    place = HERE / "methods_of_tests.py"
    assert load_method(f"{place}:judged").source == "a test"
    found = load_method(f"{place}:middle", ("strength",))
    assert (found.name, found.tasks) == ("middle", ("strength",))
    for text, message in (
        ("nothing", "FILE.py:NAME"),
        (f"{place}:absent", "called 'absent'"),
        ("no_such_file.py:f", "a file that exists"),
        (f"{place}:1x", "FILE.py:NAME"),
    ):
        with pytest.raises(ValueError, match=message):
            load_method(text)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"suites": ["independance"]}, ValueError, "Did you mean 'independence'"),
        ({"suites": "independence"}, TypeError, "a list of names"),
        ({"methods": ["dcor"]}, ValueError, "names among"),
        ({"methods": "dCor"}, TypeError, "a list of methods"),
        ({"methods": [len]}, TypeError, "a Method"),
        ({"methods": ["dCor", "dCor"]}, ValueError, "names that differ"),
        ({"effort": Effort(0)}, ValueError, "nulls"),
        ({"effort": Effort(patience=-1)}, ValueError, "patience"),
        ({"seed": -1}, ValueError, "seed"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"path": "/no/such/folder/out.json"}, ValueError, "a folder that exists"),
    ],
)
def test_wrong_input_is_refused_before_anything_runs(options, error, message):
    with pytest.raises(error, match=message):
        run(**options)


def test_wrong_methods():
    for options, error in (
        ({"name": ""}, ValueError), ({"call": "program"}, TypeError), ({"tasks": ("power",)}, ValueError),
        ({"tasks": ()}, ValueError), ({"labels": "codes"}, ValueError),
    ):  # fmt: skip
        with pytest.raises(error):
            Method(**{"name": "m", "call": len, **options})


def test_what_is_missing_is_said(monkeypatch):
    absent = Method("absent", len, needs="no_such_module_at_all")
    with pytest.raises(ValueError, match="no_such_module_at_all to be installed"):
        run(methods=[absent])


def test_files_that_are_no_results(tmp_path):
    for content, message in (
        ("{", "no JSON"), ("[]", "something else"), ('{"format": "x"}', "with 'x'"),
        ('{"format": "shearer yardstick 1"}', "has none"),
        ('{"format": "shearer yardstick 1", "settings": {}, "suites": {}, "methods": {}, "machine": {},'
         ' "cells": [{"suite": "a", "method": "b"}]}', "cells name"),
    ):  # fmt: skip
        path = tmp_path / "file.json"
        path.write_text(content)
        with pytest.raises(ValueError, match=message):
            read_document(path)
    with pytest.raises(ValueError, match="a result"):
        read_document(tmp_path / "absent.json")


def test_versions_that_differ_are_not_merged():
    found = run(suites=["interaction"], methods=["product term"], quick=True, effort=Effort(1, 1), isolated=False)
    other = json.loads(json.dumps(found))
    other["suites"]["interaction"]["version"] = 2
    with pytest.raises(ValueError, match="one version"):
        merge([found, other])
    with pytest.raises(ValueError, match="none"):
        merge([])


def rate(method, design, trials):
    job = Job(method, "independence", design, 0, trials, 0, 1e9)
    return np.mean([run_trial(job, trial)["value"] <= 0.05 for trial in range(trials)])


def test_power_of_pearson_is_that_of_theory():
    """Rejections of r at 5 %, from Hotelling's exact density of r by way of its integral over samples of one law."""
    trials, n = 600, SUITES["independence"].design("normal pair").rows
    # r^2 given x is a noncentral F; x'x / sigma^2 is chi-square: the noncentrality is averaged over it.
    critical = stats.f.isf(0.05, 1, n - 2)
    quantiles = stats.chi2.ppf((np.arange(2000) + 0.5) / 2000, n - 1)
    theory = np.mean(stats.ncf.sf(critical, 1, n - 2, quantiles * CORRELATION**2 / (1 - CORRELATION**2)))
    found = rate(METHODS["Pearson"], "normal pair", trials)
    assert abs(found - theory) < 3.5 * np.sqrt(theory * (1 - theory) / trials)


def test_power_on_a_binary_table_is_that_of_theory():
    """Pearson's chi-square of a 2 x 2 table without correction, its power by summing over all tables of 40 rows."""
    trials, n = 600, SUITES["independence"].design("binary table").rows

    def reject(a, b, c, d):
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        statistic = np.where(margins > 0, n * (a * d - b * c) ** 2 / np.maximum(margins, 1), 0.0)
        return statistic >= stats.chi2.isf(0.05, 1)

    grid = np.array(
        [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]
    )
    shares = stats.multinomial(n, np.ravel(BINARY_LAW)).pmf(grid)
    theory = float(np.sum(shares * reject(*grid.T.astype(float))))

    def pvalue(x, y):
        counts = [np.sum((x == f"l{i}") & (y == f"l{j}")) for i in (0, 1) for j in (0, 1)]
        return 0.01 if reject(*np.array(counts, dtype=float)) else 0.99

    found = rate(Method("chi-square", pvalue), "binary table", trials)
    assert abs(found - theory) < 3.5 * np.sqrt(theory * (1 - theory) / trials)


def test_summary_marks_a_method_that_rejects_everything():
    always = Method("always", lambda *_: 0.001, ("independence", "interaction"))
    drawn = Method(
        "drawn", lambda *parts: (parts[1][0] * 1e6) % 1 if parts[1].dtype.kind == "f" else 0.5, ("interaction",)
    )
    found = run(suites=["interaction"], methods=[always, drawn], quick=True, effort=Effort(20, 5), isolated=False)
    rows = summary(found, "interaction")
    assert [(row["method"], row["rank"]) for row in rows] == [("drawn", 1), ("always", None)]
    assert len(rows[1]["marked"]) == 6
    assert rows[1]["level"] == 1.0
    assert always.applies(SUITES["independence"].design("linear"), "independence")
