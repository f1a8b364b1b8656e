// Every part whose place the page has; one that fails leaves the others standing.

(() => {
  const model = Shearer.readModel();
  Shearer.model = model;
  const parts = [
    [null, () => Shearer.theme.start()],
    [null, () => Shearer.detail.start()],
    ["map-canvas", () => (Shearer.map = new Shearer.Map(model))],
    ["ranking", () => Shearer.startRanking(model)],
    ["network-picture", () => (Shearer.network = new Shearer.Network(model))],
    ["hero", () => Shearer.startHero(model)],
    ["gallery", () => Shearer.startGallery(model)],
    ["synergies", () => Shearer.startSynergies(model)],
    ["triples-table", () => Shearer.startTriplesTable(model)],
    ["pairs-table", () => Shearer.startPairsTable(model)],
    [null, () => Shearer.startDownloads(model)],
  ];
  for (const [place, start] of parts) {
    if (place && !Shearer.byId(place)) continue;
    try {
      start();
    } catch (error) {
      console.error(error);
    }
  }
})();
