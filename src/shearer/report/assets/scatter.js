// Points: numbers against numbers, and three columns at once with the third as color.

Shearer.dotSize = (rows, area) => Math.min(4.2, Math.max(1.3, Math.sqrt((0.035 * area) / Math.max(rows, 1))));

Shearer.drawPoints = (context, width, height, x, y, { detail, shift, colorOf = null }) => {
  const box = Shearer.frame(context, width, height, x, y, detail);
  const rows = x.column.steps.length;
  const radius = Shearer.dotSize(rows, box.width * box.height);
  context.globalAlpha = rows > 500 ? 0.5 : 0.68;
  context.fillStyle = Shearer.theme.color("numbers");
  for (let row = 0; row < rows; row++) {
    const [first, second] = shift(row);
    if (first >= rows || second >= rows || !x.column.has(first) || !y.column.has(second)) continue;
    if (colorOf) {
      const color = colorOf(row);
      if (!color) continue;
      context.fillStyle = color;
    }
    const across = box.left + box.width * x.axis.place(first, Shearer.jitter(row));
    const up = box.bottom - box.height * y.axis.place(second, Shearer.jitterAcross(row));
    context.beginPath();
    context.arc(across, up, radius, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
};

// The third column in at most eight colors: its labels, or low, middle and high.
Shearer.coloring = (column) => {
  const palette = Shearer.theme.palette();
  if (column.labels) {
    const classes = column.levels.map((level, i) => [palette[Math.min(i, palette.length - 1)], level]);
    return { classes, of: (row) => (column.has(row) ? classes[column.steps[row]][0] : null) };
  }
  const sorted = Array.from(column.values).filter(Number.isFinite).sort((a, b) => a - b);
  const edges = [sorted[Math.floor(sorted.length / 3)], sorted[Math.floor((2 * sorted.length) / 3)]];
  const colors = [palette[0], Shearer.theme.current() === "dark" ? "#75736d" : "#b9b5aa", "#d55e00"];
  const classes = [
    [colors[0], `below ${Shearer.tick(Number(edges[0].toPrecision(3)))}`],
    [colors[1], "between"],
    [colors[2], `above ${Shearer.tick(Number(edges[1].toPrecision(3)))}`],
  ];
  const place = (value) => (value < edges[0] ? 0 : value < edges[1] ? 1 : 2);
  return { classes, of: (row) => (column.has(row) ? colors[place(column.values[row])] : null) };
};
