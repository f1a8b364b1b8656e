// The network's picture: drag, choose, threshold, keys.

Shearer.Network = class {
  constructor(model) {
    this.model = model;
    Object.assign(this, Shearer.readNetwork(model));
    this.svg = Shearer.byId("network-picture");
    this.chosen = -1;
    this.measure = document.createElement("canvas").getContext("2d");
    this.measure.font = Shearer.font(12.5);
    this.layers = ["triangles", "links", "nodes", "names"].map((name) => svg("g", { class: name }));
    this.svg.replaceChildren(...this.layers);
    this.build();
    this.startControls();
    new ResizeObserver(() => this.resize()).observe(this.svg);
    this.resize();
    this.tell();
  }

  build() {
    const [triangles, links, nodes, names] = this.layers;
    // Many columns: thinner lines, smaller marks.
    const [thick, dense, size] = this.nodes.length > 60 ? [3, 0.35, 5] : [6.5, 0.65, 7];
    for (const edge of [...this.edges].reverse()) {
      const share = Math.min(Math.max(edge.strength, 0), 1);
      const [wide, opaque] = [0.8 + thick * share, 0.2 + dense * share].map((number) => number.toFixed(2));
      edge.line = svg("line", { class: "link", "stroke-width": wide, "stroke-opacity": opaque });
      links.append(edge.line);
    }
    this.nodes.forEach((node, i) => {
      const label = `${Shearer.shorten(node.name, 60)}, ${node.labels ? "labels" : "numbers"}`;
      const shape = node.labels
        ? svg("rect", { class: "shape", x: 0.5 - size, y: 0.5 - size, width: 2 * size - 1, height: 2 * size - 1 })
        : svg("circle", { class: "shape", r: node.group ? size + 2 : size });
      const kind = node.labels ? "labels" : "numbers";
      const attributes = { class: `node ${kind}`, tabindex: i ? -1 : 0, role: "button", "aria-label": label };
      node.element = svg("g", attributes, svg("circle", { r: 14, fill: "transparent" }), shape);
      node.text = svg("text", { "aria-hidden": "true", direction: "ltr", "unicode-bidi": "isolate" });
      node.text.textContent = Shearer.shorten(node.name, 22);
      node.wide = this.measure.measureText(node.text.textContent).width;
      this.listen(node, i);
      nodes.append(node.element);
      names.append(node.text);
    });
    this.triangles.forEach((triangle) => {
      const opacity = Math.max(0.02, Math.min(0.14, 0.4 / this.triangles.length));
      triangle.element = svg("polygon", { class: "triangle", "fill-opacity": opacity.toFixed(3) });
      triangles.append(triangle.element);
    });
  }

  startControls() {
    const slider = Shearer.byId("threshold");
    const strengths = this.edges.map((edge) => edge.strength);
    const [low, high] = strengths.length ? [strengths.at(-1), strengths[0]] : [0, 1];
    const step = Math.max((high - low) / 200, 1e-6);
    // The ends a little further out: the last link stays when the slider rounds.
    Object.assign(slider, { min: low - step, max: high, step: "any" });
    slider.value = Math.max(low - step, this.threshold - step / 10);
    slider.addEventListener("input", () => this.update());
    Shearer.byId("threshold-label").hidden = slider.hidden = strengths.length === 0;
    // Links that do not show given the columns linked with them can be left out, where that was looked for.
    Shearer.byId("direct-label").hidden = this.edges.every((edge) => edge.direct);
    Shearer.byId("direct").addEventListener("change", () => this.update());
    const box = Shearer.byId("triangles");
    Shearer.byId("triangles-label").hidden = this.triangles.length === 0;
    const show = () => {
      this.layers[0].setAttribute("display", box.checked ? "inline" : "none");
      this.update();
    };
    box.checked = this.triangles.length <= 6;
    box.addEventListener("change", show);
    show();
    this.svg.addEventListener("click", (event) => {
      if (event.target === this.svg) this.choose(-1);
    });
    this.drawLegend();
  }

  drawLegend() {
    const frame = { viewBox: "-8 -8 16 16", "aria-hidden": "true" };
    const key = (shape, text) => el("span", { class: "key" }, svg("svg", frame, shape), text);
    const circle = svg("circle", { r: 7 });
    const square = svg("rect", { x: -6.5, y: -6.5, width: 13, height: 13 });
    circle.style.fill = "var(--numbers)";
    square.style.fill = "var(--labels)";
    const triangle = svg("polygon", { points: "-7,6 7,6 0,-7", class: "triangle" });
    const entries = [];
    if (this.nodes.some((node) => !node.labels)) entries.push(key(circle, "numbers"));
    if (this.nodes.some((node) => node.labels)) entries.push(key(square, "labels"));
    if (this.triangles.length) entries.push(key(triangle, "synergistic triple"));
    const alone = this.model.columns.length - this.nodes.length;
    if (alone) entries.push(el("span", {}, `${Shearer.plural(alone, "column")} without a link left out`));
    if (this.weaker) entries.push(el("span", {}, `${Shearer.plural(this.weaker, "weaker link")} not drawn`));
    Shearer.byId("network-legend").replaceChildren(...entries);
  }

  resize() {
    const width = this.svg.clientWidth;
    if (!width) return;
    // A few columns need little room, many need what a screen has.
    const height = Math.round(Math.min(170 + 30 * this.nodes.length, 560));
    this.svg.style.height = `${height}px`;
    const pad = { x: Math.min(70, width / 7), y: 28 };
    this.nodes.forEach((node) => {
      node.x = pad.x + node.share.x * (width - 2 * pad.x);
      node.y = pad.y + node.share.y * (height - 2 * pad.y);
    });
    this.size = { width, height, pad };
    this.update();
  }

  // Move a column, and remember its place as a share of the picture.
  moveTo(i, x, y) {
    const { width, height, pad } = this.size;
    const node = this.nodes[i];
    node.x = Math.min(Math.max(x, 8), width - 8);
    node.y = Math.min(Math.max(y, 8), height - 8);
    node.share = { x: (node.x - pad.x) / (width - 2 * pad.x), y: (node.y - pad.y) / (height - 2 * pad.y) };
    this.update();
  }

  shown(edge) {
    // A slider rounds its value: the strongest link stays at its end.
    return edge.strength >= this.level - 1e-6 && (edge.direct || !Shearer.byId("direct").checked);
  }

  update() {
    if (!this.size) return;
    this.level = Number(Shearer.byId("threshold").value);
    const focus = this.hovered ?? this.chosen;
    const near = new Set(focus < 0 ? [] : [focus]);
    const degree = new Uint32Array(this.nodes.length);
    const corners = Shearer.byId("triangles").checked ? this.triangles.flatMap((triangle) => triangle.corners) : [];
    corners.forEach((i) => (degree[i] += 1));
    for (const edge of this.edges) {
      const visible = this.shown(edge);
      if (visible) {
        degree[edge.a] += 1;
        degree[edge.b] += 1;
        if (edge.a === focus || edge.b === focus) near.add(edge.a).add(edge.b);
      }
      edge.line.setAttribute("display", visible ? "inline" : "none");
      const [a, b] = [this.nodes[edge.a], this.nodes[edge.b]];
      const ends = { x1: a.x, y1: a.y, x2: b.x, y2: b.y };
      for (const [key, value] of Object.entries(ends)) edge.line.setAttribute(key, value.toFixed(1));
      edge.line.classList.toggle("dim", focus >= 0 && edge.a !== focus && edge.b !== focus);
    }
    this.drawNodes(degree, near, focus);
    for (const triangle of this.triangles) {
      const points = triangle.corners.map((i) => `${this.nodes[i].x.toFixed(1)},${this.nodes[i].y.toFixed(1)}`);
      triangle.element.setAttribute("points", points.join(" "));
    }
    const count = this.edges.filter((edge) => this.shown(edge)).length;
    const level = Shearer.decimal(Math.max(this.level, this.edges.at(-1)?.strength ?? 0));
    Shearer.byId("threshold-value").textContent = `${level} · ${Shearer.plural(count, "link")}`;
  }

  drawNodes(degree, near, focus) {
    const weight = (i) => (near.has(i) ? 1e6 : 0) + degree[i];
    const order = [...this.nodes.keys()].sort((a, b) => weight(b) - weight(a));
    const spots = Shearer.placeNames(this.nodes, order, this.size, (edge) => this.shown(edge));
    this.nodes.forEach((node, i) => {
      node.element.setAttribute("transform", `translate(${node.x.toFixed(1)},${node.y.toFixed(1)})`);
      const dim = focus >= 0 && !near.has(i);
      for (const element of [node.element, node.text]) {
        element.classList.toggle("dim", dim);
        element.classList.toggle("alone", !dim && degree[i] === 0);
      }
      node.element.classList.toggle("chosen", i === this.chosen);
      const spot = spots.get(i);
      node.text.setAttribute("display", spot ? "inline" : "none");
      if (!spot) return;
      node.text.setAttribute("x", spot.x.toFixed(1));
      node.text.setAttribute("y", spot.y.toFixed(1));
      node.text.setAttribute("text-anchor", spot.anchor);
    });
  }

  choose(i) {
    this.chosen = i;
    this.update();
    this.tell();
  }

  focus(i) {
    this.nodes.forEach((node, k) => node.element.setAttribute("tabindex", k === i ? 0 : -1));
    this.nodes[i].element.focus();
  }

  listen(node, i) {
    let drag = null;
    const { element } = node;
    element.addEventListener("pointerenter", () => this.hover(i));
    element.addEventListener("pointerleave", () => this.hover(undefined));
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      const { clientX: x, clientY: y } = event;
      drag = { dx: node.x - x, dy: node.y - y, x, y, moved: false };
    });
    element.addEventListener("pointermove", (event) => {
      if (!drag) return;
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 3) drag.moved = true;
      if (drag.moved) this.moveTo(i, event.clientX + drag.dx, event.clientY + drag.dy);
    });
    element.addEventListener("pointerup", () => {
      if (drag && !drag.moved) this.choose(this.chosen === i ? -1 : i);
      drag = null;
    });
    element.addEventListener("pointercancel", () => (drag = null));
    element.addEventListener("focus", () => this.focused(i));
    element.addEventListener("keydown", (event) => this.press(event, i));
  }

  focused(i) {
    this.nodes.forEach((node, k) => node.element.setAttribute("tabindex", k === i ? 0 : -1));
  }

  hover(i) {
    this.hovered = i;
    this.update();
  }

  press(event, i) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) this.moveTo(i, this.nodes[i].x + 12 * arrow[0], this.nodes[i].y + 12 * arrow[1]);
    else if (arrow) {
      const next = Shearer.nearest(this.nodes, i, ...arrow);
      if (next >= 0) this.focus(next);
    } else if (event.key === "Enter" || event.key === " ") this.choose(this.chosen === i ? -1 : i);
    else if (event.key === "Escape") this.choose(-1);
    else return;
    event.preventDefault();
  }

  // Beside the picture: what the chosen column depends on, or which columns have most links.
  tell() {
    const side = Shearer.byId("network-side");
    if (this.chosen < 0) return side.replaceChildren(...this.tellHubs());
    const node = this.nodes[this.chosen];
    const items = node.links.slice(0, 12).map((edge) => {
      const other = this.nodes[Shearer.neighbor(edge, this.chosen)];
      const open = () => Shearer.detail.openPair(this.model, edge.row);
      return this.item(other.name, edge.strength, Shearer.decimal(edge.strength), open);
    });
    const more = node.links.length - items.length;
    const verb = this.weaker ? "has strong links with" : "depends on";
    side.replaceChildren(
      el("h3", {}, Shearer.nameElement(node.name, 40)),
      el("p", { class: "verdict" }, `${verb} ${Shearer.plural(node.links.length, "column")}, the strongest first`),
      el("ol", { class: "neighbors" }, ...items),
      more > 0 ? el("p", { class: "hint" }, `and ${Shearer.whole(more)} more`) : "",
    );
  }

  tellHubs() {
    const links = (i) => this.nodes[i].links.length;
    const order = [...this.nodes.keys()].filter(links).sort((a, b) => links(b) - links(a)).slice(0, 10);
    if (!order.length) return [];
    const most = links(order[0]);
    const items = order.map((i) => {
      const { name, links } = this.nodes[i];
      return this.item(name, links.length / most, Shearer.whole(links.length), () => this.choose(i));
    });
    return [el("h3", {}, this.weaker ? "Most strong links" : "Most links"), el("ol", { class: "neighbors" }, ...items)];
  }

  item(name, share, text, onclick) {
    const parts = [Shearer.nameElement(name, 40, "name cut"), Shearer.meter(share), el("span", {}, text)];
    return el("li", {}, el("button", { type: "button", onclick }, ...parts));
  }
};
