"""One registry of measures and one table of normalisations: what is added there is known everywhere."""

from itertools import combinations

import numpy as np
import pytest

import shearer as sh
import shearer.accessors
from shearer.inference.adjust import expected_by_chance
from shearer.measures import family, registry, verbs
from shearer.measures.combination import Combination, no_entropy, sum_of
from shearer.measures.measure import Measure
from shearer.measures.normalize import FORMS, Linear, offered, quotient
from shearer.measures.registry import MEASURES, dependence_measures, normalized_measures
from shearer.measures.registry import names as all_measures


def pairs_of(variables):
    """Sum of I over all pairs: the dummy that no other file has heard of."""
    return sum_of(registry.total_correlation(pair) for pair in combinations(variables, 2))


@pytest.fixture
def dummy(monkeypatch):
    """Sum of the pairs' informations, over the joint entropy of all."""
    measure = Measure("pair_information", "P", pairs_of, offered("joint"))
    monkeypatch.setitem(MEASURES, measure.name, measure)
    return measure.name


@pytest.fixture
def columns(rng):
    x = rng.normal(size=(3, 40))
    return dict(zip("abc", [x[0], x[0] + x[1], x[2]], strict=True))


@pytest.fixture
def by_hand(columns):
    """The dummy from mutual informations, in bits and normalised."""
    noun = sh.Dependence(columns)
    bits = sum(noun.mutual_information(*pair, normalize=False).value for pair in combinations("abc", 2))
    return bits, bits / noun.entropy().value


def test_the_noun_takes_a_new_measure(dummy, columns, by_hand):
    noun = sh.Dependence(columns)
    found = noun.measure(dummy)
    assert found.value == pytest.approx(by_hand[1])
    assert noun.measure(dummy, normalize=False).value == pytest.approx(by_hand[0])
    assert found.lower <= found.value <= found.upper
    with pytest.raises(ValueError, match="normalize: expected one of True, False, got 'max'"):
        noun.measure(dummy, normalize="max")
    with pytest.raises(ValueError, match="data: expected at least 2 variables, got 1"):
        noun.measure(dummy, "a")


def test_conditions_hold_for_a_new_measure(dummy, columns):
    noun = sh.Dependence(columns, given="c")
    assert noun.measure(dummy).value == pytest.approx(noun.mutual_information(normalize="joint").value)


def test_tests_take_a_new_measure(dummy, columns, by_hand):
    found = sh.permutation_test(columns, statistic=dummy, n_resamples=19)
    assert found.statistic == pytest.approx(by_hand[1])
    assert found.pvalue == 0.05
    tested = sh.independence_test(columns, method="permutation", measure=dummy, n_resamples=19)
    assert tested.statistic == found.statistic


def test_intervals_and_chance_take_a_new_measure(dummy, columns, by_hand):
    found = sh.confidence_interval(columns, measure=dummy)
    assert found.low < found.estimate < found.high
    assert found.value == pytest.approx(by_hand[1])
    assert sh.confidence_interval(columns, measure=dummy, normalize=False).value == pytest.approx(by_hand[0])
    exact, drawn = (expected_by_chance(columns, measure=dummy, n_resamples=n) for n in (None, 200))
    assert exact == pytest.approx(drawn, abs=0.02)


def test_sketches_take_a_new_measure(dummy, columns, by_hand):
    sketch = sh.Sketch.like(columns, measures=(dummy,))
    sketch.update(columns)
    found = sketch.measure(dummy)
    truth = sh.Dependence(columns, kernel=sketch.kernels).measure(dummy).value
    assert found.lower - 1e-12 <= truth <= found.upper + 1e-12
    # pairs and singles for the formula, all three for the ceiling
    assert len(sketch._entropies.parts) == 3 + 3 + 1


def test_subspaces_take_a_new_measure(dummy, rng):
    x = rng.normal(size=(50, 4))
    x[:, 2] = x[:, 0] + x[:, 1]
    found = sh.tools.SubspaceSearch(measure=dummy, max_size=3).fit(x)
    for columns, score in zip(found.subspaces_, found.scores_, strict=True):
        noun = sh.Dependence(*(x[:, column] for column in columns), alpha=2)
        assert score == pytest.approx(noun.measure(dummy).value, abs=1e-10)


@pytest.mark.needs("torch")
def test_losses_take_a_new_measure_of_single_entropies_and_the_joint(rng):
    import torch

    from shearer.neural.gradient_formulas import formula_of
    from shearer.neural.matrix_information import measure as loss_of

    half = Measure("half", "H", lambda v: registry.total_correlation(v) * 0.5, offered("rest", "max", "sqrt"))
    kernels = [torch.tensor(np.exp(-(np.subtract.outer(x, x) ** 2))) for x in rng.normal(size=(2, 12))]
    for form in (True, "max", "sqrt"):
        value = loss_of(half, form, kernels, 1.5)
        entropy = {frozenset(s): bits_of(kernels, s) for s in ([0], [1], [0, 1])}
        assert float(value) == pytest.approx(float(half.values(2, entropy.__getitem__, form, 0.0)), abs=1e-10)
    with pytest.raises(ValueError, match="measure: expected one made of the entropies of single variables"):
        formula_of(MEASURES["dual_total_correlation"], True)([1.0, 1.0, 1.0, 2.0], 0.0)


def bits_of(kernels, subset):
    joint = np.prod([kernels[index].numpy() for index in subset], axis=0)
    eigenvalues = np.clip(np.linalg.eigvalsh(joint / len(joint)), 0, None)
    return np.log2(np.sum(eigenvalues**1.5)) / (1 - 1.5)


def test_what_was_not_added_is_refused_by_name(columns):
    with pytest.raises(ValueError, match=r"measure: expected one of .*'entropy'"):
        sh.Dependence(columns).measure("pair_information")
    with pytest.raises(ValueError, match="measure: expected one of"):
        sh.Dependence(columns).measure("shearer_gap")  # it takes a cover
    with pytest.raises(ValueError, match="statistic: expected one of"):
        sh.permutation_test(columns, statistic="pair_information")
    with pytest.raises(ValueError, match="measures: expected one of"):
        sh.Sketch.like(columns, measures=("pair_information",))
    for unknown in ("pair_information", "entropy", "shearer_gap", None, ["total_correlation"]):
        with pytest.raises(ValueError, match="measure: expected one of 'mutual_information', "):
            sh.pairwise(columns, measure=unknown)
    with pytest.raises(ValueError, match="measure: expected none with given, got 'total_correlation'"):
        sh.pairwise(columns, given="c", measure="total_correlation")


def test_the_functions_are_those_of_the_registry():
    """`test_new_measure` follows each of them on every route."""
    assert sorted([*family.__all__, *verbs.__all__]) == sorted(all_measures())
    assert set(all_measures()) <= {*shearer.accessors.METHODS} & {*sh.__all__}
    assert all(known.symbol and known.name == name for name, known in MEASURES.items())


@pytest.mark.parametrize("name", dependence_measures())
def test_measures_do_not_know_the_order_of_the_variables(name, columns):
    """As the matrices of `pairwise` are symmetric."""
    chosen = "abc"[: MEASURES[name].most]
    noun = sh.Dependence(columns)
    for normalize in MEASURES[name].options:
        found = [noun.measure(name, *order, normalize=normalize).value for order in (chosen, chosen[::-1])]
        assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_lists_are_made_by_property():
    assert normalized_measures() == ("mutual_information", "total_correlation", "dual_total_correlation")
    assert normalized_measures(any_number=True) == ("total_correlation", "dual_total_correlation")
    assert set(dependence_measures()) == set(all_measures()) - {"entropy", "shearer_gap"}


UNKNOWN = ["maximum", "marginal", 1, 0, None, 0.0, ["max"], np.array([True])]


@pytest.mark.parametrize("unknown", UNKNOWN, ids=str)
def test_an_unknown_normalisation_raises_everywhere(unknown, columns, rng):
    a, b = columns["a"], columns["b"]
    message = "normalize: expected one of True, False"
    asked = [
        lambda: sh.mutual_information(a, b, normalize=unknown),
        lambda: sh.total_correlation(a, b, normalize=unknown),
        lambda: sh.dual_total_correlation(a, b, normalize=unknown),
        lambda: sh.Dependence(a, b).measure("mutual_information", normalize=unknown),
        lambda: sh.Subsampling(a, b).mutual_information(normalize=unknown),
        lambda: sh.confidence_interval(a, b, normalize=unknown),
        lambda: sh.pairwise(columns, normalize=unknown),
        lambda: sh.tools.DependenceNetwork(normalize=unknown).fit(rng.normal(size=(20, 3))),
        lambda: MEASURES["mutual_information"].values(2, lambda _: 1.0, unknown, 0.0),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=message):
            ask()
    sketch = sh.Sketch.like(a, b, measures=("mutual_information",))
    sketch.update(a, b)
    with pytest.raises(ValueError, match=message):
        sketch.mutual_information(normalize=unknown)
    if unknown != "marginal":
        with pytest.raises(ValueError, match=message):
            sh.shearer_gap(a, b, size=1, normalize=unknown)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("unknown", UNKNOWN, ids=str)
def test_an_unknown_normalisation_of_a_loss_raises(unknown):
    import torch

    from shearer.neural import DependenceLoss, InformationBottleneck, TotalCorrelationLoss
    from shearer.neural.gradient_formulas import formula_of

    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    asked = [
        lambda: DependenceLoss(normalize=unknown),
        lambda: TotalCorrelationLoss(normalize=unknown),
        lambda: InformationBottleneck(model, "0", 0.1, normalize=unknown),
        lambda: formula_of(MEASURES["mutual_information"], unknown),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match="normalize: expected one of True, False"):
            ask()


def test_measures_in_bits_only_take_no_normalisation(columns):
    noun = sh.Dependence(columns)
    assert noun.measure("o_information") == noun.measure("o_information", normalize=False)
    for ask in (
        lambda: noun.measure("o_information", normalize="joint"),
        lambda: sh.Subsampling(columns).measure("o_information", normalize="joint"),
        lambda: sh.confidence_interval(columns, measure="o_information", normalize="joint"),
        lambda: sh.pairwise(columns, measure="o_information", normalize="joint"),
    ):
        with pytest.raises(ValueError, match="normalize: expected one of False, got 'joint'"):
            ask()
    assert sh.confidence_interval(columns, measure="o_information").value == pytest.approx(noun.o_information().value)
    assert sh.pairwise(columns, measure="s_information").normalize is False


def test_a_new_normalisation_is_a_line_in_the_table(monkeypatch, columns):
    """Over twice the joint: the noun, arrays and gradients read the same line."""
    monkeypatch.setitem(FORMS, "twice", lambda v: Linear((Combination.of(v, 2.0),)))
    mutual = MEASURES["mutual_information"]
    wider = Measure(mutual.name, "I", mutual.formula, offered("max", "joint", "twice"), most=2)
    monkeypatch.setitem(MEASURES, mutual.name, wider)
    noun = sh.Dependence(columns)
    half, whole = (noun.mutual_information("a", "b", normalize=form).value for form in ("twice", "joint"))
    assert half == pytest.approx(whole / 2)
    entropy = {frozenset(s): noun.entropy(*("ab"[i] for i in s)).value for s in ([0], [1], [0, 1])}
    assert float(wider.values(2, entropy.__getitem__, "twice", 0.0)) == pytest.approx(half)


@pytest.mark.parametrize("form", FORMS)
def test_estimates_arrays_and_tangents_agree(form, columns, rng):
    """Of a normalisation by name: three readings of one line."""
    noun = sh.Dependence(columns["a"], columns["b"])
    measure = Measure("any", "A", registry.total_correlation, offered(form))
    bits = {subset: noun._entropies(subset).value for subset in map(frozenset, ([0], [1], [0, 1]))}
    exact = measure.estimate([0, 1], frozenset(), True, noun._entropies)
    single = measure.values(2, bits.__getitem__, True, 0.0)
    several = measure.values(2, {s: np.full((3, 2), b) for s, b in bits.items()}.__getitem__, True, 0.0)
    assert float(single) == pytest.approx(exact.value, abs=1e-13)
    assert np.allclose(several, exact.value, atol=1e-13)
    ceiling = FORMS[form]([0, 1])
    tangent = ceiling.tangent(bits.__getitem__, 0.0)
    assert float(tangent.value(bits.__getitem__)) == pytest.approx(float(ceiling.values(bits.__getitem__, 0.0)))
    for subset in bits:  # its coefficients are the derivatives
        step = 1e-6
        up, down = ({**bits, subset: bits[subset] + sign * step} for sign in (1, -1))
        slope = (ceiling.values(up.__getitem__, 0.0) - ceiling.values(down.__getitem__, 0.0)) / (2 * step)
        assert tangent.terms.get(subset, 0.0) == pytest.approx(float(slope), abs=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_no_entropy_to_share_is_no_dependence(form):
    measure = Measure("any", "A", registry.total_correlation, offered(form))
    floor = no_entropy(10)
    assert float(measure.values(2, lambda _: 0.0, True, floor)) == 0.0
    found = measure.values(2, lambda _: np.array([0.0, np.nan]), True, floor)
    assert found[0] == 0.0
    assert np.isnan(found[1])


def test_quotients_keep_what_is_no_number():
    found = quotient(np.array([np.nan, 1.0, 0.0, 1.0]), np.array([0.0, -1.0, 1e-20, 2.0]), 1e-15)
    assert np.array_equal(found, [np.nan, np.nan, 0.0, 0.5], equal_nan=True)
    assert float(quotient(1.0, 4.0, 0.0)) == 0.25


def test_numbers_of_variables_are_told(columns):
    for count, words in ((1, "exactly 2 variables, got 1"), (3, "exactly 2 variables, got 3")):
        with pytest.raises(ValueError, match=words):
            MEASURES["mutual_information"].check_count(count)
    with pytest.raises(ValueError, match="at most 16 variables, got 17, which takes 131071 entropies"):
        MEASURES["co_information"].check_count(17)
    MEASURES["entropy"].check_count(1)
    with pytest.raises(ValueError, match="data: expected exactly 2 variables, got 3"):
        sh.permutation_test(columns, statistic="mutual_information")
    with pytest.raises(ValueError, match="data: expected exactly 2 variables, got 3"):
        expected_by_chance(columns, measure="mutual_information")


def test_too_many_subsets_are_told_at_once(rng):
    with pytest.raises(ValueError, match="measures: expected at most 4096 subsets of variables, got more"):
        sh.Sketch.like(rng.normal(size=(10, 400)), measures=("mutual_information",))
    with pytest.raises(ValueError, match="sample: expected at most 12 variables for all of their subsets, got 13"):
        sh.Sketch.like(rng.normal(size=(10, 13)), measures=("shearer_gap",))
