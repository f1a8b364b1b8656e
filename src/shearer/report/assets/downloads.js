// What the tables show, as files made in the browser.

Shearer.exact = (number) => (Number.isFinite(number) ? Number(number.toPrecision(7)) : null);

// A probability as text that every program reads; as a number it may be below the smallest double.
Shearer.exactProbability = (log) => {
  if (Number.isNaN(log)) return "";
  if (log === -Infinity) return "0";
  const exponent = Math.floor(log);
  return `${Number((10 ** (log - exponent)).toPrecision(5))}e${exponent}`;
};

// A spreadsheet takes a text that starts with one of these marks for a formula: an apostrophe keeps it text.
Shearer.csvText = (text) => {
  const harmless = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

Shearer.csv = (names, relations, view, fields) => {
  const size = relations.index.length;
  const header = [...["first", "second", "third"].slice(0, size), ...fields.map((field) => field.name)];
  const lines = [header.join(",")];
  for (const row of view) {
    const columns = relations.index.map((column) => Shearer.csvText(names[column[row]]));
    lines.push([...columns, ...fields.map((field) => field.text(row))].join(","));
  }
  return lines.join("\r\n") + "\r\n";
};

// The columns of a file: a name, and what a row has there as text and as JSON.
Shearer.fields = (relations) => {
  const field = (name, json, text = (row) => String(json(row) ?? "")) => ({ name, json, text });
  const number = (name) => field(name, (row) => Shearer.exact(relations[name][row]));
  const probability = (name) => {
    const text = (row) => Shearer.exactProbability(relations[name][row]);
    return field(name, (row) => (text(row) === "" ? null : Number(text(row))), text);
  };
  const known = ["lag", "strength", "strength_low", "strength_high", "value", "o_information", "excess", "added", "added_error"];
  const fields = [...known.filter((name) => relations[name]).map(number), probability("pvalue"), probability("qvalue"), number("n")];
  if (relations.split_pvalue) fields.push(probability("split_pvalue"));
  fields.push(field("reported", (row) => Boolean(relations.reported[row])));
  if (relations.kind) fields.push(field("kind", (row) => Shearer.kinds[relations.kind[row]] || null));
  return fields;
};

Shearer.records = (names, relations, view) => {
  const fields = Shearer.fields(relations);
  const closely = (row) => {
    if (relations.kind) return { measured: relations.measured.get(row) ?? null };
    const { sign, determines, shape, shape_along, measured: details } = relations;
    const known = Object.entries({ sign, determines, shape, shape_along, details }).map(([name, of]) => [name, of.get(row) ?? null]);
    return Object.fromEntries(known);
  };
  return Array.from(view, (row) => ({
    variables: relations.columnsOf(row).map((column) => names[column]),
    ...Object.fromEntries(fields.map((field) => [field.name, field.json(row)])),
    ...closely(row),
  }));
};

Shearer.save = (text, type, ending) => {
  const source = String(Shearer.model.settings.source ?? "").split(/[\\/]/).pop().replace(/\.[^.]*$/, "");
  const stem = source.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40) || "scan";
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: `${stem}_${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

Shearer.startDownloads = (model) => {
  const { pairs, triples, names } = model;
  const view = (table, relations) => table?.view ?? new Uint32Array(relations.count).map((_, row) => row);
  const json = () => {
    const { version, settings, columns, notes } = model;
    const shown = {
      pairs: Shearer.records(names, pairs, view(Shearer.pairsTable, pairs)),
      triples: Shearer.records(names, triples, view(Shearer.triplesTable, triples)),
    };
    return JSON.stringify({ version, settings, columns, ...shown, notes }, null, 1);
  };
  const csv = (relations, table) => Shearer.csv(names, relations, view(table, relations), Shearer.fields(relations));
  const offer = (id, text, type, ending) => {
    Shearer.byId(id)?.addEventListener("click", () => Shearer.save(text(), type, ending));
  };
  Shearer.byId("downloads").hidden = false;
  offer("download-json", json, "application/json", "shown.json");
  offer("download-pairs", () => csv(pairs, Shearer.pairsTable), "text/csv", "pairs.csv");
  offer("download-triples", () => csv(triples, Shearer.triplesTable), "text/csv", "triples.csv");
};
