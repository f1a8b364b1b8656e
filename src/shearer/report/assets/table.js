// A table of any length: sorted by typed arrays, searched by name, drawn only where it is looked at.

Shearer.Table = class {
  // columns: { key, title, keys (array to sort by), cell(row), number, wide, size, down }
  constructor({ host, noun, columns, count, index, names, reported, open }) {
    Object.assign(this, { host, noun, columns, count, index, names, reported, open });
    this.rowHeight = 34;
    this.sort = { column: null, down: false };
    this.order = Uint32Array.from({ length: count }, (_, row) => row);
    this.view = this.order;
    this.active = 0;
    this.folded = names.map((name) => name.toLowerCase());
    this.build();
    this.render();
  }

  build() {
    const id = `${this.noun}-search`;
    const plain = { placeholder: "names of columns", autocomplete: "off", spellcheck: "false" };
    this.search = el("input", { type: "search", id, ...plain, oninput: () => this.filter() });
    this.only = el("input", { type: "checkbox", onchange: () => this.filter() });
    this.tally = el("span", { class: "count", role: "status" });
    const labels = [el("label", { for: id }, "Search"), el("label", {}, this.only, " reported only")];
    const bar = el("div", { class: "table-bar" }, labels[0], this.search, labels[1], this.tally);
    this.headings = this.columns.map((column) => {
      const button = el("button", { type: "button", onclick: () => this.sortBy(column.key) }, column.title);
      return el("th", { scope: "col", class: this.classes(column) }, button);
    });
    this.body = el("tbody");
    const head = el("thead", {}, el("tr", {}, ...this.headings));
    this.table = el("table", { "aria-label": `${this.noun} of columns` }, head, this.body);
    this.viewport = el("div", { class: "viewport", onscroll: () => this.schedule() }, this.table);
    this.host.replaceChildren(bar, this.viewport);
    this.body.addEventListener("click", (event) => this.pick(event.target.closest("tr[data-row]")));
    this.body.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.schedule()).observe(this.viewport);
  }

  classes(column) {
    return [column.number ? "number" : "", column.wide ? "wide" : "", column.size ?? ""].join(" ").trim() || null;
  }

  // First in the direction that interests, then back, then as the scan gave it.
  sortBy(key) {
    const column = this.columns.find((one) => one.key === key);
    const { sort } = this;
    if (sort.column !== key) this.sort = { column: key, down: Boolean(column.down) };
    else if (sort.down === Boolean(column.down)) this.sort = { column: key, down: !sort.down };
    else this.sort = { column: null, down: false };
    this.order = this.sorted();
    this.columns.forEach((one, i) => {
      const current = one.key === this.sort.column;
      if (current) this.headings[i].setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
      else this.headings[i].removeAttribute("aria-sort");
    });
    this.filter();
  }

  sorted() {
    const order = Uint32Array.from({ length: this.count }, (_, row) => row);
    if (!this.sort.column) return order;
    const { keys } = this.columns.find((one) => one.key === this.sort.column);
    const sign = this.sort.down ? -1 : 1;
    // What is not known comes last either way.
    const signed = Float64Array.from(keys, (key) => (Number.isNaN(key) ? Infinity : sign * key));
    return order.sort((a, b) => (signed[a] === signed[b] ? a - b : signed[a] < signed[b] ? -1 : 1));
  }

  // Every word searched for must be in one of the names of a row.
  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = words.map((word) => Uint8Array.from(this.folded, (name) => (name.includes(word) ? 1 : 0)));
    const wanted = (row) =>
      (!this.only.checked || this.reported[row]) && hits.every((hit) => this.index.some((column) => hit[column[row]]));
    this.view = words.length || this.only.checked ? this.order.filter(wanted) : this.order;
    this.active = 0;
    this.viewport.scrollTop = 0;
    this.render();
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  render() {
    const total = this.view.length;
    const all = this.count === total ? "" : ` of ${Shearer.whole(this.count)}`;
    const noun = this.count === 1 ? this.noun.slice(0, -1) : this.noun;
    const tally = `${Shearer.whole(total)}${all} ${noun}`;
    if (this.tally.textContent !== tally) this.tally.textContent = tally;
    this.table.setAttribute("aria-rowcount", total + 1);
    const room = Math.ceil((this.viewport.clientHeight || 600) / this.rowHeight);
    const first = Math.max(0, Math.min(Math.floor(this.viewport.scrollTop / this.rowHeight) - 6, total - room));
    const last = Math.min(total, first + room + 14);
    const rows = [];
    for (let place = first; place < last; place++) rows.push(this.drawRow(place));
    if (!total) rows.push(el("tr", {}, el("td", { class: "empty" }, "Nothing matches.")));
    const focused = this.body.contains(document.activeElement);
    this.body.replaceChildren(this.spacer(first), ...rows, this.spacer(total - last));
    if (focused) this.body.querySelector(`[data-place="${this.active}"]`)?.focus({ preventScroll: true });
  }

  spacer(rows) {
    // One cell: spanning all columns, it would give room to those that a narrow screen hides.
    const cell = el("td");
    cell.style.height = `${Math.max(0, rows) * this.rowHeight}px`;
    return el("tr", { class: "spacer", "aria-hidden": "true" }, cell);
  }

  drawRow(place) {
    const row = this.view[place];
    const cells = this.columns.map((column) => el("td", { class: this.classes(column) }, ...[column.cell(row)].flat()));
    const where = { "data-row": row, "data-place": place, "aria-rowindex": place + 2 };
    const look = { tabindex: place === this.active ? 0 : -1, class: this.reported[row] ? null : "minor" };
    return el("tr", { ...where, ...look }, ...cells);
  }

  pick(element) {
    if (!element) return;
    this.active = Number(element.dataset.place);
    this.render();
    this.open(Number(element.dataset.row));
  }

  press(event) {
    const page = Math.max(1, Math.floor(this.viewport.clientHeight / this.rowHeight) - 2);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const element = event.target.closest("tr[data-row]");
    if (!element) return;
    const place = Number(element.dataset.place);
    if (event.key === "Enter" || event.key === " ") this.pick(element);
    else if (event.key in moves) this.goTo(Math.min(Math.max(place + moves[event.key], 0), this.view.length - 1));
    else return;
    event.preventDefault();
  }

  goTo(place) {
    this.active = place;
    const { scrollTop, clientHeight } = this.viewport;
    const top = place * this.rowHeight;
    const least = top + this.rowHeight + this.table.tHead.offsetHeight - clientHeight;
    this.viewport.scrollTop = Math.max(Math.min(scrollTop, top), least);
    this.render();
    this.body.querySelector(`[data-place="${place}"]`)?.focus({ preventScroll: true });
  }
};
