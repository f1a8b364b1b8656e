"""What a reader of a table should know, kept with the columns it is about."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from shearer._validate import listing


@dataclass(frozen=True)
class Note:
    """A sentence, in two halves around the columns it is about; about the table as a whole if there are none."""

    before: str
    columns: tuple[str, ...] = ()
    after: str = ""

    def text(self, used: Collection[str] | None = None) -> str:
        """The sentence on those of its columns that are used; "" if it is about others only.

        Examples
        --------
        >>> note = Note("decimal commas read in ", ("a", "b"))
        >>> note.text(), note.text(["b", "c"]), note.text(["c"])
        ("decimal commas read in 'a', 'b'", "decimal commas read in 'b'", '')
        """
        if not self.columns:
            return self.before
        kept = [column for column in self.columns if used is None or column in used]
        return f"{self.before}{listing(kept)}{self.after}" if kept else ""


def texts(notes: Iterable[Note], used: Collection[str] | None = None) -> tuple[str, ...]:
    """The sentences that concern the columns that are used, each once."""
    return tuple(dict.fromkeys(text for note in notes if (text := note.text(used))))
