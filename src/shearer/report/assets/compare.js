Shearer.shorten = (name) => name;
Shearer.theme.start();

// A cell as what its column is sorted by: words, or the first number in it; none where it has no number.
Shearer.sortKey = (cell, words) => {
  const text = cell.textContent.trim();
  if (words) return text.toLowerCase();
  const number = parseFloat(text);
  return Number.isNaN(number) ? null : number;
};

// Rows in order of one column, those without a number last; equal ones stay as they are.
Shearer.sortRows = (table, column, words, down) => {
  const keyed = [...table.rows].slice(1).map((row) => [Shearer.sortKey(row.cells[column], words), row]);
  const compare = (a, b) => (words ? a.localeCompare(b, undefined, { numeric: true }) : a - b) * (down ? -1 : 1);
  keyed.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : compare(a, b)));
  table.tBodies[0].append(...keyed.map(([, row]) => row));
};

for (const table of document.querySelectorAll(".table table")) {
  const heads = [...table.rows[0].cells];
  heads.forEach((head, column) => {
    const words = column === 0 || head.classList.contains("words");
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      Shearer.sortRows(table, column, words, down);
    };
    const button = el("button", { type: "button", class: "sorter", title: "Sort", onclick: sort });
    button.append(...head.childNodes);
    head.append(button);
  });
}
