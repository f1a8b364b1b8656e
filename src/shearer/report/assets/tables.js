// The two tables: which columns they have, and what their cells say.

Shearer.nameRanks = (names) => {
  const collator = new Intl.Collator("en", { numeric: true });
  const order = [...names.keys()].sort((a, b) => collator.compare(names[a].slice(0, 200), names[b].slice(0, 200)));
  const ranks = new Float64Array(names.length);
  order.forEach((column, rank) => (ranks[column] = rank));
  return ranks;
};

Shearer.nameColumns = (model, relations, titles) => {
  const ranks = Shearer.nameRanks(model.names);
  return relations.index.map((column, i) => ({
    key: titles[i],
    title: titles[i],
    keys: Float64Array.from(column, (place) => ranks[place]),
    cell: (row) => Shearer.nameElement(model.names[column[row]], 60, "name cut"),
  }));
};

Shearer.probabilityColumns = (relations) =>
  [["p", "pvalue", true], ["q", "qvalue", false]].map(([title, field, wide]) => ({
    key: title,
    title,
    keys: relations[field],
    cell: (row) => Shearer.probability(relations[field][row]),
    number: true,
    wide,
    size: "medium",
  }));

Shearer.numberColumn = (title, keys, text, more = {}) => {
  const cell = (row) => text(keys[row]);
  return { key: title, title, keys, cell, number: true, size: "small", ...more };
};

Shearer.startTable = (model, noun, columns, open) => {
  const { count, index, reported } = model[noun];
  const host = Shearer.byId(`${noun}-table`);
  return new Shearer.Table({ host, noun, columns, count, index, reported, names: model.names, open });
};

Shearer.startPairsTable = (model) => {
  const { pairs } = model;
  const { strength, reported } = pairs;
  const bar = (row) => [Shearer.meter(strength[row]), Shearer.decimal(strength[row])];
  const interval = (row) => Shearer.strengthInterval(model, row, "–");
  const verdict = (row) => (reported[row] ? "yes" : "no");
  const columns = Shearer.nameColumns(model, pairs, ["first", "second"]);
  if (pairs.lag) columns.push(Shearer.numberColumn("lag", pairs.lag, String));
  columns.push({ ...Shearer.numberColumn("strength", strength), cell: bar, down: true, size: "measure" });
  const ends = { wide: true, down: true, size: "medium" };
  columns.push({ ...Shearer.numberColumn("interval", pairs.strength_low, null, ends), cell: interval });
  if (pairs.shape.size) {
    const shapes = [...new Set(pairs.shape.values())].sort();
    const keys = Float64Array.from(strength, (_, row) => (shapes.indexOf(pairs.shape.get(row)) + 1 || shapes.length + 1));
    const cell = (row) => pairs.shape.get(row) ?? "";
    columns.push({ key: "shape", title: "shape", keys, cell, wide: true, size: "medium" });
  }
  columns.push(...Shearer.probabilityColumns(pairs), Shearer.numberColumn("n", pairs.n, Shearer.whole, { wide: true }));
  const last = Shearer.numberColumn("reported", reported, null, { wide: true, down: true, size: "medium" });
  columns.push({ ...last, cell: verdict });
  Shearer.pairsTable = Shearer.startTable(model, "pairs", columns, (row) => Shearer.detail.openPair(model, row));
};

Shearer.startTriplesTable = (model) => {
  const { triples } = model;
  const code = (row) => (triples.reported[row] ? triples.kind[row] : 0);
  const kind = (row) => {
    const word = Shearer.kinds[code(row)];
    return el("span", { class: word ? `kind-${word}` : null }, word || "–");
  };
  // Synergistic before redundant before unclear before neither.
  const kindKeys = Float64Array.from(triples.kind, (_, row) => code(row) || 4);
  const bits = (number) => Shearer.decimal(number, 3);
  const columns = [
    ...Shearer.nameColumns(model, triples, ["first", "second", "third"]),
    ...(triples.reported.includes(1) ? [{ key: "kind", title: "kind", keys: kindKeys, cell: kind, size: "medium" }] : []),
    Shearer.numberColumn("adds, bits", triples.added, bits, { wide: true, down: true, size: "medium" }),
    Shearer.numberColumn("T* at 2", triples.value, Shearer.decimal, { wide: true, down: true }),
    ...(triples.excess.some(Number.isFinite)
      ? [Shearer.numberColumn("excess O", triples.excess, bits, { wide: true, size: "medium" })]
      : []),
    ...Shearer.probabilityColumns(triples).map((column) => ({ ...column, wide: true })),
    Shearer.numberColumn("n", triples.n, Shearer.whole, { wide: true }),
  ];
  Shearer.triplesTable = Shearer.startTable(model, "triples", columns, (row) => Shearer.detail.openTriple(model, row));
};
