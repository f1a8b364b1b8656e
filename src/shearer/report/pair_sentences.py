"""What is said of one pair beside its strength, a sentence each: what determines what, its shape, its direction."""

from collections.abc import Mapping
from typing import Any

from shearer.report.wording import Sentence, plain_name

# Shape -> a sentence on the column that is seen and the one along which it is seen, or on a number and its label.
_SHAPES = {
    "line": "{seen} {way} as {along} rises, along a straight line.",
    "curve": "{seen} {way} as {along} rises, along a bent curve.",
    "step": "{seen} jumps at some value of {along} and hardly changes on either side.",
    "U": "{seen} falls and then rises as {along} rises (a U).",
    "inverted U": "{seen} rises and then falls as {along} rises (a U upside down).",
    "wave": "{seen} goes up and down as {along} rises, with more than one turn.",
    "ring": "The rows lie on a ring: {seen} and {along} together, around an empty middle.",
    "groups": "The rows come in groups that lie apart; within a group {seen} and {along} hardly depend on each other.",
    "widening": "{seen} spreads more widely as {along} rises.",
    "narrowing": "{seen} spreads less as {along} rises.",
    "shift": "{seen} is higher at some values of {along} than at others.",
    "spread": "{seen} spreads more widely at some values of {along} than at others.",
    "shift and spread": "{seen} differs between values of {along}, in its height and in its spread.",
}
_WAYS = {"+": "rises", "-": "falls"}
# Shapes whose sentence says whether one rises or falls with the other.
_DIRECTED = ("line", "curve", "U", "inverted U", "wave", "ring")


def pair_sentences(pair: Mapping[str, Any]) -> list[Sentence]:
    """Sentences on a pair of the document, names apart from the text; none of a pair not looked at closely.

    Examples
    --------
    >>> pair = {"variables": ["age", "risk"], "sign": None, "determines": None, "shape": "U", "shape_along": "first"}
    >>> ["".join(sentence) for sentence in pair_sentences(pair)]
    ['risk falls and then rises as age rises (a U).']
    >>> ["".join(sentence) for sentence in pair_sentences(pair | {"shape": "line", "sign": "-", "determines": "both"})]
    ['age and risk determine each other.', 'risk falls as age rises, along a straight line.']
    """
    first, second = (plain_name(name) for name in pair["variables"])
    sentences: list[Sentence] = []
    ways = pair.get("determines")
    if ways == "both":
        sentences.append([first, " and ", second, " determine each other."])
    elif ways:
        one, other = (first, second) if ways == "first" else (second, first)
        sentences.append([one, " determines ", other, ": its value fixes that of ", other, "."])
    shape, sign = pair.get("shape"), pair.get("sign")
    if shape in _SHAPES:
        names = {"seen": second, "along": first} if pair.get("shape_along") == "first" else None
        names = names or {"seen": first, "along": second}
        text = _SHAPES[shape].replace("{way}", _WAYS.get(sign or "", "changes"))
        sentences.append(_filled(text, names))
    if sign and shape not in _DIRECTED:
        sentences.append(["The two rise together." if sign == "+" else "As one rises the other falls."])
    return sentences


def _filled(text: str, names: Mapping[str, str]) -> Sentence:
    """A sentence in parts; a name that holds braces stays a name."""
    parts: Sentence = []
    for piece in text.split("{"):
        name, closed, rest = piece.partition("}")
        parts += [names[name], rest] if closed else [piece]
    return [part for part in parts if part]
