"""A scan of rows that are read in chunks: what it is given, and what has to be said of it."""

from typing import Any

from shearer.scanning.screened_pairs import PairFindings
from shearer.sketching.opened_rows import comes_in_chunks, named_rows, open_rows
from shearer.sketching.row_source import RowSource

# Rows of a stream for what is not computed from all of them, where the caller sets no limit.
STREAM_SAMPLE_ROWS = 5000


def rows_of(data: tuple[Any, ...]) -> RowSource | None:
    """The source, where the data are one that is read in chunks."""
    if len(data) != 1 or not comes_in_chunks(data[0]):
        return None
    return named_rows(open_rows(data[0]))


def stream_notes(pairs: PairFindings, sampled: int) -> list[str]:
    """What came from where."""
    rows = int(pairs.rows[0])
    notes = [
        f"Pairs are tested and valued by all {rows:,} rows, read in chunks; columns are described, triples tested, "
        f"intervals found and the strongest measured by a random sample of {sampled:,}.",
        "Rows are taken as independent of each other. If they follow each other in time or come in groups, p-values "
        "are too small.",
    ]
    if pairs.dropped:
        notes.append(f"{pairs.dropped:,} rows that lack a value in some column were left out of the pairs.")
    return notes
