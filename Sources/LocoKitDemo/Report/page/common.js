"use strict";
const $ = id => document.getElementById(id);

// MARK: - Names

/// The words of states, causes, wakes, reasons and outcomes, from ReportWords.swift. A recording has their indexes.
const words = {};
/// Sets the words, and the colours in the style of the page.
function setWords(lists) {
  Object.assign(words, lists);
  const dark = matchMedia("(prefers-color-scheme: dark)"), { style } = document.documentElement;
  const paint = () => {
    for (const { name, colors } of Object.values(words).flat()) if (colors) style.setProperty("--" + name, colors[dark.matches ? 1 : 0]);
  };
  dark.addEventListener("change", paint);
  paint();
}
const wordsOf = (list, name) => list.find(each => each.name === name)?.words ?? name;
const capital = text => text[0].toUpperCase() + text.slice(1);

// MARK: - Numbers

const pad = number => String(number).padStart(2, "0");
function clock(seconds) {
  const whole = Math.floor(seconds + 1e-6);
  return `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
}
// No-break spaces keep a number and its unit on one line.
const metres = value => value == null ? "–"
  : value < 9999.5 ? `${Math.round(value)}\u00a0m` : `${(value / 1000).toFixed(1)}\u00a0km`;
const percent = share => share == null ? "–" : `${(share * 100).toFixed(1)}\u00a0%`;
const milliwatts = value => value == null ? "–" : `${value.toFixed(0)}\u00a0mW`;
const battery = value => value == null ? "–" : `${value.toFixed(2)}\u00a0%`;
const batteryRange = ends => ends == null ? "–" : `${ends.map(end => end.toFixed(2)).join("–")}\u00a0%`;
const age = seconds => seconds < 120 ? `${Math.floor(seconds)} s` : seconds < 7200 ? `${Math.floor(seconds / 60)} min` : clock(seconds);
const ago = seconds => seconds < 1 ? "just now" : `${age(seconds)} ago`;
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
const total = counts => Object.values(counts).reduce((sum, count) => sum + count, 0);

// MARK: - Elements

const svgTags = new Set(["svg", "g", "path", "line", "circle", "rect", "text"]);
function make(tag, attributes = {}, ...children) {
  const element = svgTags.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null && value !== false) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/// Ends the views of the recording that is shown, with their listeners, before another one is shown.
let views = new AbortController();
const listen = (target, type, action, options = {}) => target.addEventListener(type, action, { ...options, signal: views.signal });
const onClick = (id, action) => listen($(id), "click", action);

/// SVG path data of a mark.
function shapePath(shape, x, y, radius) {
  if (shape === "dot") return shapePath("circle", x, y, 0.64 * radius);
  if (shape === "circle") {
    const half = `a${radius} ${radius} 0 1 0`;
    return `M${x - radius} ${y}${half} ${2 * radius} 0${half} ${-2 * radius} 0z`;
  }
  const corners = {
    up: [[0, -1], [1, 0.85], [-1, 0.85]], down: [[0, 1], [1, -0.85], [-1, -0.85]],
    square: [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]], diamond: [[0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]],
  };
  return "M" + corners[shape].map(([dx, dy]) => `${(x + dx * radius).toFixed(1)} ${(y + dy * radius).toFixed(1)}`).join("L") + "z";
}

/// Fills a legend with entries: the kind of picture, its colour, the text, and the shape of a mark.
function legend(list, entries) {
  const line = { x1: 0, y1: 7, x2: 18, y2: 7 };
  $(list).replaceChildren(...entries.map(([kind, name, text, shape]) => {
    const [property, picture] = {
      line: () => ["stroke", make("line", { ...line, "stroke-width": 3 })],
      dashed: () => ["stroke", make("line", { ...line, "stroke-width": 2.5, "stroke-dasharray": "5 3" })],
      ring: () => ["stroke", make("circle", { cx: 9, cy: 7, r: 5.5, "stroke-width": 2, fill: "none" })],
      shape: () => ["fill", make("path", { d: shapePath(shape, 9, 7, 5) })],
      box: () => ["fill", make("rect", { x: 1, y: 1, width: 16, height: 12, rx: 2 })],
    }[kind]();
    picture.style[property] = `var(--${name})`;
    return make("li", {}, make("svg", { viewBox: "0 0 18 14", "aria-hidden": "true" }, picture), text);
  }));
}
