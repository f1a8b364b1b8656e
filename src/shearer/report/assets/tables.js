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

Shearer.numberColumn = (title, keys, text, more = {}) => ({ key: title, title, keys, cell: (row) => text(keys[row]), number: true, ...more });

Shearer.startPairsTable = (model) => {
  const { pairs } = model;
  const columns = Shearer.nameColumns(model, pairs, ["first", "second"]);
  if (pairs.lag) columns.push(Shearer.numberColumn("lag", pairs.lag, String, { size: "small" }));
  const bar = (row) => [Shearer.meter(pairs.strength[row] / (model.strongest || 1)), Shearer.decimal(pairs.strength[row])];
  columns.push({ key: "strength", title: "strength", keys: pairs.strength, cell: bar, number: true, down: true, size: "measure" });
  if (model.scale === "adjusted") columns.push(Shearer.numberColumn("I*", pairs.value, Shearer.decimal, { wide: true, down: true, size: "small" }));
  columns.push(...Shearer.probabilityColumns(pairs), Shearer.numberColumn("n", pairs.n, Shearer.whole, { wide: true, size: "small" }));
  columns.push({ key: "reported", title: "reported", keys: pairs.reported, cell: (row) => (pairs.reported[row] ? "yes" : "no"), wide: true, down: true, size: "medium", number: true });
  const open = (row) => Shearer.detail.openPair(model, row);
  Shearer.pairsTable = new Shearer.Table({ host: Shearer.byId("pairs-table"), noun: "pairs", columns, count: pairs.count, index: pairs.index, names: model.names, reported: pairs.reported, open });
};

Shearer.startTriplesTable = (model) => {
  const { triples } = model;
  const kind = (row) => {
    const word = triples.reported[row] ? Shearer.kinds[triples.kind[row]] : "";
    return Shearer.el("span", { class: word ? `kind-${word}` : null }, word || "–");
  };
  const columns = [
    ...Shearer.nameColumns(model, triples, ["first", "second", "third"]),
    { key: "kind", title: "kind", keys: Float64Array.from(triples.kind, (code, row) => (triples.reported[row] && code ? code : 3)), cell: kind, size: "medium" },
    Shearer.numberColumn("T*", triples.value, Shearer.decimal, { wide: true, down: true, size: "small" }),
    Shearer.numberColumn("O", triples.o_information, (bits) => Shearer.decimal(bits, 3), { wide: true, size: "small" }),
    ...Shearer.probabilityColumns(triples).map((column) => ({ ...column, wide: true })),
    Shearer.numberColumn("n", triples.n, Shearer.whole, { wide: true, size: "small" }),
  ];
  const open = (row) => Shearer.detail.openTriple(model, row);
  Shearer.triplesTable = new Shearer.Table({ host: Shearer.byId("triples-table"), noun: "triples", columns, count: triples.count, index: triples.index, names: model.names, reported: triples.reported, open });
};
