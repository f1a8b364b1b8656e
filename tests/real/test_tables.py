"""Real tables: mixed kinds, missing values, known relations."""

import polars as pl
import pytest

import shearer as sh

pytestmark = pytest.mark.needs("data")


@pytest.fixture
def penguins(folder):
    return pl.read_csv(folder / "tables" / "penguins.csv", null_values="NA")


def test_penguins_say_what_is_missing(penguins):
    with pytest.raises(ValueError, match=r"missing values in 11 of 344 rows .*'sex': 11"):
        sh.total_correlation(penguins)


def test_species_tells_more_of_the_flipper_than_sex_does(penguins):
    def tells(column):
        return sh.mutual_information(penguins.select(column, "flipper_length_mm"), missing="drop")

    assert tells("species") > 2 * tells("sex")


def test_bill_as_one_vector(penguins):
    bill = {"bill": ["bill_length_mm", "bill_depth_mm"]}
    table = penguins.select("species", "bill_length_mm", "bill_depth_mm")
    both = sh.mutual_information(table, groups=bill, missing="drop", normalize=False)
    for column in bill["bill"]:
        assert both > sh.mutual_information(table.select("species", column), missing="drop", normalize=False)


def test_same_table_in_pandas(penguins, folder):
    import pandas as pd

    columns = ["species", "island", "body_mass_g"]
    frame = pd.read_csv(folder / "tables" / "penguins.csv")[columns]
    ours = sh.dual_total_correlation(penguins.select(columns), missing="drop")
    assert sh.dual_total_correlation(frame, missing="drop") == pytest.approx(ours, abs=1e-13)
