"""Sets of columns, against definitions written out."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from shearer.tools.subspaces.lattice import by_stem, joined, not_redundant, without_one


@st.composite
def sets_of_one_size(draw):
    size = draw(st.integers(2, 4))
    every = list(combinations(range(7), size))
    return draw(st.lists(st.sampled_from(every), unique=True, max_size=25))


@given(sets_of_one_size())
def test_join_is_every_union_of_two_that_share_all_but_one(sets):
    unions = {tuple(sorted({*a, *b})) for a, b in combinations(sets, 2) if len({*a, *b}) == len(a) + 1}
    assert joined(sets) == sorted(unions)


@given(sets_of_one_size())
def test_stems_and_last_columns_make_up_the_sets(sets):
    rebuilt = {}
    for stem, ends in by_stem(sets).items():
        for position, column in ends:
            assert stem in without_one(sets[position])
            rebuilt[position] = tuple(sorted((*stem, column)))
    assert [rebuilt[position] for position in range(len(sets))] == sets


def test_one_stem_serves_all_sets_around_it():
    assert len(by_stem([(0, 1, column) for column in range(2, 9)])) == 1


@given(
    st.dictionaries(st.frozensets(st.integers(0, 5), min_size=1), st.sampled_from([0.1, 0.2, 0.3, 0.4]), max_size=20)
)
def test_a_set_is_redundant_if_one_that_contains_it_scores_higher(scored):
    scores = {tuple(sorted(columns)): score for columns, score in scored.items()}
    kept = {a for a in scores if not any(set(a) < set(b) and scores[b] > scores[a] for b in scores)}
    assert not_redundant(scores) == sorted(kept, key=lambda columns: (-scores[columns], columns))
