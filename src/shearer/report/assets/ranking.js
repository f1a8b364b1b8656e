// With a target, every column has one number only: bars, the strongest first.

Shearer.startRanking = (model) => {
  const most = 60;
  const { pairs } = model;
  const strength = (row) => (Number.isNaN(pairs.strength[row]) ? -Infinity : pairs.strength[row]);
  const rows = Array.from(pairs.strength.keys()).sort((a, b) => strength(b) - strength(a));
  const targets = [model.settings.target].flat();
  const items = rows.slice(0, most).map((row) => {
    const names = model.pairNames(row);
    const others = names.filter((name) => !targets.includes(name));
    const shown = targets.length === 1 && others.length === 1 ? others : names;
    const label = Shearer.el("span", { class: "cut" }, Shearer.namesElement(shown, 30));
    if (model.lag(row)) label.append(Shearer.el("span", { class: "strength" }, ` lag ${model.lag(row)}`));
    const bar = Shearer.meter(pairs.strength[row] / (model.strongest || 1));
    if (!pairs.reported[row]) bar.classList.add("weak");
    const open = () => Shearer.detail.openPair(model, row);
    const button = Shearer.el("button", { type: "button", onclick: open }, label, bar, Shearer.el("span", {}, Shearer.decimal(pairs.strength[row])));
    return Shearer.el("li", {}, button);
  });
  Shearer.byId("ranking").replaceChildren(...items);
};
