// Axes: a number or a label to a place on the canvas.

Shearer.font = (size = 11, weight = 400) =>
  `${weight} ${size}px -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Liberation Sans", sans-serif`;

// Text cut to the room that there is for it: a short one at its end, a long one in the middle.
Shearer.fit = (context, text, room) => {
  const whole = Shearer.shorten(text, 60);
  const marks = Array.from(whole);
  const cut = (length) => (length < 16 ? `${marks.slice(0, length - 1).join("")}…` : Shearer.shorten(whole, length));
  let short = whole;
  const fits = () => context.measureText(short).width <= room;
  for (let length = marks.length - 1; length >= 3 && !fits(); length--) short = cut(length);
  return fits() ? short : "";
};

Shearer.niceTicks = (low, high, wanted) => {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [];
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * span; k++) ticks.push(k * step);
  return ticks;
};

// Where a point lies across a band of its label: even, and the same every time.
Shearer.jitter = (row) => ((row * 0.6180339887498949) % 1) - 0.5;
Shearer.jitterAcross = (row) => ((row * 0.7548776662466927) % 1) - 0.5;

// Few different numbers lie on top of each other: the gap between them tells how far they may be moved apart.
Shearer.smallestGap = (column) => {
  const distinct = [...new Set(column.steps)].filter((step) => step !== 65535).sort((a, b) => a - b);
  if (distinct.length > 24 || distinct.length < 2) return 0;
  return Math.min(...distinct.slice(1).map((step, i) => step - distinct[i])) / 65534;
};

// place(row, jitter) is a share from 0 to 1 along the axis.
Shearer.axis = (column) => {
  if (column.labels) {
    const bands = column.levels.length;
    return { labels: true, bands, place: (row, jitter) => (column.steps[row] + 0.5 + 0.62 * jitter) / bands };
  }
  const spread = 0.45 * Shearer.smallestGap(column);
  // Room at both ends for points that are moved apart.
  const inset = (share) => 0.02 + (0.96 * (share + spread / 2)) / (1 + spread);
  return {
    labels: false,
    place: (row, jitter) => inset(column.steps[row] / 65534 + spread * jitter),
    share: (number) => inset((number / 2 - column.low / 2) / (column.high / 2 - column.low / 2)),
  };
};

// Names of the axes at their ends, where newspapers put them.
Shearer.drawTitles = (context, width, height, x, y, { left, right, detail }) => {
  context.clearRect(0, 0, width, height);
  context.font = Shearer.font(detail ? 12 : 11);
  context.fillStyle = Shearer.theme.color("soft");
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillText(Shearer.fit(context, `↑ ${y.title}`, width - 12), left, 11);
  context.textAlign = "right";
  context.fillText(Shearer.fit(context, `${x.title} →`, width - 12), right, height - 4);
};

// The frame of a picture, with ticks where there is room for them.
Shearer.frame = (context, width, height, x, y, detail) => {
  const left = y.labels ? Math.min(0.3 * width, 96) : detail ? 46 : 6;
  const box = { left, top: 18, right: width - 6, bottom: height - (detail || x.labels ? 34 : 18) };
  box.width = box.right - box.left;
  box.height = box.bottom - box.top;
  Shearer.drawTitles(context, width, height, x, y, { left: y.labels || detail ? 2 : left, right: box.right, detail });
  context.strokeStyle = Shearer.theme.color("rule");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(box.left + 0.5, box.top);
  context.lineTo(box.left + 0.5, box.bottom + 0.5);
  context.lineTo(box.right, box.bottom + 0.5);
  context.stroke();
  Shearer.ticksAlong(context, box, x, detail, true);
  Shearer.ticksAlong(context, box, y, detail, false);
  return box;
};

// Places along an axis and what stands there: labels always, numbers where a picture is large.
Shearer.marksOf = (axis, detail, wanted) => {
  const { low, high, levels } = axis.column;
  if (axis.labels) return levels.map((level, i) => [(i + 0.5) / axis.bands, level]);
  return detail ? Shearer.niceTicks(low, high, wanted).map((tick) => [axis.share(tick), Shearer.tick(tick)]) : [];
};

Shearer.ticksAlong = (context, box, axis, detail, horizontal) => {
  const length = horizontal ? box.width : box.height;
  const marks = Shearer.marksOf(axis, detail, Math.max(2, length / (horizontal ? 90 : 55)));
  const room = axis.labels && horizontal ? length / axis.bands - 4 : horizontal ? 80 : box.left - 8;
  // Bands thinner than a line of text keep every second or third label.
  const every = axis.labels && !horizontal ? Math.ceil((13 * axis.bands) / length) : 1;
  context.textAlign = horizontal ? "center" : "right";
  context.textBaseline = horizontal ? "top" : "middle";
  marks.forEach(([share, text], i) => {
    if (i % every || share < -0.001 || share > 1.001) return;
    const short = Shearer.fit(context, text, room);
    if (horizontal) context.fillText(short, box.left + share * box.width, box.bottom + 5);
    else context.fillText(short, box.left - 6, box.bottom - share * box.height);
  });
  context.textBaseline = "alphabetic";
};
