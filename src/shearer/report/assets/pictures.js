// The picture that suits the kinds of the columns.

Shearer.side = (model, column) => {
  const own = model.sample.columns[column];
  const axis = Shearer.axis(own);
  return { ...axis, axis, column: own, title: own.label ?? Shearer.shorten(model.names[column], 60) };
};

Shearer.hasPicture = (model, columns) =>
  Boolean(model.sample) && columns.every((column) => model.sample.columns[column]);

// The rows to compare, where the second column is read `lag` rows later than the first.
Shearer.apart = (lag) => (row) => [row + Math.max(0, -lag), row + Math.max(0, lag)];

Shearer.drawPair = (model, context, width, height, a, b, { detail = false, lag = 0 } = {}) => {
  const [x, y] = [Shearer.side(model, a), Shearer.side(model, b)];
  const options = { detail, shift: Shearer.apart(lag) };
  if (!x.labels && !y.labels) return Shearer.drawPoints(context, width, height, x, y, options);
  if (x.labels && y.labels) return Shearer.drawMosaic(context, width, height, x, y, options);
  if (y.labels) return Shearer.drawStrips(context, width, height, x, y, options);
  return Shearer.drawStrips(context, width, height, y, x, { detail, shift: Shearer.apart(-lag) });
};

Shearer.pairCanvas = (model, row, options = {}, attributes = {}) => {
  const [a, b] = model.pairs.columnsOf(row);
  const names = model.pairNames(row).map((name) => Shearer.shorten(name, 60));
  const element = el("canvas", { role: "img", "aria-label": `Picture of ${names.join(" and ")}`, ...attributes });
  const lag = model.lag(row);
  const draw = (context, width, height) => Shearer.drawPair(model, context, width, height, a, b, { lag, ...options });
  return { element, ...Shearer.canvas(element, draw) };
};

// Of three columns the one with the fewest labels becomes color; without labels, the last.
Shearer.roles = (model, columns) => {
  const own = (column) => model.sample.columns[column];
  const labelled = columns.filter((column) => own(column).labels && own(column).levels.length <= 8);
  const color = labelled.reduce(
    (best, column) => (best === null || own(column).levels.length <= own(best).levels.length ? column : best),
    null,
  );
  const chosen = color ?? columns[columns.length - 1];
  const [x, y] = columns.filter((column) => column !== chosen);
  return { x, y, color: chosen };
};

// Two columns as axes, the third as color, and its key.
Shearer.tripleFigure = (model, columns, className) => {
  const { x, y, color } = Shearer.roles(model, columns);
  const column = model.sample.columns[color];
  const key = el("div", { class: "legend" });
  const names = columns.map((one) => Shearer.shorten(model.names[one], 60)).join(", ");
  const canvas = el("canvas", { class: className, role: "img", "aria-label": `Picture of ${names} together` });
  const live = Shearer.canvas(canvas, (context, width, height) => {
    const coloring = Shearer.coloring(column);
    const title = Shearer.nameElement(column.label ?? model.names[color], 30);
    key.replaceChildren(title, ...coloring.classes.map(([tint, text]) => Shearer.keyOf(tint, text)));
    const options = { detail: true, shift: Shearer.apart(0), colorOf: coloring.of };
    Shearer.drawPoints(context, width, height, Shearer.side(model, x), Shearer.side(model, y), options);
  });
  return { element: el("figure", { class: "together" }, key, canvas), ...live };
};

Shearer.keyOf = (tint, text) => {
  const circle = svg("circle", { cx: 5, cy: 5, r: 4.5, fill: tint });
  const dot = svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, circle);
  return el("span", { class: "key" }, dot, Shearer.nameElement(text, 24, "name cut"));
};
