"""Rows in chunks: what a comparison gives of them is what it gives of the same rows in memory."""

import duckdb
import numpy as np
import polars as pl
import pytest

import shearer as sh
from comparing.laws import normal_pair
from shearer.comparing import chunked_groups, profile_of
from shearer.comparing.cell_counts import CellCounts, Coding, SeenValues
from shearer.comparing.compared_groups import number_cells
from shearer.comparing.own_columns import NUMBER_BINS
from shearer.comparing.profile import Profile
from shearer.comparing.rank_features import dense_codes
from shearer.sketching import open_rows


def table(seed, rows, correlation):
    rng = np.random.default_rng(seed)
    x, y = normal_pair(rng, rows, correlation)
    gaps = pl.Series(np.round(5 * rng.normal(size=rows))).set(pl.Series(rng.random(rows) < 0.2), None)
    return pl.DataFrame(
        {
            "x": np.round(20 * x),
            "y": np.round(20 * y),
            "gaps": gaps,
            "label": rng.choice(list("abc"), rows),
            "few": rng.integers(0, 4, rows),
        }
    )


@pytest.fixture
def small_sample(monkeypatch):
    """Sources of more than 3000 rows are read in chunks."""
    monkeypatch.setattr(chunked_groups, "SAMPLE_ROWS", 3000)


@pytest.fixture(scope="module")
def tables():
    return table(0, 8000, 0.5), table(1, 7000, 0.6)


def pair_of(found, *names, part="pairs"):
    return next(pair for pair in found.document[part] if {*pair["variables"]} == {*names})


def assert_same(by_rows, by_chunks, triples=False):
    """p-values of pairs, triples and columns where every value has a bin of its own in both."""
    assert by_rows.document["settings"]["groups"] == by_chunks.document["settings"]["groups"]
    for part in ("pairs", "triples") if triples else ("pairs",):
        for record in by_rows.document[part]:
            other = pair_of(by_chunks, *record["variables"], part=part)
            assert other["n"] == record["n"]
            if part == "pairs" or "gaps" not in record["variables"]:  # whose classes are those of other ranks
                assert other["pvalue"] == pytest.approx(record["pvalue"], rel=1e-8, abs=1e-12)
    columns = {column["name"]: column for column in by_chunks.document["columns"]}
    for record in by_rows.document["columns"]:
        assert columns[record["name"]]["law_pvalue"] == pytest.approx(record["law_pvalue"], rel=1e-8)
        assert columns[record["name"]]["missing"] == record["missing"]


@pytest.fixture(scope="module")
def by_rows(tables):
    return sh.compare(*tables, triples=True)


def test_lazy_frames_are_as_tables(small_sample, tables, by_rows):
    found = sh.compare(*(own.lazy() for own in tables), triples=True)
    for own in tables:
        counts = [own[name].drop_nulls().value_counts().height for name in ("x", "y", "gaps")]
        assert max(counts) <= NUMBER_BINS
    assert_same_but_rare(by_rows, found)
    assert any("read in chunks" in note for note in found.document["notes"])
    assert pair_of(found, "x", "y")["strength"] == pytest.approx(pair_of(by_rows, "x", "y")["strength"], abs=0.05)
    assert 'class="point' in found.to_html()
    assert 'class="point' not in found.to_html(rows=False)


def assert_same_but_rare(by_rows, by_chunks):
    """Values that the sample has not seen share the bin of the next larger one: p-values move a little."""
    for part in ("pairs", "triples"):
        for record in by_rows.document[part]:
            other = pair_of(by_chunks, *record["variables"], part=part)
            assert other["n"] == record["n"]
            within = 0.1 if part == "pairs" else 0.3
            assert other["pvalue"] == pytest.approx(record["pvalue"], rel=within, abs=1e-9)


def frequent(own):
    """Values that every sample sees."""
    return own.with_columns(pl.col("x", "y").clip(-15, 15), pl.col("gaps").clip(-5, 5))


def test_where_every_value_has_a_bin_the_answers_are_the_same(small_sample, tables, tmp_path):
    one, other = map(frequent, tables)
    by_rows = sh.compare(one, other, names=["a", "b"], triples=True, kinds={"gaps": "number"})
    one.write_parquet(tmp_path / "a.parquet")
    other.write_csv(tmp_path / "b.csv")
    by_files = sh.compare(tmp_path / "a.parquet", str(tmp_path / "b.csv"), names=["a", "b"], triples=True)
    assert_same(by_rows, by_files, triples=True)
    mixed = sh.compare(one, open_rows(tmp_path / "b.csv"), names=["a", "b"], triples=True)
    assert_same(by_rows, mixed, triples=True)
    profile_of(tmp_path / "a.parquet", name="a").save(tmp_path / "a.shearer")
    assert_same(by_rows, sh.compare(Profile.load(tmp_path / "a.shearer"), other.lazy(), names=["a", "b"]))
    with duckdb.connect() as connection:
        relation = connection.from_arrow(other.to_arrow())
        reader = one.to_arrow().to_reader(max_chunksize=1000)
        assert_same(by_rows, sh.compare(reader, relation, names=["a", "b"]))


def test_little_memory_takes_more_passes_and_gives_the_same(small_sample, tables, monkeypatch):
    passes = []

    class Counted(type(open_rows(lambda: iter(())))):
        def fold(self, *arguments):
            passes.append(1)
            return super().fold(*arguments)

    one, other = map(frequent, tables)
    whole = sh.compare(one.lazy(), other.lazy())
    monkeypatch.setattr(chunked_groups, "parse_memory", lambda _: 4 * 8000)  # a handful of tables at a time
    few = sh.compare(Counted(lambda: iter([one])), Counted(lambda: iter([other])))
    assert len(passes) > 8
    assert_same(whole, few)


def test_a_grid_of_ones_own_gives_the_means_and_covariances_of_memory():
    rng = np.random.default_rng(2)
    x, y = normal_pair(rng, 20_000, 0.7)
    read = chunked_groups._edges(x), chunked_groups._edges(y)
    codings = {name: Coding("continuous", len(own), edges=own) for name, own in zip("xy", read, strict=True)}
    sums = CellCounts(codings, [("x", "y")])
    parts = [sums.empty() for _ in range(3)]
    for place, start in enumerate(range(0, 20_000, 6000)):
        rows = slice(start, start + 6000)
        parts[place % 3].update({"x": x[rows], "y": y[rows]})
    for part in parts:
        sums.merge(part)
    assert sums.rows == 20_000
    chunked = number_cells(sums.table(("x", "y")))
    whole = profile_of({"x": x, "y": y}).pairs["x", "y"]
    np.testing.assert_allclose(chunked.means, whole.means, atol=1e-10)
    np.testing.assert_allclose(chunked.covariance, whole.covariance, atol=1e-12)


def test_a_grid_of_a_sample_moves_means_by_less_than_a_bin(small_sample):
    rng = np.random.default_rng(3)
    x, y = normal_pair(rng, 20_000, 0.7)
    frame = pl.DataFrame({"x": x, "y": y})
    chunked, whole = profile_of(frame.lazy()).pairs["x", "y"], profile_of(frame).pairs["x", "y"]
    errors = np.sqrt(np.diag(whole.covariance))
    assert np.abs((chunked.means - whole.means) / errors).max() < 0.2
    np.testing.assert_allclose(np.diag(chunked.covariance), np.diag(whole.covariance), rtol=0.05)
    ranks = dense_codes(x)[0] / 20_000
    edges = chunked_groups._edges(x[:3000])
    bins = np.minimum(np.searchsorted(edges, x), len(edges) - 1)
    spans = [np.ptp(ranks[bins == k]) for k in range(len(edges))]
    assert max(spans) < 5 / NUMBER_BINS


def test_few_rows_in_chunks_are_a_table():
    one, other = table(4, 300, 0.1), table(5, 300, 0.9)
    by_rows, by_chunks = sh.compare(one, other), sh.compare(one.lazy(), other.lazy())
    for document in (by_rows.document, by_chunks.document):
        document["settings"] |= {"date": "", "seconds": 0.0}
    assert by_rows.document == by_chunks.document
    assert isinstance(by_chunks.pairs, pl.DataFrame)


@pytest.mark.needs("distributed")
def test_dask_arrays_and_frames(small_sample, tables):
    import dask.array
    import dask.dataframe

    one, other = (frequent(own).select("x", "y", "few") for own in tables)
    by_rows = sh.compare(one, other)
    frames = [dask.dataframe.from_pandas(own.to_pandas(), npartitions=3) for own in (one, other)]
    assert_same(by_rows, sh.compare(*frames))
    arrays = [dask.array.from_array(own.to_numpy().astype(float), chunks=(2500, 2)) for own in (one, other)]
    found = sh.compare(*arrays)
    assert pair_of(found, "x1", "x2")["pvalue"] == pytest.approx(pair_of(by_rows, "x", "y")["pvalue"], rel=1e-8)


def test_labels_and_few_values_are_settled_by_all_rows(small_sample):
    rng = np.random.default_rng(6)
    one = pl.DataFrame({"x": rng.normal(size=4000), "n": np.arange(4000) % 10, "l": ["u", "v"] * 2000})
    other = one.with_columns(n=pl.col("n") + pl.when(pl.col("n") == 9).then(1).otherwise(0))
    rare = pl.DataFrame({"x": [0.5], "n": [3], "l": ["rare"]}, schema=one.schema)
    found = sh.compare(pl.concat([one, rare]).lazy(), other.lazy())
    columns = {column["name"]: column for column in found.document["columns"]}
    assert columns["n"]["kind"] == "number"  # eleven values in both together
    assert columns["l"]["vanished"] == ["rare"]
    same = sh.compare(one.lazy(), one.lazy())
    assert {column["name"]: column["kind"] for column in same.document["columns"]}["n"] == "label"
    many = pl.DataFrame({"x": one["x"], "l": [f"n{k}" for k in range(2000)] * 2})
    found = sh.compare(many.lazy(), many.lazy())
    assert "more than 1,000 different labels" in found.document["columns"][-1]["notes"][0]


def test_seen_values_merge():
    kinds = {"x": "continuous", "l": "categorical"}
    one, other = SeenValues(kinds), SeenValues(kinds)
    one.update({"x": [1.0, 2.0], "l": ["a", "b"]})
    other.update({"x": [2.0, None, 3.0], "l": ["c", "a", None]})
    one.merge(other)
    assert one.rows == 5
    assert one.numbers("x").tolist() == [1.0, 2.0, 3.0]
    assert one.labels("l") == ("a", "b", "c")
    assert one.empty().rows == 0


def test_what_chunks_refuse(small_sample, tables, tmp_path):
    one, other = tables
    for options in ({"paired": True}, {"cluster": "few"}):
        with pytest.raises(ValueError, match="in memory"):
            sh.compare(one.lazy(), other.lazy(), **options)
    with pytest.raises(TypeError, match="in chunks"):
        sh.compare(one.lazy(), by="label")
    with pytest.raises(ValueError, match="exists"):
        sh.compare(tmp_path / "none.parquet", other)
    sizes = iter([4000, 4000, 3500, 3500, 3500])
    with pytest.raises(ValueError, match="must not change"):
        sh.compare(open_rows(lambda: iter([one[: next(sizes)]])), other)
    with pytest.raises(ValueError, match="names among"):
        sh.compare(one.lazy(), other.lazy(), kinds={"nowhere": "label"})
