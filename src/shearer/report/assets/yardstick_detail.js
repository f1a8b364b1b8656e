// What a click on a cell shows: the design drawn, the answers of the method, and the figures of both.

Shearer.shorten = (name, longest) => (longest && name.length > longest ? `${name.slice(0, longest - 1)}…` : name);
Shearer.digits = (value, digits = 2) => (value == null ? "–" : value.toFixed(digits));
Shearer.seconds = (value) => (value == null ? "–" : `${Number(value.toPrecision(2))} s`);

Shearer.detail = {
  size: 300,
  edge: 26,

  // Places from 0 to 1; labels in bands, spread within them in a pattern that is always the same.
  places(axis) {
    if (axis.values) return axis.values;
    return axis.codes.map((code, i) => (code + 0.5 + 0.55 * (((i * 0.618034) % 1) - 0.5)) / axis.levels);
  },

  drawing(design) {
    const { size, edge } = this;
    const room = size - 2 * edge;
    const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `The design ${design.name}` });
    picture.append(svg("rect", { class: "frame", x: edge, y: edge, width: room, height: room }));
    const [x, y] = [this.places(design.sample.x), this.places(design.sample.y)];
    const third = design.sample.z ? this.places(design.sample.z) : null;
    const middle = third ? [...third].sort((a, b) => a - b)[Math.floor(third.length / 2)] : 0;
    x.forEach((value, i) => {
      const kind = third && third[i] > middle ? "point other" : "point";
      picture.append(svg("circle", { class: kind, cx: edge + room * value, cy: size - edge - room * y[i], r: 2.6 }));
    });
    const part = (axis, name) => (axis.part ? `first of ${axis.part} coordinates of ${name}` : name);
    picture.append(svg("text", { x: size / 2, y: size - 6, "text-anchor": "middle" }, part(design.sample.x, "x")));
    picture.append(svg("text", { x: edge, y: edge - 8 }, part(design.sample.y, "y")));
    return picture;
  },

  histogram(cell, shape, level) {
    const { size, edge } = this;
    const room = size - 2 * edge;
    const test = shape === "test" || shape === "scaling";
    const words = test ? "p-values of all trials" : "values of all trials";
    const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": words });
    const most = Math.max(...cell.bins, 1);
    const step = room / cell.bins.length;
    cell.bins.forEach((count, i) => {
      const height = (room * count) / most;
      const kind = test && (i + 1) / cell.bins.length <= level + 1e-9 ? "column low" : "column";
      const bar = svg("rect", { class: kind, x: edge + step * i, y: size - edge - height, width: step - 1, height });
      bar.append(svg("title", {}, `${count} of ${cell.answered}`));
      picture.append(bar);
    });
    if (test) {
      const y = size - edge - (room * cell.answered) / cell.bins.length / most;
      picture.append(svg("line", { class: "expected", x1: edge, x2: size - edge, y1: y, y2: y }));
    }
    [[test ? "0" : "-1", edge], ["1", size - edge]].forEach(([text, x]) =>
      picture.append(svg("text", { x, y: size - edge + 14, "text-anchor": "middle" }, text)));
    picture.append(svg("text", { x: edge, y: edge - 8 }, test ? "p-values; dashed: if uniform" : "values"));
    return picture;
  },

  open(suite, design, method, cell, level) {
    const dialog = Shearer.byId("detail");
    const test = suite.shape === "test";
    const answer = design.null == null ? "a value is asked for" : design.null ? "the hypothesis holds" : "the hypothesis is false";
    const figures = [
      ["law", design.law],
      ["rows", `${design.rows}${design.dimension > 1 ? `, up to ${design.dimension} dimensions` : ""}${design.variables > 2 ? `, ${design.variables} variables` : ""}`],
      ["known", answer],
      test ? ["rejected", `${Shearer.digits(cell.rate)} ± ${Shearer.digits(cell.error)}`] : ["mean", `${Shearer.digits(cell.mean)} ± ${Shearer.digits(cell.error)}`],
      ["trials", `${cell.trials}${cell.answered < cell.trials ? `, ${cell.trials - cell.answered} without an answer` : ""}`],
      ["one call", Shearer.seconds(cell.seconds)],
    ];
    if (cell.status !== "done") figures.push(["stopped", cell.status]);
    if (cell.why) figures.push(["said", cell.why]);
    dialog.replaceChildren(
      el("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close"),
      el("h3", { id: "detail-title" }, Shearer.nameElement(method, 60), " on ", Shearer.nameElement(design.name, 60)),
      el("div", { class: "pictures" },
        design.sample ? this.drawing(design) : el("p", { class: "empty" }, "This design is of another version."),
        this.histogram(cell, suite.shape, level)),
      Shearer.terms(figures),
    );
    dialog.showModal();
  },
};
