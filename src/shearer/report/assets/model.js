// The data of the page: one block of JSON, its arrays unpacked.

Shearer.unpack = ({ type, data }) => {
  const bytes = Uint8Array.from(atob(data), (mark) => mark.charCodeAt(0));
  const kinds = [Uint8Array, Int16Array, Uint16Array, Uint32Array, Float32Array];
  const Kind = kinds.find((kind) => kind.name === `${type}Array`);
  return new Kind(bytes.buffer);
};

Shearer.unpackRelations = (packed) => {
  const fields = Object.entries(packed).filter(([, value]) => value && value.type);
  const relations = Object.fromEntries(fields.map(([name, value]) => [name, Shearer.unpack(value)]));
  return Object.assign(relations, {
    count: packed.count,
    total: packed.total,
    index: packed.index.map(Shearer.unpack),
    measured: new Map(packed.measured),
    sign: new Map(packed.sign),
    determines: new Map(packed.determines),
    shape: new Map(packed.shape),
    shape_along: new Map(packed.shape_along),
    columnsOf: (row) => relations.index.map((column) => column[row]),
  });
};

Shearer.unpackSample = (packed) => {
  if (!packed) return null;
  const missing = 65535;
  const columns = packed.columns.map((column) => {
    if (!column) return null;
    const steps = Shearer.unpack(column.steps);
    if (column.levels) return { ...column, labels: true, steps, has: (row) => steps[row] !== missing };
    const span = column.high / 65534 - column.low / 65534;
    const values = Float64Array.from(steps, (step) => (step === missing ? NaN : column.low + step * span));
    return { ...column, labels: false, values, steps, has: (row) => steps[row] !== missing };
  });
  return { ...packed, columns };
};

Shearer.readModel = () => {
  const data = JSON.parse(Shearer.byId("page-data").textContent);
  const pairs = Shearer.unpackRelations(data.pairs);
  const model = {
    ...data,
    names: data.columns.map((column) => column.name),
    pairs,
    pairWords: new Map(data.pairWords),
    triples: Shearer.unpackRelations(data.triples),
    sample: Shearer.unpackSample(data.sample),
  };
  model.rowOf = Shearer.pairLookup(model);
  model.pairNames = (row) => pairs.columnsOf(row).map((column) => model.names[column]);
  model.tripleNames = (row) => model.triples.columnsOf(row).map((column) => model.names[column]);
  model.lag = (row) => (pairs.lag ? pairs.lag[row] : 0);
  return model;
};

// From two columns to their pair, -1 if they have none; of several lags the strongest.
Shearer.pairLookup = ({ names, pairs }) => {
  const size = names.length;
  const rows = new Map();
  const key = (a, b) => (a < b ? a * size + b : b * size + a);
  for (let row = pairs.count - 1; row >= 0; row--) {
    const place = key(pairs.index[0][row], pairs.index[1][row]);
    const other = rows.get(place);
    if (other === undefined || !(pairs.strength[other] > pairs.strength[row])) rows.set(place, row);
  }
  return (a, b) => rows.get(key(a, b)) ?? -1;
};
