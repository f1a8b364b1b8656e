"""What README and the documentation promise, and the command that checks each promise.

A quote stands in its page word for word (`tests/docs/test_claims.py` compares), and the command exists.
"""

from dataclasses import dataclass

from tables_network import Table, escape

README = "README.md"


@dataclass(frozen=True)
class Claim:
    """A sentence, or a part of one, where it stands, and what to run."""

    quote: str
    page: str
    command: str


def pytest(target: str) -> str:
    """The command of a test."""
    return f"pytest tests/{target}"


CLAIMS_TEST = "docs/test_readme.py"
CLAIMS = [
    Claim("`python3` (3.11 or newer)", README, pytest(f"{CLAIMS_TEST}::test_oldest_python")),
    Claim(
        "The default tests of pairs and triples draw no permutations",
        README,
        pytest(f"{CLAIMS_TEST}::test_defaults_draw_no_permutations"),
    ),
    Claim(
        "fewer than 6 rows; `measure=` or `alpha=` stated in a test",
        README,
        pytest(f"{CLAIMS_TEST}::test_exceptions_draw_permutations"),
    ),
    Claim("No densities are estimated.", README, pytest("reference")),
    Claim("Values come with bounds for the error of computing them.", README, "python -m benchmarks bounds"),
    Claim("With PyTorch tensors the measures are loss functions.", README, pytest("test_gradients.py")),
    Claim("at one false discovery rate of 5 %", README, pytest(f"{CLAIMS_TEST}::test_false_discovery_rates")),
    Claim(
        "has a strength on the scale of a correlation, with an interval",
        README,
        "python -m experiments.strength",
    ),
    Claim(
        "of more than 20,000 triples those of the columns with the strongest pairs",
        README,
        pytest(f"{CLAIMS_TEST}::test_most_triples"),
    ),
    Claim("The page is one file that asks the network for nothing", README, pytest("browser/test_page_in_browser.py")),
    Claim(
        "indirect ones included, weighted by shares of information",
        README,
        pytest(f"{CLAIMS_TEST}::test_default_network"),
    ),
    Claim("`--shards DIR`, then `--resume` after a kill", README, "python -m experiments.resume"),
    Claim(
        "`sh.comparators`: 26 of them under one call shape",
        README,
        pytest(f"{CLAIMS_TEST}::test_number_of_comparators"),
    ),
    Claim("`sh.Dependence(x, y, tol=1e-6)` certifies its bounds or refuses", README, pytest("spectrum")),
    Claim("one pass, merged by adding", README, pytest("sketching/test_sketch.py")),
    Claim("read from the committed benchmarks", README, "make readme-check"),
    Claim("T, D and I are never negative", README, pytest("test_identities.py")),
    Claim("T\\*, D\\* and I\\* are at most 1 at every order", README, pytest("properties")),
    Claim("-0.087", README, pytest(f"{CLAIMS_TEST}::test_negative_at_order_two")),
    Claim(
        "Values are returned as they are, never clipped.",
        README,
        pytest("test_errata.py::test_property_one_fails_from_below"),
    ),
    Claim("With a Gaussian kernel I\\*(x; x) is below 1", README, pytest(f"{CLAIMS_TEST}::test_a_variable_and_itself")),
    Claim(
        "A finite sample of independent variables scores above 0",
        README,
        pytest("test_errata.py::test_property_two_fails_on_samples"),
    ),
    Claim("has programs with pictures", "docs/index.rst", pytest("docs/test_pages.py::test_gallery")),
    Claim("every line below is run by the tests", "docs/table.rst", "pytest docs/table.rst"),
    Claim("the level is what a simulation says", "docs/inference.rst", "python -m experiments.level"),
    Claim("Power at the 5 % level beside other tests", "docs/inference.rst", "python -m experiments.power"),
    Claim("Coverage of intervals", "docs/inference.rst", "python -m experiments.coverage"),
    Claim("With labels alone that is exact.", "docs/conditional.rst", pytest("inference/test_conditional.py")),
    Claim("the result is the same to the last bit", "docs/scan.rst", "python -m experiments.resume"),
    Claim("Its content security policy forbids every request.", "docs/faq.rst", pytest("report/test_page.py")),
    Claim("p-values are those of the same rows in memory", "docs/scale.rst", pytest("sketching/test_as_in_memory.py")),
    Claim("Memory does not grow with the rows", "docs/scale.rst", "python -m experiments.rows"),
    Claim("its tasks run again elsewhere, with the same result", "docs/scale.rst", pytest("sketching/test_cluster.py")),
    Claim(
        "pass scikit-learn's own checks without exception", "docs/tools.rst", pytest("tools/test_estimator_checks.py")
    ),
    Claim("value and gradient are finite", "docs/neural.rst", pytest("neural/test_losses.py")),
    Claim("Training does not notice", "docs/neural.rst", pytest("neural/test_monitor.py")),
    Claim("is their copula the same?", "docs/compare.rst", "python -m experiments.compare"),
    Claim("exact to round-off", "docs/engine.rst", pytest("spectrum")),
    Claim("which test shows it", "docs/errata.rst", pytest("test_errata.py")),
    Claim(
        "Every measured number in these pages is computed",
        "docs/index.rst",
        pytest("docs/test_constants.py::test_no_number_in_the_text_looks_measured"),
    ),
]


def claims() -> Table:
    """All of them, README first."""
    rows = [
        [escape(claim.quote.replace("\\", "").replace("`", "")), f"``{claim.page}``", f"``{claim.command}``"]
        for claim in CLAIMS
    ]
    return "What is claimed, where, and what checks it", ["claim", "page", "command"], rows
