// The map: pointing, keys, zoom, and what stands beside it.

Shearer.Map = class {
  constructor(model) {
    this.model = model;
    this.grid = new Shearer.Grid(model);
    this.element = Shearer.byId("map-canvas");
    this.cursor = this.namedCell() ?? this.strongestCell();
    this.canvas = Shearer.canvas(this.element, (context, width, height) => {
      this.grid.draw(context, width, height, this.cursor);
    });
    this.picture = this.startPicture();
    this.resize();
    new ResizeObserver(() => this.resize()).observe(this.element.parentElement);
    this.listen();
    this.drawLegend();
    this.drawHint();
    this.tell();
  }

  drawHint() {
    const hint = Shearer.byId("map-hint");
    const compared = new Set([...this.model.pairs.index[0], ...this.model.pairs.index[1]]);
    const [held, all] = [this.grid.size, Math.max(this.grid.size, compared.size)].map(Shearer.whole);
    if (held !== all) hint.append(` The map holds the ${held} of ${all} columns with the strongest pairs.`);
    if (this.grid.hasGaps()) hint.append(" Gray cells were not tested.");
  }

  get width() {
    return this.element.clientWidth;
  }

  get height() {
    return this.element.clientHeight;
  }

  // The first pair that the words at the top name.
  namedCell() {
    const [pair] = this.model.named;
    if (pair === undefined) return null;
    const places = this.model.pairs.columnsOf(pair).map((column) => this.grid.order.indexOf(column));
    const [j, i] = places.sort((a, b) => a - b);
    return j < 0 ? null : { i, j };
  }

  strongestCell() {
    let best = null;
    let most = -Infinity;
    for (let i = 1; i < this.grid.size; i++) {
      for (let j = 0; j < i; j++) {
        const row = this.grid.row(i, j);
        if (row >= 0 && this.model.pairs.strength[row] > most) {
          most = this.model.pairs.strength[row];
          best = { i, j };
        }
      }
    }
    return best ?? (this.grid.size > 1 ? { i: 1, j: 0 } : null);
  }

  resize() {
    const context = this.element.getContext("2d");
    const height = this.grid.height(context, this.width);
    if (this.element.style.height !== `${height}px`) this.element.style.height = `${height}px`;
    document.querySelector(".zoom").hidden = this.grid.fitting >= 20;
    if (this.grid.zoomed) this.grid.setZoom(this.grid.zoom, this.cursor, this.width, this.height);
    this.canvas.paint();
  }

  move(cursor) {
    if (!cursor) return;
    this.cursor = cursor;
    this.canvas.paint();
    this.tell();
  }

  // Move by keys: only the lower triangle has cells.
  step(down, right) {
    const i = Math.min(Math.max(this.cursor.i + down, 1), this.grid.size - 1);
    const j = Math.min(Math.max(this.cursor.j + right, 0), this.grid.size - 2);
    const cursor = right > 0 ? { i: Math.max(i, j + 1), j } : { i, j: Math.min(j, i - 1) };
    if (this.grid.zoomed) this.grid.show(cursor, this.width, this.height);
    this.move(cursor);
  }

  zoomBy(factor) {
    this.grid.setZoom(this.grid.zoom * factor, this.cursor, this.width, this.height);
    this.canvas.paint();
  }

  open() {
    const row = this.grid.row(this.cursor.i, this.cursor.j);
    if (row >= 0) Shearer.detail.openPair(this.model, row);
  }

  listen() {
    let drag = null;
    const at = (event) => this.grid.cellAt(event.offsetX, event.offsetY);
    this.element.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, moved: false };
      if (this.grid.zoomed) this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (drag && event.buttons && this.grid.zoomed) {
        const [dx, dy] = [drag.x - event.clientX, drag.y - event.clientY];
        if (Math.abs(dx) + Math.abs(dy) > 3 || drag.moved) {
          this.grid.pan(dx, dy, this.width, this.height);
          drag = { x: event.clientX, y: event.clientY, moved: true };
        }
      }
      const cursor = at(event);
      const elsewhere = cursor && (cursor.i !== this.cursor.i || cursor.j !== this.cursor.j);
      if (elsewhere || drag?.moved) this.move(cursor ?? this.cursor);
    });
    this.element.addEventListener("pointercancel", () => (drag = null));
    this.element.addEventListener("click", (event) => {
      const cursor = at(event);
      const moved = drag?.moved;
      drag = null;
      if (!cursor || moved) return;
      this.move(cursor);
      // A finger points first; what it points at is shown below the map, with a way to look closer.
      if (event.pointerType !== "touch") this.open();
    });
    this.element.addEventListener("keydown", (event) => this.press(event));
    Shearer.byId("map-in").addEventListener("click", () => this.zoomBy(1.8));
    Shearer.byId("map-out").addEventListener("click", () => this.zoomBy(1 / 1.8));
    Shearer.byId("map-fit").addEventListener("click", () => this.zoomBy(0));
    Shearer.byId("map-open").addEventListener("click", () => this.open());
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.cursor) return;
    const far = event.shiftKey ? 10 : 1;
    const actions = {
      ArrowUp: () => this.step(-far, 0),
      ArrowDown: () => this.step(far, 0),
      ArrowLeft: () => this.step(0, -far),
      ArrowRight: () => this.step(0, far),
      Enter: () => this.open(),
      " ": () => this.open(),
      "+": () => this.zoomBy(1.8),
      "-": () => this.zoomBy(1 / 1.8),
      0: () => this.zoomBy(0),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  // Names, figures and picture of the pair pointed at.
  tell() {
    const readout = Shearer.byId("map-readout");
    const row = this.grid.row(this.cursor.i, this.cursor.j);
    const places = [this.cursor.j, this.cursor.i].map((place) => this.model.names[this.grid.order[place]]);
    const names = row < 0 ? places : this.model.pairNames(row);
    const title = el("h3", {}, Shearer.namesElement(names, 36));
    const unknown = [el("p", { class: "verdict" }, "Not among the pairs of this page.")];
    const known = () => [Shearer.verdict(this.model, this.model.pairs.reported[row]), Shearer.pairTerms(this.model, row)];
    readout.replaceChildren(title, ...(row < 0 ? unknown : known()));
    this.picture?.paint();
  }

  startPicture() {
    const element = Shearer.byId("map-picture");
    if (!this.model.sample) {
      element.hidden = true;
      return null;
    }
    return Shearer.canvas(element, (context, width, height) => {
      context.clearRect(0, 0, width, height);
      const row = this.grid.row(this.cursor.i, this.cursor.j);
      if (row < 0) return;
      const [a, b] = this.model.pairs.columnsOf(row);
      if (!Shearer.hasPicture(this.model, [a, b])) return;
      Shearer.drawPair(this.model, context, width, height, a, b, { lag: this.model.lag(row) });
    });
  }

  drawLegend() {
    if (!this.model.pairs.reported.includes(1)) return;
    const bar = el("canvas", { "aria-hidden": "true" });
    // One scale for every report, so that two of them compare.
    Shearer.byId("map-legend").replaceChildren(el("span", {}, "strength 0", bar, "1"));
    Shearer.canvas(bar, (context, width, height) => {
      const ramp = this.model.ramp[Shearer.theme.current()];
      ramp.forEach((color, step) => {
        context.fillStyle = color;
        context.fillRect((step * width) / ramp.length, 0, width / ramp.length + 0.6, height);
      });
    });
  }
};
