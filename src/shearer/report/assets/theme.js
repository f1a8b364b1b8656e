// Light or dark, and everything that has to be drawn again when it changes.

Shearer.theme = {
  painters: new Set(),
  prefers: window.matchMedia("(prefers-color-scheme: dark)"),

  current() {
    return document.documentElement.dataset.theme ?? (this.prefers.matches ? "dark" : "light");
  },

  set(theme) {
    document.documentElement.dataset.theme = theme;
    this.changed();
  },

  changed() {
    const other = this.current() === "dark" ? "Light" : "Dark";
    const button = Shearer.byId("theme");
    button.textContent = other;
    button.setAttribute("aria-label", `Switch to ${other.toLowerCase()} colors`);
    this.colors.clear();
    this.painters.forEach((paint) => paint());
  },

  // A color of the style sheet as canvases know it.
  colors: new Map(),
  color(name) {
    if (!this.colors.has(name)) {
      const probe = document.body.appendChild(el("span"));
      probe.style.color = `var(--${name})`;
      this.colors.set(name, getComputedStyle(probe).color);
      probe.remove();
    }
    return this.colors.get(name);
  },

  // Okabe and Ito's palette, told apart with any color vision; its darkest member gives way to the ink.
  palette() {
    const [strong, pale] = this.current() === "dark" ? ["#56b4e9", "#0072b2"] : ["#0072b2", "#56b4e9"];
    return [strong, "#e69f00", "#009e73", "#cc79a7", "#d55e00", pale, "#b8a800", this.color("soft")];
  },

  start() {
    const button = Shearer.byId("theme");
    button.hidden = false;
    button.addEventListener("click", () => this.set(this.current() === "dark" ? "light" : "dark"));
    this.prefers.addEventListener("change", () => this.changed());
    // Dark pictures waste ink, and dark text on them cannot be read.
    let before;
    window.addEventListener("beforeprint", () => {
      before = document.documentElement.dataset.theme;
      this.set("light");
    });
    window.addEventListener("afterprint", () => {
      if (before) this.set(before);
      else {
        delete document.documentElement.dataset.theme;
        this.changed();
      }
    });
    this.changed();
  },
};

// Keep a canvas sharp: `draw(context, width, height)` runs when its size or the theme changes, and on demand.
Shearer.canvas = (element, draw) => {
  const paint = () => {
    const width = element.clientWidth;
    const height = element.clientHeight;
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    const context = element.getContext("2d");
    context.scale(ratio, ratio);
    context.direction = "ltr";
    draw(context, width, height);
  };
  const resized = new ResizeObserver(paint);
  resized.observe(element);
  Shearer.theme.painters.add(paint);
  const release = () => {
    resized.disconnect();
    Shearer.theme.painters.delete(paint);
  };
  return { paint, release };
};
