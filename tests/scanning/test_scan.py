"""What a scan finds, says and refuses."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.signal import lfilter

import shearer as sh
from shearer.report import summary_sentences
from shearer.report.schema import departures
from shearer.scanning import lagged, scanner, screened_triples
from shearer.scanning.columns import chosen
from shearer.screening.frames import make_frame


@pytest.fixture(scope="module")
def planted():
    return sh.datasets.planted_table(200, rng=1)


@pytest.fixture(scope="module")
def found(planted):
    return sh.scan(planted.columns, top=3)


def reported(document, part):
    return {tuple(record["variables"]): record for record in document[part] if record["reported"]}


def test_finds_what_was_planted(planted, found):
    assert set(reported(found.document, "pairs")) == set(planted.pairs)
    triple = reported(found.document, "triples")
    assert set(triple) == set(planted.triples)
    assert next(iter(triple.values()))["kind"] == "synergistic"


def test_every_pair_and_triple_is_there(planted, found):
    names = list(planted.columns)
    assert {frozenset(r["variables"]) for r in found.document["pairs"]} == {
        frozenset((a, b)) for i, a in enumerate(names) for b in names[i + 1 :]
    }
    assert found.document["settings"]["triples_tested"] == found.document["settings"]["triples_possible"] == 165


def test_numbers_are_those_of_the_functions(planted, found):
    columns = planted.columns
    matrix = sh.pairwise(columns)
    for record in found.document["pairs"][:8]:
        a, b = record["variables"]
        i, j = (matrix.names.index(name) for name in (a, b))
        assert record["pvalue"] == pytest.approx(sh.independence_test(columns[a], columns[b]).pvalue, rel=1e-6)
        for field in ("strength", "strength_low", "strength_high"):
            assert record[field] == pytest.approx(getattr(matrix, field)[i, j], abs=1e-9)
    record = found.document["pairs"][0]
    two = [columns[name] for name in record["variables"]]
    details = record["details"]
    assert details["mutual_information_order1"] == pytest.approx(sh.mutual_information(*two), abs=1e-4)
    assert details["total_correlation_order1"] == pytest.approx(sh.total_correlation(*two), abs=1e-4)
    interval = sh.confidence_interval(*two)
    ends = [details[f"mutual_information_order1_{end}"] for end in ("low", "high")]
    assert ends == pytest.approx([interval.low, interval.high], abs=1e-3)
    assert details["pearson"] == pytest.approx(sh.comparators.pearson(*two), abs=1e-12)
    triple = found.document["triples"][0]
    three = [columns[name] for name in triple["variables"]]
    alone = sh.interaction_test(*three)
    assert triple["split_pvalue"] == pytest.approx(alone.split_pvalue, rel=1e-4)
    assert (triple["pvalue"], triple["added"]) == pytest.approx((alone.pvalue, alone.added), rel=1e-6)
    assert (triple["kind"], triple["excess"]) == (alone.kind, pytest.approx(alone.o_information, abs=1e-3))
    assert triple["value"] == pytest.approx(sh.total_correlation(*three, alpha=2), abs=1e-9)
    assert triple["o_information"] == pytest.approx(sh.o_information(*three, alpha=2), abs=1e-9)


def test_document_is_plain_json(found):
    text = json.dumps(found.document, allow_nan=False)
    assert json.loads(text)["version"] == 2
    assert departures(found.document) == []
    assert json.loads(found.to_json()) == found.document


def test_one_false_discovery_rate_for_pairs_and_triples(planted, found):
    p, q = ([r[key] for part in ("pairs", "triples") for r in found.document[part]] for key in ("pvalue", "qvalue"))
    known = [1.0 if value is None else value for value in p]  # what did not pass the screen counts with p = 1
    expected = np.maximum(sh.inference.adjusted_pvalues(known, weights=[1 / 55] * 55 + [1 / 165] * 165), known)
    assert [value for value in q if value is not None] == pytest.approx(
        [value for value, own in zip(expected, p, strict=True) if own is not None]
    )
    assert [value is None for value in q] == [value is None for value in p]
    pairs_only = sh.scan(planted.columns, order=2, top=0).document
    p, q = ([r[key] for r in pairs_only["pairs"]] for key in ("pvalue", "qvalue"))
    assert q == pytest.approx(sh.inference.adjusted_pvalues(p))
    assert pairs_only["triples"] == []


@pytest.mark.needs("pandas")
def test_frames_are_of_the_callers_library(planted, found):
    import pandas

    assert isinstance(found.pairs, pl.DataFrame)
    assert found.pairs.shape[0] == 55
    assert {"first", "second", "pvalue", "qvalue", "strength_low", "strength_high"} <= set(found.pairs.columns)
    frame = pandas.DataFrame({name: planted.columns[name] for name in ("dose", "response", "species")})
    again = sh.scan(frame, top=1)
    assert isinstance(again.pairs, pandas.DataFrame)
    assert "3 columns, 200 rows" in repr(again)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_a_table_without_rows_has_its_columns(planted, library, tmp_path):
    table = make_frame({name: planted.columns[name] for name in ("dose", "response")}, library)
    found = sh.scan(table, top=0)
    empty = pl.from_pandas(found.triples) if library == "pandas" else pl.DataFrame(found.triples)
    three = {name: planted.columns[name] for name in ("dose", "response", "lamp")}
    assert empty.columns == sh.scan(three, top=0).triples.columns
    assert empty.height == 0
    empty.filter(pl.col("reported")).write_csv(tmp_path / "out.csv")


def test_seed_is_honoured(planted):
    table = {name: planted.columns[name] for name in ("dose", "response")}
    first, same, other = (sh.scan(table, rng=seed, max_rows=100).document["pairs"] for seed in (0, 0, 1))
    assert first == same
    assert first[0]["strength_low"] != other[0]["strength_low"]


def test_target(planted, found):
    document = sh.scan(planted.columns, target="lamp", top=1).document
    assert all(record["variables"][-1] == "lamp" for record in document["pairs"] + document["triples"])
    assert (len(document["pairs"]), len(document["triples"])) == (10, 45)
    assert set(reported(document, "triples")) == {("switch_a", "switch_b", "lamp")}
    everything = {frozenset(r["variables"]): r["pvalue"] for r in found.document["pairs"]}
    for record in document["pairs"]:
        assert record["pvalue"] == pytest.approx(everything[frozenset(record["variables"])], rel=1e-9)


def test_several_targets(planted):
    table = {name: planted.columns[name] for name in ("dose", "response", "weight", "species")}
    document = sh.scan(table, target=["response", "species"], top=1).document
    pairs = [tuple(record["variables"]) for record in document["pairs"]]
    assert sorted(pairs) == [
        ("dose", "response"), ("dose", "species"), ("weight", "response"), ("weight", "species")
    ]  # fmt: skip
    assert sorted(tuple(r["variables"]) for r in document["triples"]) == [
        ("dose", "weight", "response"), ("dose", "weight", "species")
    ]  # fmt: skip
    assert document["settings"]["triples_tested"] == document["settings"]["triples_possible"] == 2


def test_missing_values_are_left_out_pair_by_pair(planted, rng):
    table = {name: planted.columns[name] for name in ("dose", "response", "ring_x", "species")}
    dose = table["dose"].copy()
    dose[:40] = np.nan
    species = table["species"].astype(object)
    species[30:60] = None
    document = sh.scan(table | {"dose": dose, "species": species}, top=2).document
    counts = {frozenset(r["variables"]): r["n"] for r in document["pairs"]}
    assert counts[frozenset(("dose", "response"))] == 160
    assert counts[frozenset(("dose", "species"))] == 140
    assert counts[frozenset(("response", "ring_x"))] == 200
    assert {c["name"]: c["missing"] for c in document["columns"]}["species"] == 30
    triple = next(r for r in document["triples"] if set(r["variables"]) == {"dose", "response", "species"})
    assert triple["n"] == 140
    rows = np.arange(60, 200)
    alone = sh.interaction_test(
        *(
            {"dose": dose[rows], "response": table["response"][rows], "species": list(species[rows])}[name]
            for name in triple["variables"]
        )
    )
    # widths and directions are those of the rows that each column has
    assert triple["split_pvalue"] == pytest.approx(alone.split_pvalue, rel=0.1)
    pair = next(r for r in document["pairs"] if set(r["variables"]) == {"dose", "response"})
    assert pair["reported"]


def test_groups_and_kinds(rng):
    x = rng.normal(size=(120, 3))
    table = {"x": x[:, 0], "y": x[:, 1], "length": np.hypot(x[:, 0], x[:, 1]), "year": rng.integers(70, 73, size=120)}
    document = sh.scan(table, groups={"position": ["x", "y"]}, kinds={"year": "categorical"}, top=1).document
    columns = {c["name"]: c for c in document["columns"]}
    assert columns["position"]["members"] == ["x", "y"]
    assert columns["year"]["kind"] == "categorical"
    assert columns["year"]["distinct"] == 3
    assert set(reported(document, "pairs")) == {("position", "length")}


def test_a_group_of_numbers_and_labels_is_reported(rng):
    x = rng.normal(size=60)
    table = {"x": x, "sign": np.where(x > 0, "+", "-"), "y": x**2, "z": rng.normal(size=60)}
    found = sh.scan(table, groups={"both": ["x", "sign"]}, top=1)
    assert {c["name"]: c["kind"] for c in found.document["columns"]}["both"] == "mixed"
    assert departures(found.document) == []
    text = " ".join(summary_sentences(found.document))
    assert "60 rows and 4 columns, taken as 3 variables: 2 of numbers and 1 of numbers and labels together." in text
    assert "<td>numbers and labels together</td>" in found.to_html()
    assert "<dd>3</dd><dt>variables</dt>" in found.to_html()


def test_values_that_cannot_be_compared_do_not_stop_the_report(rng):
    x = rng.normal(size=60)
    found = sh.scan(pl.DataFrame({"x": x, "y": x**2, "list": [[1, 2]] * 60}), top=1)
    assert "3 columns: 2 of numbers and 1 of other values." in " ".join(summary_sentences(found.document))
    assert "<td>other values</td>" in found.to_html()


def test_columns_without_information_are_left_out_and_named(rng):
    n = 60
    x = rng.normal(size=n)
    empty = np.full(n, np.nan)
    table = {"x": x, "y": x**2, "one": np.ones(n), "id": [f"row {i}" for i in range(n)], "empty": empty}
    table["many"] = [f"label {i % 50}" for i in range(n)]
    document = sh.scan(table).document
    notes = {c["name"]: c["notes"] for c in document["columns"]}
    assert notes == {
        "x": [],
        "y": [],
        "one": ["constant"],
        "id": ["a label of its own in every row"],
        "empty": ["a value in 0 rows only"],
        "many": ["too few rows with the same label"],
    }
    assert sh.independence_test(table["many"], x).pvalue == 1.0
    assert len(document["pairs"]) == 1
    assert any("Left out" in note for note in document["notes"])


def test_orders_that_round_off_spoils(planted):
    table = {name: planted.columns[name] for name in ("dose", "response", "ring_x", "ring_y")}
    coarse = sh.scan(table, alpha=0.4, order=2).document
    pair = next(r for r in coarse["pairs"] if r["variables"] == ["dose", "response"])
    expected = sh.mutual_information(table["dose"], table["response"], alpha=0.4)
    assert pair["details"]["mutual_information_order0.4"] == pytest.approx(expected, abs=0.01)
    lost = sh.scan(table, alpha=0).document
    assert all(r["details"]["mutual_information_order0"] is None for r in lost["pairs"] if r["reported"])
    assert any("could not be measured at alpha = 0" in note for note in lost["notes"])


def test_a_kernel_of_a_column_that_is_left_out(rng):
    x = rng.normal(size=40)
    table = {"x": x, "y": x**2, "one": np.ones(40)}
    document = sh.scan(table, kernel={"one": sh.kernels.Gaussian(1.0)}).document
    assert document["pairs"][0]["pvalue"] == sh.scan(table).document["pairs"][0]["pvalue"]
    with pytest.raises(ValueError, match="kernel: expected names among 'x', 'y', got 'z'"):
        sh.scan(table, kernel={"z": sh.kernels.Gaussian(1.0)})


def test_rows_to_draw(rng):
    x = rng.normal(size=700)
    found = sh.scan({"x": x, "y": x**2, "noise": rng.normal(size=700)}, top=1, order=2, max_rows=100).sample()
    assert (found["rows"], found["total"], list(found["columns"])) == (500, 700, ["x", "y"])
    nothing = sh.scan(rng.normal(size=(30, 3)), order=2)
    assert not any(pair["reported"] for pair in nothing.document["pairs"])
    assert sorted(nothing.sample()["columns"]) == ["x1", "x2", "x3"]


def test_rows_taken_as_independent_is_said(found):
    assert scanner.INDEPENDENT_ROWS in found.document["notes"]


def test_large_tables_are_sampled_and_said_so(rng):
    x = rng.normal(size=(100, 2))
    document = sh.scan(x, max_rows=80).document
    assert document["settings"]["rows"] == 100
    assert document["pairs"][0]["n"] == 80
    assert any("random sample of 80 of 100 rows" in note for note in document["notes"])


def test_columns_that_a_sample_of_rows_does_not_show_are_left_out(rng):
    rare = np.zeros(3000)
    rare[:2] = 1.0
    sparse = np.full(3000, np.nan)
    sparse[-10:] = rng.normal(size=10)
    table = {"a": rng.normal(size=3000), "rare": rare, "sparse": sparse, "b": rng.normal(size=3000)}
    document = sh.scan(table, max_rows=50).document
    columns = {c["name"]: c for c in document["columns"]}
    assert columns["rare"]["notes"] == ["constant, in the sample of rows"]
    assert columns["sparse"]["notes"][0].endswith("rows only, in the sample of rows")
    assert (columns["rare"]["distinct"], columns["sparse"]["n"]) == (2, 10)  # of the whole table
    assert [r["variables"] for r in document["pairs"]] == [["a", "b"]]
    with pytest.raises(ValueError, match="target: expected a column that varies, got 'rare', constant, in the sample"):
        sh.scan(table, max_rows=50, target="rare")


def test_triples_beyond_the_limit_are_those_of_the_strongest_columns(monkeypatch, rng):
    monkeypatch.setattr(screened_triples, "MOST_TRIPLES", 4)
    x = rng.normal(size=(100, 6))
    x[:, 4] += x[:, 1]
    document = sh.scan(x, top=1).document
    assert (document["settings"]["triples_tested"], document["settings"]["triples_possible"]) == (4, 20)
    kept = {name for record in document["triples"] for name in record["variables"]}
    assert {"x2", "x5"} <= kept
    assert any("4 of 20 triples were tested" in note for note in document["notes"])


def test_intervals_of_rare_cells_are_noted(rng):
    rare = rng.uniform(size=300) < 0.03
    table = {"rare": rare, "same": rare ^ (rng.uniform(size=300) < 0.005), "x": rng.normal(size=300)}
    table["y"] = table["x"] + rng.normal(size=300)
    document = sh.scan(table, order=2).document
    notes = {
        tuple(record["variables"]): record["details"]["interval_note"]
        for record in document["pairs"]
        if record["details"]
    }
    assert notes["rare", "same"].startswith("rare cells: 0.")
    assert notes["x", "y"] is None
    assert departures(document) == []


class TestLags:
    def test_found_at_its_lag_in_its_direction(self, rng):
        x = rng.normal(size=203)
        table = {"late": x[:-3] + 0.2 * rng.normal(size=200), "early": x[3:], "noise": rng.normal(size=200)}
        document = sh.scan(table, lags=range(5)).document
        record = document["pairs"][0]
        assert (record["variables"], record["lag"], record["reported"]) == (["early", "late"], 3, True)
        assert not any(r["reported"] for r in document["pairs"][1:])
        assert document["triples"] == []

    def test_autocorrelation_alone_is_not_dependence(self):
        large = 0
        for seed in range(12):
            g = np.random.default_rng(seed)
            x = g.normal(size=(2, 300))
            for i in range(1, 300):
                x[:, i] += 0.8 * x[:, i - 1]
            large += sh.scan(*x, lags=[0, 1]).document["pairs"][0]["reported"]
        assert large <= 3

    @pytest.mark.parametrize("memory", [(0.0, 0.9), (0.9, 0.0)])
    def test_direction_whichever_series_remembers_less(self, rng, memory):
        """The driver is seen two rows later; stretches of either may be the ones that change places."""
        noise = rng.normal(size=300)
        x, y = lfilter([1.0], [1.0, -memory[0]], noise), lfilter([1.0], [1.0, -memory[1]], noise)
        record = sh.scan({"x": x[2:], "y": y[:-2]}, lags=range(4)).document["pairs"][0]
        assert (record["variables"], record["lag"], record["reported"]) == (["x", "y"], 2, True)

    def test_series_that_drift_are_not_tested_as_they_are(self, rng):
        walks = rng.normal(size=(300, 2)).cumsum(axis=0)
        document = sh.scan(np.column_stack([walks, rng.normal(size=300)]), lags=[1], lag_test="stretches").document
        assert scanner.ROWS_IN_TIME["stretches"] in document["notes"]
        assert [found["pairs"] for found in document["untested"]] == [1]
        first = summary_sentences(document)[0]
        assert first == (
            "One of the 3 pairs could not be tested: the serial dependence of both series reaches further than an"
            " eighth of the rows."
        )
        (walking,) = (record for record in document["pairs"] if set(record["variables"]) == {"x1", "x2"})
        assert walking["pvalue"] == 1.0
        assert not walking["reported"]
        steps = sh.scan(walks, lags=[1], lag_test="stretches", difference=True).document
        assert steps["untested"] == []

    def test_series_that_drift_together_are_found(self, rng):
        steps = rng.normal(size=(302, 2))
        steps[2:, 1] += steps[:-2, 0]
        walks = steps.cumsum(axis=0)[2:]
        document = sh.scan({"x": walks[:, 0], "y": walks[:, 1]}, lags=range(4)).document
        record = document["pairs"][0]
        assert (record["variables"], record["lag"], record["reported"]) == (["x", "y"], 2, True)
        assert document["untested"] == []
        assert document["settings"]["lag_test"] == "whitened"

    def test_random_walks_are_not_dependent(self):
        found = 0
        for seed in range(10):
            walks = np.random.default_rng(seed).normal(size=(150, 2)).cumsum(axis=0)
            found += sh.scan(walks, lags=[0, 1]).document["pairs"][0]["reported"]
        assert found <= 3

    def test_nothing_left_of_a_trend(self, rng):
        table = {"trend": 0.5 * np.arange(60.0) + 3, "x": rng.normal(size=60), "label": list("aab") * 20}
        document = sh.scan(table, lags=[0], keep="trend").document
        assert {found["reason"] for found in document["untested"]} == {lagged.REASONS[1]}
        assert all(record["pvalue"] == 1.0 for record in document["pairs"] if "trend" in record["variables"])

    def test_differences(self, rng):
        walks = rng.normal(size=(120, 2)).cumsum(axis=0)
        table = {"x": walks[:, 0], "y": walks[:, 1] + walks[:, 0], "label": list("ab") * 60}
        found = sh.scan(table, difference=True).document
        steps = sh.scan({"x": np.diff(table["x"]), "y": np.diff(table["y"]), "label": table["label"][1:]}).document
        assert [record["pvalue"] for record in found["pairs"]] == [record["pvalue"] for record in steps["pairs"]]
        assert chosen.DIFFERENCES in found["notes"]
        assert found["settings"]["difference"] is True
        table["x"][5] = np.nan
        columns = {c["name"]: c for c in sh.scan(table, difference=True).document["columns"]}
        assert columns["x"]["missing"] == 2
        with pytest.raises(ValueError, match="cluster: expected the name of a column with difference"):
            sh.scan(table, difference=True, cluster=np.arange(120) // 10)

    def test_refusals(self, rng):
        x = rng.normal(size=(40, 2))
        for lags, message in ((3, "lags: expected whole numbers"), ([], "at least one lag"), ([-1], "0 or more")):
            with pytest.raises((TypeError, ValueError), match=message):
                sh.scan(x, lags=lags)
        with pytest.raises(ValueError, match="lag_test: expected one of"):
            sh.scan(x, lags=[1], lag_test="shifts")
        with pytest.raises(ValueError, match="lags: expected at least 46 rows, got 40 for lags up to 15"):
            sh.scan(x, lags=[15])
        x[3, 0] = np.nan
        with pytest.raises(ValueError, match="no missing values with lags"):
            sh.scan(x, lags=[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 5}, "order: expected one of 2, 3, 4, got 5"),
        ({"fdr": 0}, "fdr: expected a number between 0 and 1, got 0"),
        ({"top": -1}, "top: expected a whole number of 0 or more"),
        ({"target": "weigth"}, "target: expected names among .* Did you mean 'weight'"),
        ({"target": ["dose", "dose"]}, "target: expected distinct names, got 'dose' twice"),
        ({"target": 3}, "target: expected the name of a column"),
        ({"target": []}, "target: expected the name of a column, or a list"),
        ({"kinds": {"dose": "text"}}, "kinds: expected one of 'continuous', 'categorical', 'number', 'label'"),
        ({"keep": "doze"}, "keep: expected names among .* Did you mean 'dose'"),
        ({"kinds": {"species": "continuous"}}, "kinds: expected numbers in 'species'"),
        ({"missing": "drop"}, "missing: expected one of 'pairwise'"),
        ({"resume": True}, "resume: expected shards"),
        ({"alpha": -1}, "alpha: expected"),
        ({"max_rows": 3}, "max_rows: expected a whole number of 6 or more"),
        ({"memory": "lots"}, "memory: expected"),
        ({"memory": "1KB"}, "max_rows="),
    ],
)
def test_bad_options(planted, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        sh.scan(planted.columns, **options)


def test_too_few_columns(rng):
    with pytest.raises(ValueError, match=r"data: expected at least 2 columns that vary, got 1 \(b: constant\)"):
        sh.scan({"a": rng.normal(size=20), "b": np.zeros(20)})
    with pytest.raises(ValueError, match="target: expected some column beside the targets that varies, got none"):
        sh.scan({name: rng.normal(size=20) for name in "ab"} | {"c": np.zeros(20)}, target=["a", "b"])
    with pytest.raises(ValueError, match="target: expected some variable to be left, got all of them"):
        sh.scan({name: rng.normal(size=20) for name in "ab"}, target=["a", "b"])
    with pytest.raises(ValueError, match="target: expected a column that varies, got 'b', constant"):
        sh.scan({"a": rng.normal(size=20), "b": np.zeros(20), "c": rng.normal(size=20)}, target="b")


def test_a_large_matrix(rng):
    """As large as those that other functions read at once."""
    x = rng.normal(size=(40, 12))
    x[:, 7] += 3 * x[:, 2]
    found = sh.scan(x, order=2, top=1, progress=False).pairs
    assert (found["first"][0], found["second"][0]) == ("x3", "x8")
    assert len(found) == 66
