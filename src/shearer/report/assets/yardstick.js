// Methods against suites: a table of scores for the chosen designs, and a map of all cells.

Shearer.yardstick = {
  data: JSON.parse(Shearer.byId("data").textContent),

  // Of each shape of suite: title, text of a row, and whether it is words.
  columns: {
    test: [
      ["level", (row) => (row.level == null ? "–" : `${Shearer.digits(row.level, 3)} ± ${Shearer.digits(row.level_error, 3)}`)],
      ["largest", (row) => Shearer.digits(row.level_worst)],
      ["power", (row) => `${Shearer.digits(row.power)} ± ${Shearer.digits(row.power_error)}`],
      ["where it applies", (row) => Shearer.digits(row.power_asked)],
      ["designs", (row) => `${row.asked} of ${row.designs}`],
      ["regret", (row) => Shearer.digits(row.regret)],
      ["worst", (row) => Shearer.digits(row.worst_regret)],
      ["worst case", (row) => row.worst ?? "–", true],
      ["trials", (row) => row.trials.join("–")],
      ["seconds", (row) => Shearer.seconds(row.seconds)],
      ["growth", (row, growth) => (growth == null ? "–" : `n^${growth.toFixed(1)}`)],
    ],
    strength: [
      ["score", (row) => Shearer.digits(row.score)],
      ["zero", (row) => Shearer.digits(row.zero)],
      ["disorder", (row) => Shearer.digits(row.disorder)],
      ["inequity", (row) => Shearer.digits(row.inequity)],
      ["rows", (row) => Shearer.digits(row.rows)],
      ["kinds", (row) => Shearer.digits(row.kinds)],
      ["designs", (row) => `${row.asked} of ${row.designs}`],
      ["seconds", (row) => Shearer.seconds(row.seconds)],
    ],
    tables: [
      ["agreement", (row) => `${Shearer.digits(row.agreement)} ± ${Shearer.digits(row.agreement_error)}`],
      ["pairs", (row) => `${row.asked} of ${row.designs}`],
      ["seconds", (row) => Shearer.seconds(row.seconds)],
    ],
    scaling: [
      ["at 1000 rows", (row) => Shearer.seconds(row.seconds)],
      ["growth in rows", (row) => (row.growth == null ? "–" : `n^${row.growth.toFixed(1)}`)],
      ["growth in columns", (row) => (row.growth_columns == null ? "–" : `d^${row.growth_columns.toFixed(1)}`)],
      ["most rows", (row) => (row.most_rows == null ? "–" : row.most_rows.toLocaleString("en"))],
      ["killed or failed", (row) => row.stopped],
    ],
  },

  growth() {
    const scaling = this.data.suites.find((suite) => suite.shape === "scaling");
    return new Map(scaling ? scaling.views[0].rows.map((row) => [row.method, row.growth]) : []);
  },

  scores(suite, rows) {
    const columns = this.columns[suite.shape];
    const growth = this.growth();
    const head = el("tr", {}, el("th", {}, "method"), ...columns.map(([title, , words]) =>
      el("th", { class: words ? "words" : null, title: this.data.criteria[title] }, title)));
    const body = rows.map((row) => {
      const place = row.marked?.length
        ? el("span", { class: "mark", title: `Too many rejections: ${row.marked.join("; ")}` }, "level")
        : row.pending
          ? el("span", { class: "mark", title: `${row.pending} designs were not run` }, "unfinished")
          : el("b", {}, String(row.rank));
      const cells = columns.map(([, text, words]) => el("td", { class: words ? "words" : null }, String(text(row, growth.get(row.method)))));
      const kinds = [row.ours ? "ours" : "", row.rank == null ? "marked" : ""].join(" ").trim();
      return el("tr", { class: kinds || null }, el("td", {}, place, " ", Shearer.nameElement(row.method, 40)), ...cells);
    });
    return el("table", {}, head, ...body);
  },

  shade(cell, shape) {
    if (shape === "scaling") return cell.seconds ? (Math.log10(cell.seconds) + 4) / 5 : 0;
    return shape === "test" ? cell.rate : Math.abs(cell.mean ?? 0);
  },

  label(cell, shape) {
    if (!cell.answered) return "×";
    if (shape === "scaling") return cell.seconds >= 9.5 ? cell.seconds.toFixed(0) : cell.seconds >= 0.01 ? cell.seconds.toPrecision(1) : "·";
    const value = shape === "test" ? cell.rate : cell.mean;
    return value == null ? "–" : value.toFixed(2).replace(/^(-?)0\./, "$1.");
  },

  map(suite, rows, keep) {
    const designs = suite.designs.filter(keep);
    const cells = this.data.cells[suite.name];
    const head = el("tr", {}, el("th", {}, "design"), ...rows.map((row) =>
      el("th", { class: "turned", scope: "col" }, el("span", { title: row.method }, row.method))));
    const lines = [];
    let before = null;
    for (const design of designs) {
      const family = suite.shape === "test" ? (design.null ? "the hypothesis holds" : `false: ${design.family}`) : design.family;
      if (family !== before) lines.push(el("tr", { class: "head" }, el("td", { colspan: rows.length + 1 }, family)));
      before = family;
      const line = rows.map((row) => {
        const cell = cells[row.method]?.[design.name];
        if (!cell) return el("td", {});
        const share = Math.min(Math.max(this.shade(cell, suite.shape), 0), 1);
        const bad = suite.shape === "test" && design.null && row.marked?.includes(design.name);
        const button = el("button", {
          type: "button",
          "aria-label": `${row.method} on ${design.name}: ${this.label(cell, suite.shape)}`,
          onclick: () => Shearer.detail.open(suite, design, row.method, cell, this.data.level),
        }, this.label(cell, suite.shape));
        button.style.background = `color-mix(in srgb, var(--${bad ? "bad" : "cell"}) ${Math.round(85 * share)}%, var(--faint))`;
        if (share > 0.6) button.style.color = "var(--paper)";
        return el("td", {}, button);
      });
      lines.push(el("tr", {}, el("td", {}, Shearer.nameElement(design.name, 44)), ...line));
    }
    return el("table", {}, head, ...lines);
  },

  // Filters of designs, and a search in their names and in those of methods.
  show(section, suite) {
    const choice = el("select", {}, ...suite.views.map((view, i) => el("option", { value: String(i) }, view.name)));
    const search = el("input", { type: "search", placeholder: "method or design" });
    const draw = () => {
      const view = suite.views[Number(choice.value)];
      const words = search.value.trim().toLowerCase();
      const named = view.rows.filter((row) => row.method.toLowerCase().includes(words));
      const rows = named.length ? named : view.rows;
      const kept = new Set(view.designs);
      section.querySelector(".scores").replaceChildren(this.scores(suite, rows));
      const keep = (design) => kept.has(design.name) && (named.length || design.name.toLowerCase().includes(words));
      section.querySelector(".cells").replaceChildren(this.map(suite, rows, keep));
    };
    choice.addEventListener("change", draw);
    search.addEventListener("input", draw);
    section.querySelector(".controls").append(
      ...(suite.views.length > 1 ? [el("label", {}, "Designs", choice)] : []),
      el("label", {}, "Search", search),
    );
    draw();
  },

  start() {
    for (const section of document.querySelectorAll("section.suite")) {
      this.show(section, this.data.suites[Number(section.dataset.suite)]);
    }
  },
};

Shearer.theme.start();
Shearer.yardstick.start();
