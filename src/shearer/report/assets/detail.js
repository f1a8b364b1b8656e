// Figures of a pair or a triple, and the window that shows one of them large.

// The interval of a strength, "" where there is none.
Shearer.strengthInterval = ({ pairs }, row, between = " to ") => {
  const ends = [pairs.strength_low[row], pairs.strength_high[row]];
  return ends.every(Number.isFinite) ? ends.map((end) => Shearer.decimal(end)).join(between) : "";
};

Shearer.strengthWords = (model, row) => {
  const interval = Shearer.strengthInterval(model, row);
  return `strength ${Shearer.decimal(model.pairs.strength[row])}${interval && `, interval ${interval}`}`;
};

Shearer.pairTerms = (model, row) => {
  const { pairs } = model;
  const entries = [["strength", Shearer.decimal(pairs.strength[row])]];
  const interval = Shearer.strengthInterval(model, row);
  if (interval) entries.push(["interval", interval]);
  entries.push(["p", Shearer.probability(pairs.pvalue[row])], ["q", Shearer.probability(pairs.qvalue[row])]);
  entries.push(["n", Shearer.whole(pairs.n[row])]);
  if (pairs.lag) entries.push(["lag", Shearer.plural(pairs.lag[row], "row")]);
  return Shearer.terms(entries);
};

Shearer.tripleTerms = (model, row) => {
  const { triples } = model;
  return Shearer.terms([
    ["adds, bits", Shearer.decimal(triples.added[row], 3)],
    ["T* at 2", Shearer.decimal(triples.value[row])],
    ["O at 2, bits", Shearer.decimal(triples.o_information[row], 3)],
    ["excess O", Shearer.decimal(triples.excess[row], 3)],
    ["p", Shearer.probability(triples.pvalue[row])],
    ["q", Shearer.probability(triples.qvalue[row])],
    ["p of splits", Shearer.probability(triples.split_pvalue[row])],
    ["n", Shearer.whole(triples.n[row])],
  ]);
};

Shearer.measuredTerms = (measured) => {
  if (!measured) return [];
  const names = {
    total_correlation: "T*",
    dual_total_correlation: "D*",
    o_information: "O, bits",
    adjusted: "adjusted for chance, order 2",
  };
  const known = Object.keys(names).filter((key) => Number.isFinite(measured[key]));
  const entries = known.map((key) => [names[key], Shearer.decimal(measured[key], key === "o_information" ? 3 : 2)]);
  const interval = measured.interval;
  if (interval && interval.every(Number.isFinite)) {
    entries.push(["interval", interval.map((end) => Shearer.decimal(end)).join(" to ")]);
  }
  if (measured.interval_note) entries.push(["too narrow", measured.interval_note]);
  return [el("h3", {}, `Measured at alpha ${Shearer.tick(measured.alpha)}`), Shearer.terms(entries)];
};

// What was looked at closely of a pair, folded away: the classical coefficients, measures with their order.
Shearer.pairDetails = (details) => {
  if (!details) return [];
  const name = (key) => {
    const [measure, order] = key.split("_order");
    const short = { mutual_information: "I*", total_correlation: "T*", dual_total_correlation: "D*" }[measure];
    return short ? `${short}, order ${order}` : { pearson: "Pearson", spearman: "Spearman", eta_squared: "eta²" }[key] ?? key;
  };
  const keys = Object.keys(details).filter((key) => Number.isFinite(details[key]) && !/_(low|high)$/.test(key));
  const entries = keys.map((key) => {
    const ends = [details[`${key}_low`], details[`${key}_high`]];
    const interval = ends.every(Number.isFinite) ? ` (${ends.map((end) => Shearer.decimal(end)).join(" to ")})` : "";
    return [name(key), Shearer.decimal(details[key]) + interval];
  });
  if (details.interval_note) entries.push(["too narrow", details.interval_note]);
  return [el("details", {}, el("summary", {}, "Details"), Shearer.terms(entries))];
};

// What determines what, the shape and the direction of a pair, in words.
Shearer.relationWords = (model, row) => {
  const words = model.pairWords.get(row);
  return words ? [el("p", { class: "verdict relation" }, words)] : [];
};

Shearer.verdict = (model, reported) => {
  const found = model.independentRows
    ? "Dependent, beyond what chance explains."
    : "Dependent, by a test that takes rows as independent.";
  const words = reported ? found : "No more than chance may give.";
  return el("p", { class: "verdict" }, words);
};

// A triple can be more than chance and still add too little to be reported.
Shearer.tripleVerdict = (model, row) => {
  const { reported, qvalue, kind } = model.triples;
  const slight = qvalue[row] <= Math.log10(model.settings.fdr);
  const none = slight
    ? "More than a model of its pairs explains, but too little to be reported."
    : "No more than a model of its pairs explains, as far as chance lets us tell.";
  const word = Shearer.kinds[kind[row]];
  const found = `More than a model of its pairs explains${word && word !== "unclear" ? `: ${word}` : ""}.`;
  const rows = model.independentRows || !(reported[row] || slight) ? "" : " The test takes rows as independent.";
  return el("p", { class: "verdict" }, `${reported[row] ? found : none}${rows}`);
};

Shearer.kinds = ["", "synergistic", "redundant", "unclear"];

Shearer.detail = {
  // Canvases of the window that is open, to be let go when it closes.
  live: [],

  show(names, body) {
    Shearer.byId("detail-title").replaceChildren(Shearer.namesElement(names, 60));
    Shearer.byId("detail-body").replaceChildren(body);
    const dialog = Shearer.byId("detail");
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  },

  openPair(model, row) {
    this.clear();
    const figures = [Shearer.verdict(model, model.pairs.reported[row]), ...Shearer.relationWords(model, row)];
    figures.push(Shearer.pairTerms(model, row), ...Shearer.pairDetails(model.pairs.measured.get(row)));
    let picture = el("p", { class: "empty" }, "The page holds no rows to draw.");
    if (Shearer.hasPicture(model, model.pairs.columnsOf(row))) {
      const large = Shearer.pairCanvas(model, row, { detail: true }, { class: "large" });
      this.live.push(large);
      picture = large.element;
    }
    const left = el("div", {}, picture, this.footnote(model, row));
    this.show(model.pairNames(row), el("div", { class: "closer" }, left, el("div", {}, ...figures)));
  },

  openTriple(model, row) {
    this.clear();
    const figures = [Shearer.tripleTerms(model, row), ...Shearer.measuredTerms(model.triples.measured.get(row))];
    const verdict = Shearer.tripleVerdict(model, row);
    let picture = el("p", { class: "empty" }, "The page holds no rows to draw.");
    if (Shearer.hasPicture(model, model.triples.columnsOf(row))) {
      const large = Shearer.tripleFigure(model, model.triples.columnsOf(row), "large");
      this.live.push(large);
      picture = large.element;
    }
    this.show(model.tripleNames(row), el("div", { class: "closer" }, picture, el("div", {}, verdict, ...figures)));
  },

  // What the picture leaves out, where it does.
  footnote(model, row) {
    if (!model.sample) return null;
    const words = [];
    const { rows, total } = model.sample;
    if (rows < total) words.push(`${Shearer.whole(rows)} of ${Shearer.whole(total)} rows drawn.`);
    const outside = model.pairs.columnsOf(row).map((column) => model.sample.columns[column]?.outside ?? 0);
    const most = Math.max(...outside);
    if (most) words.push(`${Shearer.plural(most, "far-out value")} drawn at the edge.`);
    return words.length ? el("p", { class: "hint" }, words.join(" ")) : null;
  },

  clear() {
    this.live.forEach((canvas) => canvas.release());
    this.live = [];
  },

  start() {
    const dialog = Shearer.byId("detail");
    Shearer.byId("detail-close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    dialog.addEventListener("close", () => this.clear());
  },
};
