// The network without its picture: columns, links, what is shown at a threshold, and where names find room.

Shearer.readNetwork = (model) => {
  const { columns, x, y, links, threshold, weaker } = model.network;
  const place = new Map(columns.map((column, i) => [column, i]));
  const nodes = columns.map((column, i) => ({
    column,
    name: model.names[column],
    labels: model.columns[column].kind === "categorical",
    group: (model.columns[column].members ?? []).length > 0,
    share: { x: x[i], y: y[i] },
    links: [],
  }));
  const edges = links.map((row) => {
    const [a, b] = model.pairs.columnsOf(row).map((column) => place.get(column));
    return { row, a, b, strength: model.pairs.strength[row], direct: model.pairs.direct?.[row] !== 0 };
  });
  edges.forEach((edge) => {
    nodes[edge.a].links.push(edge);
    nodes[edge.b].links.push(edge);
  });
  return { nodes, edges, threshold, weaker, triangles: Shearer.readTriangles(model, place) };
};

Shearer.readTriangles = (model, place) => {
  const triangles = [];
  for (let row = 0; row < model.triples.count && triangles.length < 60; row++) {
    const corners = model.triples.columnsOf(row).map((column) => place.get(column));
    const synergistic = Shearer.kinds[model.triples.kind[row]] === "synergistic" && model.triples.reported[row];
    if (synergistic && corners.every((corner) => corner !== undefined)) triangles.push({ row, corners });
  }
  return triangles;
};

Shearer.neighbor = (edge, node) => (edge.a === node ? edge.b : edge.a);

// The column nearest in the direction of an arrow key, -1 if there is none.
Shearer.nearest = (nodes, from, dx, dy) => {
  let best = -1;
  let least = Infinity;
  nodes.forEach((node, i) => {
    const ahead = (node.x - nodes[from].x) * dx + (node.y - nodes[from].y) * dy;
    const aside = Math.abs((node.x - nodes[from].x) * dy) + Math.abs((node.y - nodes[from].y) * dx);
    if (i !== from && ahead > 1 && ahead + 2 * aside < least) {
      least = ahead + 2 * aside;
      best = i;
    }
  });
  return best;
};

// Where the links of a column lead on the whole: its name belongs on the other side.
Shearer.pull = (nodes, i, shown) => {
  const pull = { x: 0, y: 0 };
  for (const edge of nodes[i].links.filter(shown)) {
    const other = nodes[Shearer.neighbor(edge, i)];
    const far = Math.hypot(other.x - nodes[i].x, other.y - nodes[i].y) || 1;
    pull.x += (other.x - nodes[i].x) / far;
    pull.y += (other.y - nodes[i].y) / far;
  }
  return pull;
};

// Names beside their columns, the best linked first; one that would cover another is left out.
Shearer.placeNames = (nodes, order, { width, height }, shown) => {
  const taken = nodes.map(({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 }));
  const inside = (a) => a.left >= 0 && a.right <= width && a.top >= 0 && a.bottom <= height;
  const before = (a, b) => a.right < b.left || a.bottom < b.top;
  const free = (box) => inside(box) && taken.every((other) => before(box, other) || before(other, box));
  const placed = new Map();
  for (const i of order) {
    const { x, y, wide } = nodes[i];
    const pull = Shearer.pull(nodes, i, shown);
    const spots = [
      { x: x + 11, y: y + 4, anchor: "start", left: x + 9, right: x + 13 + wide, along: pull.x },
      { x: x - 11, y: y + 4, anchor: "end", left: x - 13 - wide, right: x - 9, along: -pull.x },
      { x, y: y - 12, anchor: "middle", left: x - wide / 2, right: x + wide / 2, along: -pull.y },
      { x, y: y + 21, anchor: "middle", left: x - wide / 2, right: x + wide / 2, along: pull.y },
    ].sort((a, b) => a.along - b.along);
    const spot = spots.find((one) => free({ ...one, top: one.y - 11, bottom: one.y + 3 }));
    if (!spot) continue;
    taken.push({ left: spot.left, right: spot.right, top: spot.y - 11, bottom: spot.y + 3 });
    placed.set(i, spot);
  }
  return placed;
};
