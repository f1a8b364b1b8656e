// Labels against numbers as strips with boxes, labels against labels as a mosaic.

Shearer.quantile = (sorted, share) => {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
};

// Numbers along, labels upwards whichever came first: labels need the room to be read.
Shearer.drawStrips = (context, width, height, numbers, labels, { detail, shift }) => {
  const box = Shearer.frame(context, width, height, numbers, labels, detail);
  const rows = numbers.column.steps.length;
  const groups = labels.column.levels.map(() => []);
  const radius = Math.min(2.6, Shearer.dotSize(rows, box.width * box.height));
  context.globalAlpha = rows > 500 ? 0.35 : 0.45;
  context.fillStyle = Shearer.theme.color("numbers");
  for (let row = 0; row < rows; row++) {
    const [first, second] = shift(row);
    if (first >= rows || second >= rows || !numbers.column.has(first) || !labels.column.has(second)) continue;
    const share = numbers.axis.place(first, Shearer.jitterAcross(row));
    groups[labels.column.steps[second]].push(numbers.axis.place(first, 0));
    context.beginPath();
    const up = box.bottom - box.height * labels.axis.place(second, Shearer.jitter(row));
    context.arc(box.left + box.width * share, up, radius, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
  const band = box.height / groups.length;
  groups.forEach((group, i) => {
    const sorted = group.sort((a, b) => a - b);
    Shearer.drawBox(context, box, sorted, box.bottom - (i + 0.5) * band, band);
  });
};

// The middle half as a box, the middle as a line.
Shearer.drawBox = (context, box, sorted, middle, band) => {
  if (sorted.length < 5) return;
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => box.left + box.width * Shearer.quantile(sorted, share));
  const half = Math.min(0.3 * band, 14);
  context.strokeStyle = Shearer.theme.color("ink");
  context.lineWidth = 1.2;
  context.strokeRect(low, middle - half, Math.max(high - low, 1), 2 * half);
  context.lineWidth = 3;
  context.beginPath();
  context.moveTo(median, middle - half);
  context.lineTo(median, middle + half);
  context.stroke();
  context.lineWidth = 1;
};

// Columns as wide as the first label is frequent, cut as the second label is within it.
Shearer.drawMosaic = (context, width, height, x, y, { detail, shift }) => {
  const counts = x.column.levels.map(() => new Float64Array(y.column.levels.length));
  const rows = x.column.steps.length;
  for (let row = 0; row < rows; row++) {
    const [first, second] = shift(row);
    if (first < rows && second < rows && x.column.has(first) && y.column.has(second)) {
      counts[x.column.steps[first]][y.column.steps[second]] += 1;
    }
  }
  const sums = counts.map((column) => column.reduce((sum, count) => sum + count, 0));
  const total = sums.reduce((sum, count) => sum + count, 0);
  Shearer.drawTitles(context, width, height, x, y, { left: 2, right: width - 6, detail });
  const room = Math.min(0.28 * width, 100);
  const tall = { top: 18, bottom: height - 34 };
  Shearer.drawTiles(context, { ...tall, left: 2, right: width - room - 8 }, counts, sums, total, x.column.levels);
  Shearer.drawKey(context, { ...tall, left: width - room, room: room - 14 }, y.column.levels);
};

Shearer.drawTiles = (context, box, counts, sums, total, levels) => {
  const palette = Shearer.theme.palette();
  const gap = 2;
  let left = box.left;
  counts.forEach((column, i) => {
    const wide = ((box.right - box.left) * sums[i]) / Math.max(total, 1);
    let bottom = box.bottom;
    column.forEach((count, j) => {
      const high = ((box.bottom - box.top) * count) / Math.max(sums[i], 1);
      context.fillStyle = palette[Math.min(j, palette.length - 1)];
      if (high > 0) context.fillRect(left, bottom - high, Math.max(wide - gap, 0.5), Math.max(high - 1, 0.5));
      bottom -= high;
    });
    context.fillStyle = Shearer.theme.color("soft");
    context.textAlign = "center";
    const text = wide > 22 ? Shearer.fit(context, levels[i], wide - 4) : "";
    context.fillText(text, left + wide / 2, box.bottom + 14);
    left += wide;
  });
};

Shearer.drawKey = (context, place, levels) => {
  const palette = Shearer.theme.palette();
  const step = Math.min(17, (place.bottom - place.top) / levels.length);
  context.textAlign = "left";
  levels.forEach((level, j) => {
    const up = place.bottom - (j + 1) * step;
    context.fillStyle = palette[Math.min(j, palette.length - 1)];
    context.fillRect(place.left, up + step / 2 - 4, 8, 8);
    context.fillStyle = Shearer.theme.color("soft");
    if (step > 9) context.fillText(Shearer.fit(context, level, place.room), place.left + 13, up + step / 2 + 4);
  });
};
