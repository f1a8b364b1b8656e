// The map's geometry and drawing: the lower triangle of all pairs. A name on the diagonal heads its column and ends
// its row.

Shearer.Grid = class {
  constructor(model) {
    this.model = model;
    this.order = model.order;
    this.size = this.order.length;
    this.zoom = 1;
    this.offset = { x: 0, y: 0 };
    this.cell = 0;
    this.names = this.order.map((column) => Shearer.shorten(model.names[column], 22));
    this.rows = new Int32Array(this.size * this.size);
    for (let i = 0; i < this.size; i++) {
      for (let j = 0; j < i; j++) this.rows[i * this.size + j] = model.rowOf(this.order[i], this.order[j]);
    }
    // The cells as they were last drawn: pointing at one of 44,850 must not draw them all again.
    this.layer = document.createElement("canvas");
    this.drawn = "";
  }

  row(i, j) {
    return this.rows[i * this.size + j];
  }

  hasGaps() {
    for (let i = 1; i < this.size; i++) {
      for (let j = 0; j < i; j++) {
        if (this.row(i, j) < 0 || Number.isNaN(this.model.pairs.strength[this.row(i, j)])) return true;
      }
    }
    return false;
  }

  // The cell size at which everything fits, names included where they can be read.
  fit(context, width) {
    context.font = Shearer.font(12);
    const wide = this.names.map((name) => context.measureText(name).width + 10);
    const most = Math.min(72, 620 / this.size);
    const labelled = Math.min(Math.max(most, 24), ...wide.map((room, i) => (width - room) / (i + 1)));
    this.named = labelled >= 13;
    this.fitting = this.named ? labelled : width / this.size;
    return this.fitting;
  }

  height(context, width) {
    return Math.ceil(this.fit(context, width) * this.size) + 2;
  }

  get zoomed() {
    return this.zoom > 1;
  }

  // Rooms for names at the left and the top when zoomed in, where the diagonal may be out of sight.
  get gutter() {
    return this.zoomed && this.cell >= 11 ? 110 : 0;
  }

  pan(dx, dy, width, height) {
    const limit = (value, room) => Math.min(Math.max(value, 0), Math.max(0, this.cell * this.size - room));
    this.offset.x = limit(this.offset.x + dx, width - this.gutter);
    this.offset.y = limit(this.offset.y + dy, height - this.gutter);
  }

  setZoom(zoom, focus, width, height) {
    this.zoom = Math.min(Math.max(zoom, 1), Math.max(1, 36 / this.fitting));
    this.cell = this.fitting * this.zoom;
    if (!this.zoomed) this.offset = { x: 0, y: 0 };
    else this.show(focus, width, height, true);
  }

  // Bring a cell into sight, into the middle if asked.
  show({ i, j }, width, height, middle = false) {
    const rooms = [width - this.gutter, height - this.gutter];
    const target = ["x", "y"].map((axis, k) => {
      const place = (k ? i : j) * this.cell;
      if (middle) return place - rooms[k] / 2;
      return Math.min(Math.max(this.offset[axis], place + this.cell - rooms[k]), place);
    });
    this.offset = { x: target[0], y: target[1] };
    this.pan(0, 0, width, height);
  }

  cellAt(x, y) {
    if (x < this.gutter || y < this.gutter) return null;
    const j = Math.floor((x - this.gutter + this.offset.x) / this.cell);
    const i = Math.floor((y - this.gutter + this.offset.y) / this.cell);
    return i < this.size && j >= 0 && j < i ? { i, j } : null;
  }

  place(i, j) {
    return { x: this.gutter + j * this.cell - this.offset.x, y: this.gutter + i * this.cell - this.offset.y };
  }

  draw(context, width, height, cursor) {
    if (!this.zoomed) this.cell = this.fit(context, width);
    const first = (offset) => Math.max(0, Math.floor(offset / this.cell));
    const last = (offset, room) => Math.min(this.size - 1, Math.ceil((offset + room) / this.cell));
    const seen = {
      top: first(this.offset.y),
      bottom: last(this.offset.y, height),
      left: first(this.offset.x),
      right: last(this.offset.x, width),
    };
    this.drawLayer(context.canvas, seen, width);
    context.clearRect(0, 0, width, height);
    context.drawImage(this.layer, 0, 0, width, height);
    if (this.gutter) this.drawGutters(context, width, height, seen);
    else this.drawDiagonal(context, width, cursor);
    if (cursor) this.drawCursor(context, cursor);
  }

  drawLayer(canvas, seen, width) {
    const { x, y } = this.offset;
    const state = [canvas.width, canvas.height, width, this.cell, x, y, Shearer.theme.current()].join();
    if (state === this.drawn) return;
    this.drawn = state;
    this.layer.width = canvas.width;
    this.layer.height = canvas.height;
    const context = this.layer.getContext("2d");
    context.scale(canvas.width / width, canvas.width / width);
    this.drawCells(context, seen);
  }

  drawCells(context, seen) {
    const ramp = this.model.ramp[Shearer.theme.current()];
    const { strength, reported } = this.model.pairs;
    const gap = this.cell >= 12 ? 1 : 0;
    const gray = Shearer.theme.color("rule");
    // Where ink on the cells turns from dark to light, or from light to dark.
    const inks = { light: [0.6, "#15171b", "#fff"], dark: [0.49, "#fff", "#15171b"] };
    const [turn, below, above] = inks[Shearer.theme.current()];
    context.font = Shearer.font(Math.min(12, this.cell * 0.36));
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let i = seen.top; i <= seen.bottom; i++) {
      for (let j = seen.left; j <= Math.min(seen.right, i - 1); j++) {
        const row = this.row(i, j);
        const value = row < 0 ? NaN : strength[row];
        // What chance may give stays blank: of thousands of pairs, many are a little above zero.
        const share = row >= 0 && reported[row] ? Math.min(Math.max(value, 0.06), 1) : 0;
        const step = Math.round(share * (ramp.length - 1));
        const { x, y } = this.place(i, j);
        context.fillStyle = Number.isNaN(value) ? gray : ramp[step];
        context.fillRect(x, y, this.cell - gap + (gap ? 0 : 0.4), this.cell - gap + (gap ? 0 : 0.4));
        if (this.cell >= 27 && row >= 0 && reported[row]) {
          context.fillStyle = share > turn ? above : below;
          context.fillText(Shearer.decimal(value).replace(/^(−?)0/, "$1"), x + this.cell / 2, y + this.cell / 2);
        }
      }
    }
  }

  drawDiagonal(context, width, cursor) {
    context.font = Shearer.font(12);
    context.textAlign = "left";
    context.textBaseline = "middle";
    this.names.forEach((name, i) => {
      const aimed = cursor && (cursor.i === i || cursor.j === i);
      if (!this.named && !aimed) return;
      const { x, y } = this.place(i, i);
      context.font = Shearer.font(12, aimed ? 600 : 400);
      context.fillStyle = Shearer.theme.color(aimed || !cursor ? "ink" : "soft");
      if (this.named) context.fillText(name, x + 6, y + this.cell / 2);
      else this.drawAimed(context, width, name, x, this.apart(y + this.cell / 2, i, cursor));
    });
  }

  // Two names that would lie on each other move apart.
  apart(y, i, cursor) {
    const room = Math.max(0, 17 - (cursor.i - cursor.j) * this.cell) / 2;
    return Math.max(8, y + (i === cursor.i ? room : -room));
  }

  drawAimed(context, width, name, x, y) {
    const left = Math.min(x + 10, width - context.measureText(name).width - 4);
    context.lineWidth = 5;
    context.lineJoin = "round";
    context.strokeStyle = Shearer.theme.color("paper");
    context.strokeText(name, left, y);
    context.fillText(name, left, y);
  }

  drawGutters(context, width, height, seen) {
    const room = this.gutter;
    context.fillStyle = Shearer.theme.color("paper");
    context.fillRect(0, 0, width, room);
    context.fillRect(0, 0, room, height);
    context.fillStyle = Shearer.theme.color("ink");
    context.font = Shearer.font(11);
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (let i = seen.top; i <= seen.bottom; i++) {
      const { y } = this.place(i, 0);
      const middle = y + this.cell / 2;
      if (middle > room) context.fillText(Shearer.fit(context, this.names[i], room - 8), room - 6, middle);
    }
    context.textAlign = "left";
    for (let j = seen.left; j <= seen.right; j++) {
      const { x } = this.place(0, j);
      const middle = x + this.cell / 2;
      if (middle < room) continue;
      context.save();
      context.translate(middle, room - 6);
      context.rotate(-Math.PI / 2);
      context.fillText(Shearer.fit(context, this.names[j], room - 10), 0, 0);
      context.restore();
    }
  }

  drawCursor(context, { i, j }) {
    const { x, y } = this.place(i, j);
    if (x < this.gutter - 1 || y < this.gutter - 1) return;
    const ink = Shearer.theme.color("ink");
    context.strokeStyle = ink;
    context.lineWidth = 1;
    if (!this.gutter) {
      context.globalAlpha = 0.55;
      context.beginPath();
      // Along the edges of cells: through their middle it would strike out their numbers.
      const [below, beside] = [y + this.cell - 0.5, x + 0.5];
      context.moveTo(x + this.cell, below);
      context.lineTo(this.place(i, i).x, below);
      context.moveTo(beside, y);
      context.lineTo(beside, this.place(j, j).y + this.cell);
      context.stroke();
      context.globalAlpha = 1;
    }
    const rim = this.cell < 8 ? 2 : 0;
    const side = this.cell + 2 * rim - (this.cell >= 12 ? 1 : 0);
    context.lineWidth = 2;
    context.strokeRect(x - rim, y - rim, side, side);
  }
};
