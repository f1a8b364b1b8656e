"""All recorded cases: name -> a function without arguments whose answer is a flat mapping of numbers and strings."""

from tests.recorded import fitted, measured, scanned, screened, tested

AREAS = {
    "measures": measured.CASES,
    "tests": tested.CASES,
    "screening": screened.CASES,
    "scans": scanned.CASES,
    "estimators": fitted.CASES,
}
CASES = {f"{area}: {name}": case for area, cases in AREAS.items() for name, case in cases.items()}
