"use strict";

// Everything of the page hangs here, but for the two makers of elements. Texts of the data reach the document as text
// nodes and never as markup.
const Shearer = {};

Shearer.byId = (id) => document.getElementById(id);

Shearer.fill = (element, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
};

const el = (tag, attributes = {}, ...children) =>
  Shearer.fill(document.createElement(tag), attributes, children);

const svg = (tag, attributes = {}, ...children) =>
  Shearer.fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A name as text of its own direction, with the whole of it as a tooltip where it was cut.
Shearer.nameElement = (name, longest = 60, className = "name") => {
  const short = Shearer.shorten(name, longest);
  return el("bdi", { class: className, title: short === name ? null : Shearer.shorten(name, 300) }, short);
};

Shearer.namesElement = (names, longest = 40) => {
  const parts = names.flatMap((name, i) => [
    i ? el("span", { class: "times" }, " × ") : null,
    Shearer.nameElement(name, longest),
  ]);
  return el("span", {}, ...parts);
};

// Terms and what they are, for the figures beside a picture.
Shearer.terms = (entries) => {
  const items = entries.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]);
  return el("dl", { class: "numbers" }, ...items);
};

// A bar from 0 to 1; the policy of the page allows styles through the object model only.
Shearer.meter = (share) => {
  const fill = el("span");
  fill.style.width = `${100 * Math.min(Math.max(share || 0, 0), 1)}%`;
  return el("span", { class: "meter", "aria-hidden": "true" }, fill);
};
