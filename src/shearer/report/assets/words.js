// Numbers and names as a reader sees them.

// Control marks, direction marks and halves of pairs become spaces; a long name keeps its beginning and its end.
Shearer.shorten = (name, longest) => {
  const text = (name.length > 4000 ? name.slice(0, 2000) + name.slice(-2000) : name)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  const marks = Array.from(text);
  if (marks.length <= longest) return text || "(no name)";
  const tail = Math.floor((longest - 1) / 3);
  return `${marks.slice(0, longest - 1 - tail).join("")}…${marks.slice(-tail).join("")}`;
};

Shearer.whole = (number) => Math.round(number).toLocaleString("en-US");

Shearer.decimal = (number, digits = 2) => {
  if (!Number.isFinite(number)) return "–";
  const text = number.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−");
};

Shearer.superscript = (exponent) =>
  [...String(exponent)].map((mark) => (mark === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[mark])).join("");

// A probability from its decimal logarithm, which reaches below the smallest double.
Shearer.probability = (log) => {
  if (Number.isNaN(log)) return "–";
  if (log === -Infinity) return "0";
  if (log >= -3) return (10 ** log).toFixed(3);
  let exponent = Math.floor(log);
  let digits = 10 ** (log - exponent);
  if (digits >= 9.5) {
    digits = 1;
    exponent += 1;
  }
  return `${digits.toFixed(0)}\u00a0×\u00a010${Shearer.superscript(exponent)}`;
};

// A number on an axis: short, without the dust of binary fractions.
Shearer.tick = (number) => {
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) {
    const [digits, exponent] = number.toExponential(1).split("e");
    return `${digits.replace(".0", "").replace("-", "−")}·10${Shearer.superscript(Number(exponent))}`;
  }
  return String(Number(number.toPrecision(6))).replace("-", "−");
};

Shearer.plural = (number, noun) => `${Shearer.whole(number)} ${noun}${number === 1 ? "" : "s"}`;
