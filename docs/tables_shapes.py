"""The committed study of the words for shapes as a table."""

import json
from collections import Counter
from pathlib import Path

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "shapes.json"
ROWS = (60, 200, 1000)


def counted(judged: bool) -> tuple[Counter[tuple[str, int]], Counter[tuple[str, int]]]:
    """How often each word was given at each number of rows, and how often it was right."""
    given: Counter[tuple[str, int]] = Counter()
    right: Counter[tuple[str, int]] = Counter()
    for law, found in json.loads(RESULTS.read_text(encoding="utf-8")).items():
        if law.startswith("judged") != judged:
            continue
        for case, words in found["words"].items():
            rows = int(case.split(",")[0][2:])
            for word, times in words.items():
                given[word, rows] += times
                right[word, rows] += times if word in found["right"] else 0
    return given, right


def shapes() -> tuple[str, list[str], list[list[str]]]:
    """Of each word: right of given, at each number of rows."""
    developed, judged = counted(False), counted(True)
    words = sorted({word for word, _ in developed[0]} - {"no word"})

    def cells(given: Counter[tuple[str, int]], right: Counter[tuple[str, int]], word: str) -> list[str]:
        return [f"{right[word, n]} of {given[word, n]}" if given[word, n] else "–" for n in ROWS]

    lines = [[word, *cells(*developed, word), *cells(*judged, word)] for word in words]
    silent = [
        [
            f"{100 * given['no word', n] / sum(times for (_, rows), times in given.items() if rows == n):.0f} %"
            for n in ROWS
        ]
        for given, _ in (developed, judged)
    ]
    lines.append(["no word", *silent[0], *silent[1]])
    header = ["word", *(f"n = {n}" for n in ROWS), *(f"judged, n = {n}" for n in ROWS)]
    return "How often the word for a shape was right, of how often it was given", header, lines


TABLES = {"shapes": shapes}
