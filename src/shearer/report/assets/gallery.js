// Small pictures of the strongest pairs, and of the triples that no model of pairs explains.

// Append a few at a time; the button leaves when all are there.
Shearer.showInParts = (host, button, items, size, build) => {
  const showMore = () => {
    const start = host.childElementCount;
    host.append(...items.slice(start, start + size).map(build));
    button.hidden = host.childElementCount >= items.length;
    if (start) host.children[start].querySelector("button, h3")?.focus();
  };
  button.addEventListener("click", showMore);
  showMore();
};

Shearer.startGallery = (model) => {
  const found = model.pictured.pairs;
  // Where nothing was found, the pairs that came closest.
  const rows = (found.length ? found : [...Array(Math.min(6, model.pairs.count)).keys()]).filter((row) =>
    Shearer.hasPicture(model, model.pairs.columnsOf(row)),
  );
  const words = found.length
    ? "The strongest of the dependent pairs. Choose one to see it large."
    : "Nothing was found; these pairs came closest.";
  const { rows: drawn, total } = model.sample;
  const thinned = drawn < total ? ` Each picture shows ${Shearer.whole(drawn)} of ${Shearer.whole(total)} rows.` : "";
  Shearer.byId("pictures-words").textContent = words + thinned;
  const build = (row) => Shearer.pairCard(model, row);
  Shearer.showInParts(Shearer.byId("gallery"), Shearer.byId("gallery-more"), rows, 9, build);
};

// Beside the words at the top: the clearest synergistic triple, or the first pair that the words name.
Shearer.startHero = (model) => {
  const [triple] = model.pictured.triples;
  const [pair] = model.named;
  const host = Shearer.byId("hero");
  const caption = (words, names) => el("figcaption", {}, words, Shearer.namesElement(names, 30));
  if (triple && Shearer.hasPicture(model, model.triples.columnsOf(triple[0]))) {
    const { element } = Shearer.tripleFigure(model, model.triples.columnsOf(triple[0]), "");
    host.replaceChildren(element, caption("The clearest synergistic triple: ", model.tripleNames(triple[0])));
  } else if (pair !== undefined && Shearer.hasPicture(model, model.pairs.columnsOf(pair))) {
    const { element } = Shearer.pairCanvas(model, pair);
    host.replaceChildren(element, caption("The strongest pair: ", model.pairNames(pair)));
  }
};

Shearer.pairCard = (model, row) => {
  const names = model.pairNames(row);
  const lag = model.lag(row);
  const title = el("span", { class: "title cut" }, Shearer.namesElement(names, 30));
  const value = Shearer.decimal(model.pairs.strength[row]);
  const interval = Shearer.strengthInterval(model, row, "–");
  const figures = [lag ? `lag ${lag}` : "", value, interval ? `(${interval})` : ""].filter(Boolean).join(" ");
  const strength = el("span", { class: "strength" }, figures);
  const { element } = Shearer.pairCanvas(model, row);
  const label = `${names.map((name) => Shearer.shorten(name, 60)).join(" and ")}: look closer`;
  const onclick = () => Shearer.detail.openPair(model, row);
  const heading = el("span", { class: "heading" }, title, strength);
  const words = el("span", { class: "relation" }, model.pairWords.get(row) ?? "");
  const attributes = { type: "button", class: "card", "aria-label": label, onclick };
  return el("div", {}, el("button", attributes, heading, element, words));
};

Shearer.startSynergies = (model) => {
  const host = Shearer.byId("synergies");
  const found = model.pictured.triples;
  if (!found.length) {
    host.replaceChildren(el("p", { class: "empty" }, "No synergistic triple was found."));
    return;
  }
  const build = ([row, sentence]) => Shearer.synergyArticle(model, row, sentence);
  Shearer.showInParts(host, Shearer.byId("synergies-more"), found, 3, build);
};

// The three together large, beside them the three pairs that show little.
Shearer.synergyArticle = (model, row, sentence) => {
  const columns = model.triples.columnsOf(row);
  const { added, qvalue } = model.triples;
  const tag = el("span", { class: "tag synergistic" }, "synergistic");
  const title = el("h3", { tabindex: -1 }, Shearer.namesElement(model.tripleNames(row), 40), tag);
  const figures = `(It adds ${Shearer.decimal(added[row])}\u00a0bits to its pairs, q\u00a0${Shearer.probability(qvalue[row])}.)`;
  const header = el("header", {}, title, el("p", {}, `${sentence} ${figures}`));
  if (!Shearer.hasPicture(model, columns)) return el("article", { class: "synergy" }, header);
  const together = Shearer.tripleFigure(model, columns, "").element;
  const [a, b, c] = columns;
  const flats = [[a, b], [a, c], [b, c]].map(([first, second]) => Shearer.flatFigure(model, first, second));
  return el("article", { class: "synergy" }, header, together, el("div", { class: "flat" }, ...flats));
};

Shearer.flatFigure = (model, first, second) => {
  const row = model.rowOf(first, second);
  const names = [first, second].map((column) => model.names[column]);
  const strength = row < 0 ? "" : `strength ${Shearer.decimal(model.pairs.strength[row])}`;
  const label = `Picture of ${names.map((name) => Shearer.shorten(name, 60)).join(" and ")}`;
  const canvas = el("canvas", { role: "img", "aria-label": label });
  Shearer.canvas(canvas, (context, width, height) => Shearer.drawPair(model, context, width, height, first, second));
  const title = el("span", { class: "cut" }, Shearer.namesElement(names, 20));
  const caption = el("figcaption", {}, title, el("span", { class: "strength" }, strength));
  return el("figure", {}, caption, canvas);
};
