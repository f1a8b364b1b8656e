"""What the paper says about learning, and what the trainings say to it: every verdict by a rule from their results.

"a is better than b": the differences between runs of the same seed, in the direction claimed. Confirmed if their mean
is above 0 by Student's one-sided test at 5 %, reversed if it is below 0 by the same test, and else within the spread
over seeds; with fewer than three seeds the question stays open. Where a table has several claims, a confirmation that
5 % shared out among them (Bonferroni) would not give is called one by itself.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import getitem

import numpy as np
import tables_learning as learning
from scipy.stats import ttest_1samp
from tables_first import late_accuracies, late_errors
from tables_learning import NOISES, bike_case, found, gains, of, signed
from tables_network import Table, escape

LEVEL = 0.05
FEWEST_SEEDS = 3
CONFIRMED, REVERSED, WITHIN = "confirmed", "not confirmed: the reverse", "not confirmed: within the spread"
FAINT = "chance: I(x; z) is not lowered, a weight of 10⁻⁶ a bit is not felt"
HEAVY = (0.8, 1.0)
LOWER = 7  # layers that count as lower ones
Claim = tuple[str, str, str]  # what the paper says, what was seen, the verdict


def verdict(differences: Sequence[float], among: int = 1) -> str:
    """Of differences that are above 0 where the claim holds; `among`: claims of the same table.

    Examples
    --------
    >>> verdict([1.0, 1.1, 0.9]), verdict([-1.0, -1.1, -0.9])
    ('confirmed', 'not confirmed: the reverse')
    >>> verdict([1.0, -1.0, 0.5]), verdict([0.0, 0.0, 0.0]), verdict([1.0, 2.0]), verdict([])
    ('not confirmed: within the spread', 'not confirmed: within the spread', 'open: 2 seeds', 'not run')
    >>> verdict([1.0, 1.3, 0.8], among=20)
    'confirmed by itself (p = 0.0096), not as one of 20 claims'
    """
    count = len(differences)
    if count == 0:
        return learning.NOT_RUN
    if count < FEWEST_SEEDS:
        return f"open: {count} seed{'s' if count > 1 else ''}"
    if np.ptp(differences) == 0:
        return WITHIN if differences[0] == 0 else CONFIRMED if differences[0] > 0 else REVERSED
    chance = float(ttest_1samp(differences, 0.0, alternative="greater").pvalue)
    if LEVEL / among <= chance < LEVEL:
        return f"{CONFIRMED} by itself (p = {chance:.2g}), not as one of {among} claims"
    return CONFIRMED if chance < LEVEL else REVERSED if chance > 1 - LEVEL else WITHIN


def seen(differences: Sequence[float], unit: str, digits: int = 2) -> str:
    """Mean and standard deviation of differences."""
    if not len(differences):
        return "–"
    mean = f"{signed(float(np.mean(differences)), digits)} {unit}"
    return mean if len(differences) == 1 else f"{mean} ± {np.std(differences, ddof=1):.{digits}f}"


def differences(experiment: str, key: str, first: str, second: str, *value: str) -> list[float]:
    """First less second in the runs of a seed, of the value at the end of a path of keys."""
    runs = [
        {study["seed"]: reduce(getitem, value, study) for study in of(experiment, key, name)}
        for name in (first, second)
    ]
    return [runs[0][seed] - runs[1][seed] for seed in runs[0] if seed in runs[1]]


def paired(values: Callable[[str], dict[int, float]], first: str, second: str) -> list[float]:
    """First less second of values by seed."""
    own, other = values(first), values(second)
    return [own[seed] - other[seed] for seed in own if seed in other]


def fashion(among: int) -> list[Claim]:
    claims = []
    for better, worse in (("I(x;e)", "CE"), ("HSIC", "CE"), ("H(e)", "CE"), ("I(x;e)", "HSIC"), ("I(x;e)", "H(e)")):
        apart = differences("fashion_shift", "loss", better, worse, "target")
        claims.append((f"turned clothes: {better} above {worse}", seen(apart, "points"), verdict(apart, among)))
    apart = paired(late_accuracies, "I(x;e)", "CE")
    claims.append(("turned clothes, first epochs: I(x;e) above CE", seen(apart, "points"), verdict(apart, among)))
    for worse in ("CE", "H(e)", "I(x;e)"):
        apart = paired(late_accuracies, "I(x;e), median, 1.01", worse)
        text = f"turned clothes, first epochs: I(x;e) with inputs that count (not in the paper) above {worse}"
        claims.append((text, seen(apart, "points"), verdict(apart, among)))
    for better in ("I(x;e)", "HSIC", "H(e)"):
        apart = differences("fashion_shift", "loss", better, "CE", "best_on_test", "target")
        text = f"turned clothes, the epoch chosen on them (the authors' way): {better} above CE"
        claims.append((text, seen(apart, "points"), verdict(apart, among)))
    apart = differences("fashion_shift", "loss", "I(x;e)", "CE", "source")
    return [*claims, ("upright clothes: I(x;e) above CE", seen(apart, "points"), verdict(apart, among))]


def over_levels(
    text: str, noise: str, levels: Sequence[float], loss: str, *, among: int, sign: int = 1, features: int = 56
) -> Claim:
    """Gains over the MSE loss on noisy counts, seed by seed, averaged over the levels that were run."""
    studies = {level: study for level in levels if (study := bike_case(noise, level, features)) is not None}
    if not studies:
        return text, "–", learning.NOT_RUN
    values = np.mean([gains(study, loss, "noisy") for study in studies.values()], axis=0)
    shown = ", ".join(f"{level:g}" for level in studies)
    return text, f"gain {seen(values.tolist(), '%')}, levels {shown}", verdict((sign * values).tolist(), among)


def bike(among: int) -> list[Claim]:
    above = learning.LEVELS[1:]
    judge = partial(over_levels, among=among)
    claims = []
    for order in ("2", "1.001"):
        claims.append(most_often_best(order))
        for noise in NOISES:
            text = f"counts with {noise} noise: H(e) better than MSE, order {order}"
            claims.append(judge(text, noise, above, f"H(e), {order}"))
        for loss in ("I*(x;e)", "H(e)"):
            text = f"heavy Gaussian noise: {loss} better than MSE, order {order}"
            claims.append(judge(text, "Gaussian", HEAVY, f"{loss}, {order}"))
    worse = "worse than MSE under"
    few = [
        judge(f"the paper's 8 features, {noise} noise: {loss} better than MSE", noise, above, f"{loss}, 2", features=8)
        for loss in ("I*(x;e)", "H(e)")
        for noise in NOISES
    ]
    return [
        *claims,
        *(judge(f"{loss} {worse} heavy Gaussian noise", "Gaussian", HEAVY, loss, sign=-1) for loss in ("MAE", "HSIC")),
        judge(f"HSIC {worse} heavy Laplace noise", "Laplace", HEAVY, "HSIC", sign=-1),
        judge(f"MAE {worse} shifted exponential noise", "shifted exponential", above, "MAE", sign=-1),
        *few,
    ]


def most_often_best(order: str) -> Claim:
    """In how many cases I* gains most, on average over seeds."""
    names = ["MAE", "HSIC", f"H(e), {order}", f"I*(x;e), {order}"]
    cases = [("none", 0.0), *((noise, level) for noise in list(NOISES)[:2] for level in learning.LEVELS[1:])]
    studies = [study for case in cases if (study := bike_case(*case)) is not None]
    best = [max(names, key=lambda name: gains(study, name, "noisy").mean()) for study in studies]
    text = f"Laplace and shifted exponential noise: I* gains most in most cases, order {order}"
    share = f"{best.count(names[-1])} of {len(best)} cases"
    if len(best) < len(cases):
        return text, share, f"open: {len(best)} of {len(cases)} cases"
    return text, share, "confirmed" if 2 * best.count(names[-1]) > len(best) else "not confirmed"


def mnist(among: int) -> list[Claim]:
    claims = []
    lowered = differences("bottleneck_mnist", "method", "baseline", "DIB", "information")
    for worse in ("baseline", "VIB", "dropout", "label smoothing", "confidence penalty"):
        apart = differences("bottleneck_mnist", "method", worse, "DIB", "test_error")
        found = verdict(apart, among)
        if found.startswith(CONFIRMED) and not verdict(lowered).startswith(CONFIRMED):
            found = FAINT
        claims.append((f"MNIST: error of DIB below {worse}", seen(apart, "points"), found))
    apart = differences("bottleneck_mnist", "method", "baseline", "VIB", "test_error")
    claims.append(("MNIST: error of VIB below baseline", seen(apart, "points"), verdict(apart, among)))
    for worse in ("baseline", "VIB"):
        apart = differences("bottleneck_mnist", "method", worse, "DIB, beta 0.01", "test_error")
        text = f"MNIST: error of DIB with weight 0.01 (not in the paper) below {worse}"
        claims.append((text, seen(apart, "points"), verdict(apart, among)))
    for worse in ("baseline", "VIB"):
        apart = differences("bottleneck_mnist", "method", worse, "DIB", "best_on_test")
        text = f"MNIST, the epoch chosen on test images (the authors' way): error of DIB below {worse}"
        claims.append((text, seen(apart, "points"), verdict(apart, among)))
    return [*claims, *mended(among)]


def mended(among: int) -> list[Claim]:
    """The gradient that knows the width, and |z|^2, in the first epochs."""
    held, known, norm = "DIB, beta 0.01", "DIB known, beta 0.01", "|z|^2, beta 0.01"
    pairs = [(held, "baseline"), (known, "baseline"), (norm, "baseline"), (norm, held), (norm, known), (norm, "VIB")]
    claims = []
    for better, worse in pairs:
        apart = paired(late_errors, worse, better)
        text = f"MNIST, first epochs (not in the paper): error of {better} below {worse}"
        claims.append((text, seen(apart, "points"), verdict(apart, among)))
    return claims


def cifar(among: int) -> list[Claim]:
    pairs = [("VGG16 + DIB", worse) for worse in learning.CIFAR if worse != "VGG16 + DIB"]
    claims = []
    for better, worse in [*pairs, ("VGG16", "VGG16 + VIB")]:
        apart = differences("cifar_errors", "row", worse, better, "test_error")
        here = f"not testable here; on the subset {verdict(apart, among)}"
        claims.append((f"CIFAR-10: error of {better} below {worse}", seen(apart, "points"), here))
    return claims


def dynamics(_among: int) -> list[Claim]:
    studies = list(found("vgg_dynamics").values())
    if not studies:
        return [("dependence among feature maps grows while VGG16 learns", "–", learning.NOT_RUN)]
    return [*at_widths(studies), *similarity()]


def similarity() -> list[Claim]:
    """Whether maps come to depend on each other, by numbers that are 0 by chance."""
    studies = list(found("map_similarity").values())
    if not studies:
        return [("CKA and adjusted T of maps grow (not in the paper)", "–", learning.NOT_RUN)]
    epochs, seeds = studies[0]["epochs"], learning.counted(studies)
    claims = []
    for name in ("CKA", "adjusted T"):
        courses = np.array([[look[name] for look in study["maps"]] for study in studies])
        text = f"median width: {name} grows in all layers in {epochs} epochs (not in the paper), {seeds}"
        claims.append(growing(text, courses))
    return claims


def at_widths(studies: list[dict]) -> list[Claim]:
    """What the paper says of T* and of pairs, at a fixed width and at the median."""
    claims = []
    for rule in ("fixed", "median"):
        total = courses_of(studies, rule, "T*(1.01)")
        claims += [
            growing(f"{rule} width: {name} grows in all layers", courses_of(studies, rule, name))
            for name in ("T*(1.01)", "T*(2)", "HSIC")
        ]
        least = total[:, -1].min(axis=1)
        text = f"{rule} width: T* is nearly 1 in all layers in the end"
        claims.append((text, f"least {by_seed(least, 3)}", "confirmed" if least.min() > 0.95 else "not confirmed"))
        text = f"{rule} width: T* grows beyond that of shuffled maps in all layers (not in the paper)"
        claims.append(growing(text, total - courses_of(studies, rule, "T*(1.01), shuffled")))
        claims += [earlier(studies, rule), modes(studies, rule)]
    return [(f"{text}, {learning.counted(studies)}", *rest) for text, *rest in claims]


def courses_of(studies: list[dict], rule: str, name: str) -> np.ndarray:
    """A value of every seed at every look and layer."""
    return np.array([[look[rule][name] for look in study["maps"]] for study in studies])


def by_seed(values: Sequence[float], digits: int) -> str:
    """A number for each seed; one if all are the same."""
    shown = [f"{value:.{digits}f}" for value in values]
    return shown[0] if len({*shown}) == 1 else ", ".join(shown)


def growing(text: str, courses: np.ndarray) -> Claim:
    """Whether a value is larger at the end than at the start, in all layers where it is not 1 from the first."""
    start, end = courses[:, 0], courses[:, -1]
    rising = ((end > start) | (np.minimum(start, end) > 0.999)).sum(axis=1)
    mean = seen((end - start).mean(axis=1).tolist(), "on average over layers", 3)
    result = f"in {by_seed(rising, 0)} of {start.shape[1]}; {mean}"
    return text, result, "confirmed" if rising.min() == start.shape[1] else "not confirmed"


def earlier(studies: list[dict], rule: str) -> Claim:
    """When the mean I* of lower and of upper layers is half way from its first to its last value, and where to."""
    courses, epochs = courses_of(studies, rule, "I*(2)"), np.array(studies[0]["watched"])
    shown, times, rises = [], [], []
    for part, layers in (("lower", courses[:, :, :LOWER]), ("upper", courses[:, :, LOWER:])):
        means = layers.mean(axis=2)
        shares = (means - means[:, :1]) / (means[:, -1:] - means[:, :1])
        times.append(epochs[np.argmax(shares >= 0.5, axis=1)])
        rises.append(bool((means[:, -1] > means[:, 0]).all()))
        ends = " to ".join(f"{value:.2f}" for value in means.mean(axis=0)[[0, -1]])
        shown.append(f"{part} {ends}, half way after {by_seed(times[-1], 0)} epochs")
    judged = "confirmed" if (times[0] < times[1]).all() else "not confirmed"
    text = f"{rule} width: I* of pairs rises earlier in lower layers than in upper ones"
    return text, "; ".join(shown), judged if all(rises) else "not confirmed: it falls"


def modes(studies: list[dict], rule: str) -> Claim:
    """The most frequent I* of pairs at the start and at the end."""
    shown, ends = [], []
    for part in ("lower", "upper"):
        shares = courses_of(studies, rule, f"I* {part}")
        peaks = (shares[:, [0, -1]].argmax(axis=2) + 0.5) / shares.shape[2]
        shown.append(f"{part} {by_seed(peaks[:, 0], 2)} to {by_seed(peaks[:, 1], 2)}")
        ends.append(bool((peaks[:, 0] < 0.2).all() and (peaks[:, 1] > 0.8).all()))
    text = f"{rule} width: the most frequent I* moves from nearly 0 to nearly 1"
    return text, "; ".join(shown), "confirmed" if all(ends) else "not confirmed"


# Each of the number of claims that are judged together.
PARTS: dict[str, tuple[str, Callable[[int], list[Claim]]]] = {
    "fashion": ("Table 3", fashion),
    "bike": ("Figures 3 and 9", bike),
    "mnist": ("Table 5", mnist),
    "cifar": ("Table 6", cifar),
    "dynamics": ("Figures 4, 5, 10 and 11", dynamics),
}


def judged_claims(part: str) -> list[Claim]:
    """The claims of a part, each judged as one of them all."""
    claims = PARTS[part][1]
    return claims(len(claims(1)))


def table_of(part: str) -> Callable[[], Table]:
    def make() -> Table:
        title = PARTS[part][0]
        rows = [[escape(cell).replace("|", "\\|") for cell in claim] for claim in judged_claims(part)]
        return f"What the paper says: {title}", ["claim", "seen here", "verdict"], rows

    return make


TABLES: dict[str, Callable[[], Table]] = {f"claims_{part}": table_of(part) for part in PARTS}
