"""What the page on outliers says of ranks and tests is what its table says."""

from tables_outlier_choice import CHOSEN, FOREST, against_forest, compared, mean_ranks


def ahead(place):
    ranks = mean_ranks(CHOSEN, place)
    return {method for method, rank in ranks.items() if rank < ranks[CHOSEN]}


def test_the_detector_is_among_the_first_three_by_the_roc_curve():
    assert len(ahead(0)) < 3
    assert FOREST in ahead(0)


def test_who_is_ahead_by_precision_and_recall():
    assert ahead(1) == {"COPOD", FOREST, "HBOS", "ECOD"}


def test_which_methods_are_told_from_the_forest():
    methods = set(next(iter(compared().values()))) - {FOREST}
    assert {method for method in methods if against_forest(method) < 0.05} == {"LOF", "subspaces by T*, LOF"}
