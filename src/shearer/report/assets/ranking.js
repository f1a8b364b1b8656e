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
    const label = el("span", { class: "cut" }, Shearer.namesElement(shown, 30));
    if (model.lag(row)) label.append(el("span", { class: "strength" }, ` lag ${model.lag(row)}`));
    const bar = Shearer.meter(pairs.strength[row]);
    if (!pairs.reported[row]) bar.classList.add("weak");
    const onclick = () => Shearer.detail.openPair(model, row);
    const value = el("span", { title: Shearer.strengthWords(model, row) }, Shearer.decimal(pairs.strength[row]));
    return el("li", {}, el("button", { type: "button", onclick }, label, bar, value));
  });
  Shearer.byId("ranking").replaceChildren(...items);
};
