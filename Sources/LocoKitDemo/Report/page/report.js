"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);

// MARK: - Words

const causeWords = {
  bound: "the bound was due", motion: "motion", retry: "another try", cell: "a new cell", regionExit: "a region's exit", visit: "a departure", rest: "rest",
  significantChange: "a significant change", forced: "the app asked", resumed: "after a pause", first: "the first",
  tracking: "somebody tracks",
};
const sourceWords = {
  significantChange: "Significant change", regionExit: "Region exit", arrival: "Arrival", departure: "Departure", cell: "New cell", motion: "Motion", timer: "Timer",
};
const reasonWords = {
  invalidAccuracy: "no accuracy", invalidCoordinate: "no coordinate", stale: "too old", futureDated: "from the future",
  beforeTrigger: "before the trigger", outOfOrder: "out of order", implausibleSpeed: "implausible speed",
  worseThanCandidate: "a better one is there", tooCoarse: "too coarse", duplicate: "a duplicate", notListening: "not asked for",
};
const stateWords = {
  init: "not begun", prompted: "permission asked", denied: "permission refused", acquiring: "acquiring", paused: "paused",
  waitingSignificantChange: "waiting",
};
const outcomeWords = {
  acquisition: "began an acquisition", coolDown: "too soon after one", withinBound: "needed none within the bound",
  off: "while it was off", gpsOn: "while the GPS was on",
};

const pad = number => String(number).padStart(2, "0");
function clock(seconds) {
  const whole = Math.floor(seconds + 1e-6);
  return `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
}
// A number and its unit stay on one line.
const metres = value => value == null ? "–"
  : value < 9999.5 ? `${Math.round(value)}\u00a0m` : `${(value / 1000).toFixed(1)}\u00a0km`;
const percent = share => share == null ? "–" : `${(share * 100).toFixed(1)}\u00a0%`;
const ago = seconds => seconds < 1 ? "just now"
  : seconds < 120 ? `${Math.floor(seconds)} s ago` : seconds < 7200 ? `${Math.floor(seconds / 60)} min ago` : `${clock(seconds)} ago`;

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "line", "circle", "rect", "text", "polyline", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null && value !== false) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
function colours() {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, { get: (_, name) => style.getPropertyValue("--" + name) });
}
let colour = colours();
const redrawers = [];
function redraw() {
  colour = colours();
  for (const each of redrawers) each();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

function tile(name, figure, note) {
  $("tiles").append(make("li", { class: "tile" },
    make("div", { class: "muted small" }, name), make("div", { class: "figure" }, figure), make("div", { class: "muted small" }, note)));
}

// MARK: - Shapes of what wakes

const shapes = {
  significantChange: [[-1, 0, "circle"]],
  regionExit: [[0, -1], [1, 0.85], [-1, 0.85]],
  arrival: [[0, 1], [1, -0.85], [-1, -0.85]],
  departure: [[0, -1], [1, 0.85], [-1, 0.85]],
  cell: [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
  motion: [[0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]],
  timer: [[0, 1], [-0.85, -0.8], [0.85, -0.8]],
};
function tracePath(context, name, x, y, radius) {
  context.beginPath();
  if (name === "significantChange") context.arc(x, y, radius, 0, 7);
  else shapes[name].forEach(([dx, dy], index) => context[index ? "lineTo" : "moveTo"](x + dx * radius, y + dy * radius));
  context.closePath();
}
function shapePath(name, x, y, radius) {
  if (name === "significantChange") {
    const half = sign => `a${radius} ${radius} 0 1 0 ${sign * 2 * radius} 0`;
    return `M${x - radius} ${y}${half(1)}${half(-1)}z`;
  }
  return "M" + shapes[name].map(([dx, dy]) => `${(x + dx * radius).toFixed(1)} ${(y + dy * radius).toFixed(1)}`).join("L") + "z";
}
function legend(list, entries) {
  $(list).replaceChildren(...entries.map(([kind, fill, text, shape]) => {
    const picture = make("svg", { viewBox: "0 0 18 14", "aria-hidden": "true" });
    const paint = `var(--${fill})`;
    const part = kind === "line" ? make("line", { x1: 0, y1: 7, x2: 18, y2: 7, "stroke-width": 3 })
      : kind === "dashed" ? make("line", { x1: 0, y1: 7, x2: 18, y2: 7, "stroke-width": 2.5, "stroke-dasharray": "5 3" })
      : kind === "ring" ? make("circle", { cx: 9, cy: 7, r: 5.5, "stroke-width": 2, fill: "none" })
      : kind === "shape" ? make("path", { d: shapePath(shape, 9, 7, 5) })
      : make("rect", { x: 1, y: 1, width: 16, height: 12, rx: 2 });
    part.style[["line", "dashed", "ring"].includes(kind) ? "stroke" : "fill"] = paint;
    picture.append(part);
    return make("li", {}, picture, text);
  }));
}

// MARK: - What was recorded

const radius = 6371008.8, radians = Math.PI / 180;
function distance(lat1, lon1, lat2, lon2) {
  const a = Math.sin((lat2 - lat1) * radians / 2), b = Math.sin((lon2 - lon1) * radians / 2);
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(a * a + Math.cos(lat1 * radians) * Math.cos(lat2 * radians) * b * b)));
}
function sums(differences, unit) {
  const values = new Float64Array(differences.length);
  let sum = 0;
  differences.forEach((difference, index) => { values[index] = (sum += difference) / unit; });
  return values;
}
function path(columns) {
  return columns && { t: sums(columns.t, 10), lat: sums(columns.lat, 1e6), lon: sums(columns.lon, 1e6),
    acc: columns.acc && Float64Array.from(columns.acc, value => value / 10) };
}
const events = ({ t, v }, names) => Array.from(sums(t, 10), (time, index) => ({ t: time, name: names[v[index]] }));
/// The number of entries up to a time.
function countUpTo(times, time, at = index => times[index]) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) <= time) low = middle + 1; else high = middle;
  }
  return low;
}
const lastEvent = (list, time) => list[countUpTo(list, time, index => list[index].t) - 1];
/// Where a path is at a time, on a straight line between its points.
function along(path, time) {
  const next = countUpTo(path.t, time), last = next - 1;
  if (last < 0) return null;
  const share = next < path.t.length ? (time - path.t[last]) / (path.t[next] - path.t[last]) : 0;
  const at = values => next < path.t.length ? values[last] + (values[next] - values[last]) * share : values[last];
  return { lat: at(path.lat), lon: at(path.lon), acc: path.acc ? at(path.acc) : 0 };
}

/// Where a path is, for times that only grow: without a search, and always in the same object.
function walker(path) {
  const here = { lat: NaN, lon: NaN };
  let next = 0;
  return time => {
    while (next < path.t.length && path.t[next] <= time) next++;
    const last = Math.max(0, next - 1), share = next && next < path.t.length ? (time - path.t[last]) / (path.t[next] - path.t[last]) : 0;
    here.lat = path.lat[last] + (share && (path.lat[next] - path.lat[last]) * share);
    here.lon = path.lon[last] + (share && (path.lon[next] - path.lon[last]) * share);
    return here;
  };
}
/// After the end of a part there is no estimate, but for the rest of a second.
const endOf = part => part.t[part.t.length - 1] + 1.5;

function playback(recording, summary) {
  const names = recording.names, duration = Math.max(recording.seconds, 1), bound = recording.boundMeters;
  const truth = path(recording.truth), track = truth ?? path(recording.fixes);
  const locations = path(recording.locations), estimates = recording.estimates.map(path).filter(part => part.t.length);
  const states = events(recording.states, names.states), wakes = events(recording.wakes, names.sources);
  const looks = events(recording.looks, names.causes), rejections = events(recording.rejections, names.reasons);
  const failures = sums(recording.failures, 10);
  const isGPS = new Set(names.gpsStates);
  const pairs = list => list.flatMap((from, index) => index % 2 ? [] : [[from, list[index + 1]]]);
  const unknown = pairs(recording.unknown), dwelling = pairs(recording.dwelling);
  const bands = states.map((state, index) => ({ from: state.t, to: states[index + 1]?.t ?? duration, name: state.name }));
  const gps = bands.filter(band => isGPS.has(band.name));
  const lookTimes = new Set(looks.map(look => look.t));
  for (const wake of wakes) wake.began = lookTimes.has(wake.t);

  function heldAt(time) {
    const index = countUpTo(locations.t, time) - 1;
    if (index < 0) return null;
    return { t: locations.t[index], lat: locations.lat[index], lon: locations.lon[index], acc: locations.acc[index] };
  }
  function estimateAt(time) {
    const part = estimates[countUpTo(estimates, time, index => estimates[index].t[0]) - 1];
    return part && time <= endOf(part) ? along(part, time) : null;
  }
  const isUnknown = time => unknown.some(([from, to]) => time > from && time <= to);
  const off = (place, here) => place && here ? distance(place.lat, place.lon, here.lat, here.lon) : NaN;

  // A value a second, or fewer where it is long.
  const step = Math.max(1, Math.ceil(duration / 200000)), count = Math.floor(duration / step) + 1;
  const errors = new Float32Array(count).fill(NaN), estimateErrors = new Float32Array(count).fill(NaN);
  if (truth) {
    const walk = walker(truth), parts = estimates.map(walker);
    let held = -1, part = -1;
    for (let index = 0; index < count; index++) {
      const time = index * step, here = walk(time);
      while (held + 1 < locations.t.length && locations.t[held + 1] <= time) held++;
      while (part + 1 < parts.length && estimates[part + 1].t[0] <= time) part++;
      const { lat, lon } = here;
      if (held >= 0) errors[index] = distance(locations.lat[held], locations.lon[held], lat, lon);
      if (part >= 0 && time <= endOf(estimates[part])) {
        const estimate = parts[part](time);
        estimateErrors[index] = distance(estimate.lat, estimate.lon, lat, lon);
      }
    }
    for (const [from, to] of unknown) {
      errors.fill(NaN, Math.floor(from / step) + 1, Math.floor(to / step) + 1);
      estimateErrors.fill(NaN, Math.floor(from / step) + 1, Math.floor(to / step) + 1);
    }
  }

  // MARK: The cursor

  let time = 0, playing = 0;
  const overlays = [];
  const slider = $("slider");
  slider.max = Math.floor(duration);
  const nice = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  const keyStep = nice.find(each => each >= duration / 300) ?? 86400;
  $("key-step").textContent = `${keyStep < 60 ? `${keyStep} s` : `${keyStep / 60} min`} back and on`;
  const speeds = [1, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400];
  // All of it in about a minute.
  const isOff = speed => Math.abs(Math.log(speed * 60 / duration));
  const standard = speeds.reduce((best, each) => isOff(each) < isOff(best) ? each : best);
  for (const each of speeds) $("speed").append(make("option", { value: each, selected: each === standard }, `${each} ×`));

  function seek(wanted) {
    time = Math.min(duration, Math.max(0, wanted));
    for (const each of overlays) each();
    showNow();
  }
  let before = 0;
  function frame(stamp) {
    if (!playing) return;
    const passed = Math.min(0.1, Math.max(0, (stamp - before) / 1000));
    before = stamp;
    if (time + passed * $("speed").value >= duration) pause();
    seek(time + passed * $("speed").value);
    if (playing) playing = requestAnimationFrame(frame);
  }
  function play() {
    if (time >= duration) time = 0;
    before = performance.now();
    playing = requestAnimationFrame(frame);
    $("play").textContent = "❚❚ Pause";
  }
  function pause() {
    cancelAnimationFrame(playing);
    playing = 0;
    $("play").textContent = "▶ Play";
  }
  const toggle = () => playing ? pause() : play();
  $("play").addEventListener("click", toggle);
  slider.addEventListener("input", () => seek(Number(slider.value)));
  function jump(direction) {
    const times = looks.map(look => look.t);
    const target = direction > 0 ? times.find(each => each > time + 0.05) : times.findLast(each => each < time - 0.05);
    if (target != null) seek(target);
    keepInView();
  }
  $("next").addEventListener("click", () => jump(1));
  $("previous").addEventListener("click", () => jump(-1));
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const control = event.target.closest("button, select, summary, a");
    if (control && (control.tagName === "SELECT" || event.key === " " || event.key === "Enter")) return;
    const factor = event.shiftKey ? 10 : 1;
    const action = {
      " ": toggle, k: toggle, ArrowRight: () => seek(time + keyStep * factor), ArrowLeft: () => seek(time - keyStep * factor),
      ".": () => seek(time + 1), ",": () => seek(time - 1), n: () => jump(1), p: () => jump(-1), Home: () => seek(0),
      End: () => seek(duration), "+": () => zoomTime(0.5), "=": () => zoomTime(0.5), "-": () => zoomTime(2),
      "0": () => zoomTime(Infinity),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
    keepInView();
  });

  // MARK: What is at the cursor

  const rows = {};
  function row(id, name, ...children) {
    rows[id] = make("dd", { id: "now-" + id }, ...children);
    $("now").append(make("dt", {}, name), rows[id]);
  }
  const chip = make("span", { class: "chip" }), stateText = make("span"), gpsText = make("span", { class: "muted small" });
  row("time", "Time");
  row("state", "State", chip, stateText, gpsText);
  row("held", "Last location");
  if (truth) {
    const fill = make("span");
    row("error", "Its error", make("span"), make("div", { class: "bar", hidden: !bound }, fill));
    if (!bound) rows.error.lastChild.hidden = true;
  }
  if (estimates.length) row("estimate", "Estimate");
  row("wake", "Last wake");
  row("verdict", "Last verdict");
  function put(element, text, note) {
    element.replaceChildren(text, ...(note ? [make("span", { class: "muted small" }, note)] : []));
  }
  const place = each => `${each.lat.toFixed(5)}, ${each.lon.toFixed(5)}`;
  function showNow() {
    const state = lastEvent(states, time), held = heldAt(time), estimate = estimateAt(time);
    const here = truth && along(truth, time), error = isUnknown(time) ? NaN : off(held, here);
    slider.value = Math.floor(time);
    $("clock").value = clock(time);
    const date = new Date((recording.startedAt + time) * 1000).toISOString();
    put(rows.time, `${clock(time)} of ${clock(duration)}`, `${date.slice(0, 10)} ${date.slice(11, 19)} UTC`);
    const words = state ? stateWords[state.name] : "–";
    chip.style.background = state ? `var(--${state.name})` : "";
    stateText.textContent = words;
    gpsText.textContent = state ? `${isGPS.has(state.name) ? "GPS on" : "GPS off"}, since ${clock(time - state.t)}` : "";
    put(rows.held, held ? place(held) : "none yet", held && `±${metres(held.acc)}, ${ago(time - held.t)}`);
    if (truth) {
      const [text, bar] = rows.error.children;
      text.textContent = Number.isNaN(error) ? "unknown" : metres(error) + (bound ? ` of ${metres(bound)}` : "");
      if (bound) {
        bar.classList.toggle("over", error > bound);
        bar.firstChild.style.width = `${Math.min(100, 100 * (error || 0) / bound)}%`;
      }
    }
    if (rows.estimate) {
      const gap = isUnknown(time) ? NaN : off(estimate, here);
      put(rows.estimate, estimate ? place(estimate) : "none",
        estimate && `±${metres(estimate.acc)}` + (Number.isNaN(gap) ? "" : `, ${metres(gap)} off`));
    }
    const wake = lastEvent(wakes, time);
    put(rows.wake, wake ? sourceWords[wake.name] : "none yet",
      wake && `${ago(time - wake.t)}, ${wake.began ? "began a look" : "began no look"}`);
    const refused = lastEvent(rejections, time), failed = failures[countUpTo(failures, time) - 1] ?? -1;
    const used = held?.t ?? -1, latest = Math.max(used, refused?.t ?? -1, failed);
    put(rows.verdict,
      latest < 0 ? "none yet" : latest === used ? "used" : latest === failed ? "no location" : `refused: ${reasonWords[refused.name]}`,
      latest < 0 ? "" : ago(time - latest));
    slider.setAttribute("aria-valuetext",
      `${clock(time)}, ${words}${!truth || Number.isNaN(error) ? "" : `, error ${metres(error)}`}`);
  }

  // MARK: The map

  // Mercator, in metres at the track's latitude.
  const all = [track, locations, ...estimates].filter(each => each && each.t.length);
  const origin = all.length ? { lat: all[0].lat[0], lon: all[0].lon[0] } : { lat: 0, lon: 0 };
  const stretch = Math.cos(Math.min(85, Math.max(-85, origin.lat)) * radians);
  const northing = lat => Math.log(Math.tan(Math.PI / 4 + Math.min(85, Math.max(-85, lat)) * radians / 2));
  const north = northing(origin.lat);
  const project = (lat, lon) => [
    radius * stretch * (((lon - origin.lon + 540) % 360 + 360) % 360 - 180) * radians,
    -radius * stretch * (northing(lat) - north),
  ];
  function projected(each) {
    each.x = new Float64Array(each.t.length);
    each.y = new Float64Array(each.t.length);
    for (let index = 0; index < each.t.length; index++) [each.x[index], each.y[index]] = project(each.lat[index], each.lon[index]);
  }
  for (const each of [track, locations]) if (each) projected(each);
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const each of [track, locations]) {
    for (let index = 0; index < (each?.t.length ?? 0); index++) {
      box[0] = Math.min(box[0], each.x[index]); box[1] = Math.min(box[1], each.y[index]);
      box[2] = Math.max(box[2], each.x[index]); box[3] = Math.max(box[3], each.y[index]);
    }
  }
  if (box[0] > box[2]) box.splice(0, 4, -500, -500, 500, 500);
  const map = $("map"), mapBase = map.children[0], mapTop = map.children[1];
  let scale = 1, centre = [0, 0], isWhole = true;
  function fit() {
    const margin = 34;
    isWhole = true;
    centre = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    scale = Math.min(
      (map.clientWidth - 2 * margin) / Math.max(200, box[2] - box[0]),
      (map.clientHeight - 2 * margin) / Math.max(200, box[3] - box[1]));
  }
  // Asking a page for a size for each point would take longer than drawing it.
  let middle = [0, 0];
  const screen = (x, y) => [(x - centre[0]) * scale + middle[0], (y - centre[1]) * scale + middle[1]];
  function prepare(canvas) {
    const ratio = devicePixelRatio || 1, width = canvas.parentElement.clientWidth, height = canvas.parentElement.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return [context, width, height];
  }
  /// A path's line, without the points that fall on the same pixel.
  function trace(context, each, from = 0, to = each.t.length) {
    let [lastX, lastY] = [NaN, NaN];
    context.beginPath();
    for (let index = from; index < to; index++) {
      const [x, y] = screen(each.x[index], each.y[index]);
      if (index > from && index < to - 1 && Math.abs(x - lastX) < 0.7 && Math.abs(y - lastY) < 0.7) continue;
      context[index > from ? "lineTo" : "moveTo"](x, y);
      [lastX, lastY] = [x, y];
    }
  }
  function circle(context, x, y, pixels) {
    context.beginPath();
    context.arc(x, y, pixels, 0, 7);
  }
  function drawMap() {
    middle = [map.clientWidth / 2, map.clientHeight / 2];
    if (isWhole) fit();
    const [context, width, height] = prepare(mapBase);
    // The scale and the grid: a round length of at most a quarter of the width.
    const longest = width / 4 / scale, power = 10 ** Math.floor(Math.log10(longest));
    const length = [5, 2, 1].find(each => each * power <= longest) * power;
    context.fillStyle = colour.soft;
    for (let x = Math.ceil((centre[0] - width / 2 / scale) / length) * length; screen(x, 0)[0] < width; x += length) {
      context.fillRect(Math.round(screen(x, 0)[0]), 0, 1, height);
    }
    for (let y = Math.ceil((centre[1] - height / 2 / scale) / length) * length; screen(0, y)[1] < height; y += length) {
      context.fillRect(0, Math.round(screen(0, y)[1]), width, 1);
    }
    context.lineJoin = context.lineCap = "round";
    if (track) {
      context.strokeStyle = colour.route;
      context.lineWidth = 4;
      trace(context, track);
      context.stroke();
      for (const [from, to] of truth ? unknown : []) {
        // Over a gap nobody knows the way.
        const part = { t: [0, 1], x: [], y: [] };
        for (const end of [from, to]) {
          const here = along(truth, end), [x, y] = project(here.lat, here.lon);
          part.x.push(x); part.y.push(y);
        }
        trace(context, part);
        context.strokeStyle = colour.bg;
        context.setLineDash([3, 7]);
        context.stroke();
        context.setLineDash([]);
      }
    }
    context.strokeStyle = context.fillStyle = colour.held;
    for (let index = 0; index < locations.t.length; index++) {
      const [x, y] = screen(locations.x[index], locations.y[index]), pixels = locations.acc[index] * scale;
      if (x < -pixels || y < -pixels || x > width + pixels || y > height + pixels) continue;
      if (pixels > 3) {
        context.globalAlpha = 0.1;
        circle(context, x, y, pixels);
        context.fill();
        context.globalAlpha = 0.55;
        context.lineWidth = 1;
        context.stroke();
      }
      context.globalAlpha = 0.9;
      circle(context, x, y, 1.8);
      context.fill();
    }
    context.globalAlpha = 1;
    for (const wake of wakes) {
      const here = track && along(track, wake.t);
      if (!here) continue;
      const [x, y] = screen(...project(here.lat, here.lon));
      if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      context.fillStyle = colour[wake.name];
      if (!wake.began) {
        circle(context, x, y, 1.3);
        context.fill();
        continue;
      }
      tracePath(context, wake.name, x, y, wake.name === "timer" ? 3.2 : 5);
      context.strokeStyle = colour.bg;
      context.lineWidth = 1.5;
      context.stroke();
      context.fill();
    }
    context.fillStyle = context.strokeStyle = colour.text;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(14, height - 20);
    context.lineTo(14, height - 14);
    context.lineTo(14 + length * scale, height - 14);
    context.lineTo(14 + length * scale, height - 20);
    context.stroke();
    context.font = "12px system-ui, sans-serif";
    context.fillText(length >= 1000 ? `${length / 1000} km` : `${length} m`, 20, height - 20);
    mapBase.setAttribute("aria-label",
      `Map of ${truth ? "the way" : "the fixes"}, ${metres(box[2] - box[0])} from west to east and `
      + `${metres(box[3] - box[1])} from north to south, with `
      + `${locations.t.length} locations. What it shows at the cursor is in the list under “At the cursor”.`);
    drawMapCursor();
  }
  function drawMapCursor() {
    if ($("follow").ariaPressed === "true" && track) {
      const here = along(track, time), at = here && project(here.lat, here.lon);
      if (at) {
        const [x, y] = screen(...at);
        if (Math.abs(x - map.clientWidth / 2) > map.clientWidth / 5 || Math.abs(y - map.clientHeight / 2) > map.clientHeight / 5) {
          [centre, isWhole] = [at, false];
          return drawMap();
        }
      }
    }
    const [context] = prepare(mapTop);
    context.lineJoin = context.lineCap = "round";
    const held = heldAt(time), estimate = estimateAt(time), here = track && along(track, time);
    const at = each => screen(...project(each.lat, each.lon));
    if (here) {
      const from = countUpTo(track.t, time - Math.max(300, duration / 50)), to = countUpTo(track.t, time);
      trace(context, track, from, to);
      context.lineTo(...at(here));
      context.strokeStyle = colour.trail;
      context.lineWidth = 4;
      context.stroke();
    }
    if (held) {
      const [x, y] = at(held);
      if (bound) {
        circle(context, x, y, bound * scale);
        context.strokeStyle = colour.bound;
        context.lineWidth = 2;
        context.setLineDash([6, 5]);
        context.stroke();
        context.setLineDash([]);
      }
      if (truth && here && !isUnknown(time)) {
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(...at(here));
        context.strokeStyle = colour.held;
        context.lineWidth = 1.5;
        context.stroke();
      }
      circle(context, x, y, Math.max(3, held.acc * scale));
      context.fillStyle = colour.held;
      context.globalAlpha = 0.25;
      context.fill();
      context.globalAlpha = 1;
      circle(context, x, y, 6);
      context.fill();
      context.strokeStyle = colour.card;
      context.lineWidth = 2;
      context.stroke();
    }
    if (estimate) {
      const [x, y] = at(estimate);
      circle(context, x, y, Math.max(3, estimate.acc * scale));
      context.fillStyle = context.strokeStyle = colour.estimate;
      context.globalAlpha = 0.13;
      context.fill();
      context.globalAlpha = 1;
      context.lineWidth = 1.5;
      context.stroke();
      tracePath(context, "motion", x, y, 5.5);
      context.fill();
    }
    if (here) {
      const [x, y] = at(here);
      circle(context, x, y, 7);
      context.fillStyle = colour.device;
      context.fill();
      context.strokeStyle = colour.card;
      context.lineWidth = 2.5;
      context.stroke();
    }
  }
  function zoomMap(factor, x = map.clientWidth / 2, y = map.clientHeight / 2) {
    const wanted = Math.min(20, Math.max(1e-5, scale * factor)), change = 1 / scale - 1 / wanted;
    centre = [centre[0] + (x - map.clientWidth / 2) * change, centre[1] + (y - map.clientHeight / 2) * change];
    [scale, isWhole] = [wanted, false];
    drawMap();
  }
  $("map-in").addEventListener("click", () => zoomMap(1.6));
  $("map-out").addEventListener("click", () => zoomMap(1 / 1.6));
  $("map-all").addEventListener("click", () => { fit(); $("follow").ariaPressed = "false"; drawMap(); });
  $("follow").addEventListener("click", event => {
    const wanted = event.currentTarget.ariaPressed !== "true";
    event.currentTarget.ariaPressed = String(wanted);
    if (wanted && track) {
      const here = along(track, time);
      if (here) centre = project(here.lat, here.lon);
      if (isWhole) scale = Math.max(scale, Math.min(map.clientWidth, map.clientHeight) / (bound ? bound * 3.2 : 3000));
      isWhole = false;
      drawMap();
    }
  });
  map.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const area = map.getBoundingClientRect();
    zoomMap(Math.exp(-event.deltaY / 300), event.clientX - area.left, event.clientY - area.top);
  }, { passive: false });
  const fingers = new Map();
  map.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    map.setPointerCapture(event.pointerId);
    map.classList.add("dragging");
  });
  map.addEventListener("pointermove", event => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1], now = [event.clientX, event.clientY];
    fingers.set(event.pointerId, now);
    if (other) {
      const apart = point => Math.hypot(point[0] - other[0], point[1] - other[1]), area = map.getBoundingClientRect();
      zoomMap(apart(now) / Math.max(1, apart(last)), (now[0] + other[0]) / 2 - area.left, (now[1] + other[1]) / 2 - area.top);
    } else {
      centre = [centre[0] - (now[0] - last[0]) / scale, centre[1] - (now[1] - last[1]) / scale];
      [isWhole, $("follow").ariaPressed] = [false, "false"];
      drawMap();
    }
  });
  for (const end of ["pointerup", "pointercancel"]) {
    map.addEventListener(end, event => {
      fingers.delete(event.pointerId);
      if (!fingers.size) map.classList.remove("dragging");
    });
  }

  // MARK: The timeline

  const timeline = $("timeline"), timeBase = timeline.children[0], timeTop = timeline.children[1];
  let view = [0, duration];
  const hasMoves = truth && dwelling.length;
  const lanes = [
    ...(hasMoves ? [{ name: "Under way", kind: "moves" }] : []),
    { name: "State", kind: "states" }, { name: "GPS on", kind: "gps" },
    ...names.sources.filter(name => wakes.some(wake => wake.name === name))
      .map(name => ({ name: sourceWords[name], kind: "wakes", colour: name, list: wakes.filter(wake => wake.name === name) })),
    { name: "Location used", kind: "ticks", colour: "held", list: Array.from(locations.t, t => ({ t })) },
    ...names.reasons.filter(name => rejections.some(each => each.name === name))
      .map(name => ({
        name: "Refused: " + reasonWords[name], kind: "ticks", colour: "refused", list: rejections.filter(each => each.name === name),
      })),
    ...(failures.length ? [{ name: "No location", kind: "ticks", colour: "denied", list: Array.from(failures, t => ({ t })) }] : []),
  ];
  const chartHeight = truth ? 168 : 0, axisHeight = 24;
  let left = 0, timeWidth = 1, isNarrow = false, pitch = 0;
  function layOut() {
    isNarrow = timeline.clientWidth < 640;
    left = isNarrow ? 54 : 176;
    pitch = isNarrow ? 32 : 22;
    timeWidth = timeline.clientWidth - left - 10;
    timeline.style.height = `${lanes.length * pitch + chartHeight + axisHeight + 10}px`;
  }
  const toX = each => left + (each - view[0]) / (view[1] - view[0]) * timeWidth;
  const toTime = x => view[0] + (x - left) / timeWidth * (view[1] - view[0]);
  function drawTimeline() {
    layOut();
    const [context, width] = prepare(timeBase), right = left + timeWidth;
    context.textBaseline = "middle";
    context.font = "12px system-ui, sans-serif";
    const bandHeight = 14;
    lanes.forEach((lane, index) => {
      const top = index * pitch + (isNarrow ? 16 : 4), middle = top + bandHeight / 2;
      context.fillStyle = colour.muted;
      context.textAlign = isNarrow ? "left" : "right";
      if (isNarrow) context.fillText(lane.name, 0, index * pitch + 8); else context.fillText(lane.name, left - 10, middle + 0.5);
      context.save();
      context.beginPath();
      context.rect(isNarrow ? 0 : left, top - 2, width, bandHeight + 4);
      context.clip();
      const band = (from, to, fill, least = 0, height = bandHeight) => {
        if (to < view[0] || from > view[1]) return;
        const start = Math.max(left, toX(from)), end = Math.min(right, toX(to));
        context.fillStyle = fill;
        context.fillRect(start, top + bandHeight - height, Math.max(least, end - start), height);
      };
      if (lane.kind !== "states") band(view[0], view[1], colour.dwelling);
      if (lane.kind === "moves") {
        let last = 0;
        for (const [from, to] of [...dwelling, [duration, duration]]) {
          band(last, from, colour.trail);
          last = to;
        }
      } else if (lane.kind === "states") {
        for (const each of bands) if (!isGPS.has(each.name)) band(each.from, each.to, colour[each.name], 1);
        for (const each of gps) band(each.from, each.to, colour[each.name], 1);
      } else if (lane.kind === "gps") {
        for (const each of gps) band(each.from, each.to, colour.gps, 1.2);
      } else {
        // Those that began a look stand above the others.
        for (const high of [false, true]) {
          let last = -9;
          for (const each of lane.list) {
            if ((each.began ?? true) !== high || each.t < view[0] || each.t > view[1]) continue;
            const x = toX(each.t);
            if (x - last < 0.5) continue;
            last = x;
            context.globalAlpha = high ? 1 : 0.5;
            context.fillStyle = colour[lane.colour];
            context.fillRect(x - 0.75, high ? top : top + 8, 1.5, high ? bandHeight : bandHeight - 8);
          }
        }
        context.globalAlpha = 1;
      }
      context.restore();
    });
    const top = lanes.length * pitch + 14, bottom = top + Math.max(0, chartHeight - 18);
    if (truth) drawErrors(context, top, bottom, right);
    // The axis of time.
    const span = view[1] - view[0], target = span / (timeWidth / (isNarrow ? 66 : 84));
    const tick = nice.find(each => each >= target) ?? Math.ceil(target / 86400) * 86400;
    context.textAlign = "center";
    for (let each = Math.ceil(view[0] / tick) * tick; each <= view[1]; each += tick) {
      const x = toX(each);
      context.fillStyle = colour.line;
      context.fillRect(x, bottom, 1, 5);
      context.fillStyle = colour.muted;
      const text = tick >= 60 ? clock(each).slice(0, -3) + " h" : clock(each), half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(width - half, Math.max(half, x)), bottom + 14);
    }
    $("window").textContent = span < duration ? `${clock(view[0])} to ${clock(view[1])}` : "";
    timeBase.setAttribute("aria-label",
      `Timeline of ${clock(duration)}: ${looks.length} looks, ${wakes.length} wakes while the GPS was off, `
      + `${locations.t.length} locations used, ${rejections.length} fixes refused. What is at the cursor is in the list under “At the cursor”.`);
    drawTimeCursor();
  }
  const most = errors.reduce((most, value) => value > most ? value : most, bound ? bound * 1.2 : 100);
  const power = 10 ** Math.floor(Math.log10(most / 4)), errorStep = [1, 2, 2.5, 5, 10].find(each => each * power * 4 >= most) * power;
  const ceiling = Math.ceil(most / errorStep) * errorStep;
  function drawErrors(context, top, bottom, right) {
    const toY = value => bottom - value / ceiling * (bottom - top);
    context.save();
    context.beginPath();
    context.rect(left, top - 2, right - left, bottom - top + 3);
    context.clip();
    const shade = (list, fill) => {
      context.fillStyle = fill;
      for (const [from, to] of list) context.fillRect(toX(from), top, toX(to) - toX(from), bottom - top);
    };
    shade(dwelling, colour.dwelling);
    shade(unknown, colour.soft);
    context.fillStyle = colour.line;
    for (let value = 0; value <= ceiling; value += errorStep) context.fillRect(left, Math.round(toY(value)), right - left, 1);
    // The least and the most of each pixel.
    const draw = (values, stroke, fill) => {
      const from = Math.max(0, Math.floor(view[0] / step)), to = Math.min(count - 1, Math.ceil(view[1] / step));
      const columns = [];
      for (let index = from; index <= to; index++) {
        const value = values[index], x = Math.round(toX(index * step) * 2) / 2, last = columns[columns.length - 1];
        if (Number.isNaN(value)) {
          if (last) columns.push(null);
        } else if (last && last.x === x) {
          last.least = Math.min(last.least, value); last.most = Math.max(last.most, value); last.end = value;
        } else columns.push({ x, least: value, most: value, first: value, end: value });
      }
      context.beginPath();
      let pen = false;
      for (const each of columns) {
        if (!each) { pen = false; continue; }
        context[pen ? "lineTo" : "moveTo"](each.x, toY(each.first));
        if (each.most > each.least) {
          context.lineTo(each.x, toY(each.most));
          context.lineTo(each.x, toY(each.least));
          context.lineTo(each.x, toY(each.end));
        }
        pen = true;
      }
      context.strokeStyle = stroke;
      context.lineWidth = 1.4;
      context.lineJoin = "round";
      context.stroke();
      if (!fill) return;
      // What is over the bound.
      context.save();
      context.beginPath();
      context.rect(left, top, right - left, toY(bound) - top);
      context.clip();
      context.beginPath();
      columns.forEach((each, index) => {
        if (!each) return;
        if (!columns[index - 1]) context.moveTo(each.x, bottom);
        context.lineTo(each.x, toY(each.first));
        if (each.most > each.least) {
          context.lineTo(each.x, toY(each.most));
          context.lineTo(each.x, toY(each.end));
        }
        if (!columns[index + 1]) context.lineTo(each.x, bottom);
      });
      context.globalAlpha = 0.45;
      context.fillStyle = fill;
      context.fill();
      context.restore();
    };
    draw(estimateErrors, colour.estimate);
    draw(errors, colour.held, bound ? colour.bound : null);
    if (bound) {
      context.strokeStyle = colour.bound;
      context.lineWidth = 2;
      context.setLineDash([6, 5]);
      context.beginPath();
      context.moveTo(left, toY(bound));
      context.lineTo(right, toY(bound));
      context.stroke();
      context.setLineDash([]);
    }
    context.restore();
    context.fillStyle = colour.muted;
    context.textAlign = "right";
    for (let value = 0; value <= ceiling; value += errorStep) {
      const text = ceiling >= (isNarrow ? 1000 : 10000) ? `${+(value / 1000).toFixed(2)} km` : `${Math.round(value)} m`;
      context.fillText(text, left - 6, toY(value));
    }
    if (!isNarrow) {
      context.textAlign = "left";
      context.fillText("Error", 0, (top + bottom) / 2);
    }
  }
  function drawTimeCursor() {
    const [context, , height] = prepare(timeTop);
    if (time < view[0] || time > view[1]) return;
    const x = toX(time);
    context.fillStyle = colour.text;
    context.fillRect(x - 0.75, 0, 1.5, height - axisHeight + 4);
    context.beginPath();
    context.moveTo(x - 5, 0);
    context.lineTo(x + 5, 0);
    context.lineTo(x, 7);
    context.fill();
  }
  function zoomTime(factor) {
    const span = Math.min(duration, Math.max(30, (view[1] - view[0]) * factor));
    const middle = time >= view[0] && time <= view[1] ? time : (view[0] + view[1]) / 2;
    const from = Math.min(duration - span, Math.max(0, middle - span / 2));
    view = [Math.max(0, from), Math.max(0, from) + span];
    drawTimeline();
  }
  /// Moves the timeline on where the cursor has left it.
  function keepInView() {
    const span = view[1] - view[0];
    if (time >= view[0] && time <= view[1]) return;
    const from = Math.min(duration - span, Math.max(0, time - span / 2));
    view = [from, from + span];
    drawTimeline();
  }
  overlays.push(drawMapCursor, () => {
    if (playing && (time > view[1] || time < view[0])) {
      const span = view[1] - view[0], from = Math.min(duration - span, Math.max(0, time - span * 0.05));
      view = [from, from + span];
      drawTimeline();
    } else drawTimeCursor();
  });
  $("time-in").addEventListener("click", () => zoomTime(0.5));
  $("time-out").addEventListener("click", () => zoomTime(2));
  $("time-all").addEventListener("click", () => zoomTime(Infinity));
  function point(event) { seek(toTime(event.clientX - timeline.getBoundingClientRect().left)); }
  timeline.addEventListener("pointerdown", event => { timeline.setPointerCapture(event.pointerId); point(event); });
  timeline.addEventListener("pointermove", event => { if (timeline.hasPointerCapture(event.pointerId)) point(event); });

  // MARK: Legends, tables and figures

  const present = names.sources.filter(name => wakes.some(wake => wake.name === name && wake.began));
  legend("map-legend", [
    ["ring", "device", truth ? "the device" : "between two fixes"], ["line", "route", truth ? "its way" : "the fixes’ way"],
    ["ring", "held", "the last location and its accuracy"],
    ...(estimates.length ? [["ring", "estimate", "the estimate and its accuracy"]] : []),
    ...(bound ? [["dashed", "bound", `the bound, ${metres(bound)}`]] : []),
    ...present.map(name => ["shape", name, `a look began: ${sourceWords[name].toLowerCase()}`, name]),
  ]);
  legend("timeline-legend", [
    ...[...new Set(states.map(state => state.name))].map(name => ["box", name, `state: ${stateWords[name]}`]),
    ...(truth ? [["line", "held", "error of the last location"]] : []),
    ...(truth && estimates.length ? [["line", "estimate", "error of the estimate"]] : []),
    ...(bound && truth ? [["dashed", "bound", "the bound"]] : []),
    ...(dwelling.length && truth ? [["box", "dwelling", "dwelling: the errors there do not count as under way"]] : []),
  ]);
  const body = $("looks").tBodies[0];
  function fillLooks(most) {
    body.replaceChildren(...looks.slice(0, most).map(look => {
      const band = gps.find(each => each.to > look.t && each.from <= look.t + 0.05);
      const end = band?.to ?? look.t;
      const index = countUpTo(locations.t, end + 0.05) - 1, found = index >= 0 && locations.t[index] >= look.t - 0.05;
      const go = make("button", { type: "button", "aria-label": `Go to ${clock(look.t)}` }, clock(look.t));
      go.addEventListener("click", () => { seek(look.t); keepInView(); });
      const result = found ? `±${metres(locations.acc[index])}` : band && band.to >= duration ? "the end" : "no location";
      const cells = [go, causeWords[look.name], `${(end - look.t).toFixed(1)}\u00a0s`, result];
      return make("tr", {}, ...cells.map(cell => make("td", {}, cell)));
    }));
    $("more").hidden = looks.length <= most;
  }
  fillLooks(25);
  $("more").textContent = `Show all ${looks.length}`;
  $("more").addEventListener("click", () => fillLooks(Infinity));
  if (summary) summarise(summary);
  $("playback").hidden = false;
  redrawers.push(drawMap, drawTimeline);
  let width = 0;
  new ResizeObserver(() => {
    if (width === map.clientWidth) return;
    width = map.clientWidth;
    drawMap();
    drawTimeline();
  }).observe(map);
  showNow();
}

const milliwatts = value => value == null ? "–" : `${value.toFixed(0)} mW`;
const battery = value => value == null ? "–" : `${value.toFixed(2)} %`;

function summarise(summary) {
  const rows = [];
  const unit = (value, unit) => value == null ? "unknown" : `${value}${unit}`;
  function add(key, words, value, isSub) {
    rows.push(make("tr", { class: value === 0 && "zero" },
      make("th", { scope: "row", class: isSub && "sub" }, words), make("td", { "data-key": key }, value)));
  }
  const share = value => value == null ? "unknown" : `${(value * 100).toFixed(2).replace(/\.?0+$/, "")} %`;
  add("durationSeconds", "Time", `${clock(summary.durationSeconds)} (${summary.durationSeconds} s)`);
  add("gpsOnSeconds", "GPS on", `${summary.gpsOnSeconds} s`);
  add("dwellGPSOnShare", "of the time while dwelling", share(summary.dwellGPSOnShare), true);
  if (summary.milliwatts != null) {
    add("milliwatts", `Power beyond what an ${summary.energyProfile} takes anyway`, `${summary.milliwatts} mW`);
    add("percentPerHour", "of a new battery, an hour", battery(summary.percentPerHour), true);
    add("keptRunningShare", "kept running with the GPS off", share(summary.keptRunningShare), true);
  }
  add("oracleGPSOnSeconds", "least possible for the error under way", unit(summary.oracleGPSOnSeconds, " s"), true);
  add("boundMeters", "Error bound", summary.boundMeters == null ? "none" : `${summary.boundMeters} m`);
  add("medianErrorMeters", "Error over all the time, median", unit(summary.medianErrorMeters, " m"));
  add("p95ErrorMeters", "95 % under", unit(summary.p95ErrorMeters, " m"), true);
  add("p95ErrorUnderWayMeters", "Error under way, 95 % under", unit(summary.p95ErrorUnderWayMeters, " m"));
  add("estimateP95ErrorMeters", "of the estimate, 95 % under", unit(summary.estimateP95ErrorMeters, " m"), true);
  add("coverage", "With a last location", share(summary.coverage) + (summary.coverage == null ? "" : " of the time"));
  add("locations", "Locations", summary.locations);
  add("wakes", "Wakes by the system", summary.wakes);
  for (const [key, words] of Object.entries(outcomeWords)) {
    if (summary.wakeOutcomes) add(`wakeOutcomes.${key}`, words, summary.wakeOutcomes[key], true);
  }
  const looks = Object.entries(summary.looks);
  add("looks", "Looks", looks.reduce((sum, [, number]) => sum + number, 0));
  for (const [key, number] of looks) add(`looks.${key}`, causeWords[key] ?? key, number, true);
  add("acquisitions.met", "Acquisitions that met the accuracy", summary.acquisitions.met);
  add("acquisitions.timedOut", "timed out, with the best fix", summary.acquisitions.timedOut, true);
  add("acquisitions.failed", "failed", summary.acquisitions.failed, true);
  const rejections = Object.entries(summary.rejections);
  add("rejections", "Fixes refused", rejections.reduce((sum, [, number]) => sum + number, 0));
  for (const [key, number] of rejections) add(`rejections.${key}`, reasonWords[key] ?? key, number, true);
  if (summary.seed != null) add("seed", "Seed", summary.seed);
  $("summary").replaceChildren(...rows);
  $("summary-card").hidden = false;
  tile("GPS on", percent(summary.durationSeconds ? summary.gpsOnSeconds / summary.durationSeconds : 0),
    `${summary.gpsOnSeconds} s of ${clock(summary.durationSeconds)}`);
  if (summary.milliwatts != null) {
    tile("Power", `${summary.milliwatts} mW`, `of an ${summary.energyProfile}`
      + (summary.percentPerHour == null ? "" : `, ${battery(summary.percentPerHour)} of a new battery an hour`));
  }
  if (summary.p95ErrorUnderWayMeters != null) {
    tile("Error, 95 % under", metres(summary.p95ErrorUnderWayMeters),
      "of the last location, under way" + (summary.boundMeters == null ? "" : `; the bound is ${metres(summary.boundMeters)}`));
  } else if (data.kind === "replay") {
    tile("Error", "–", "nobody knows where the device was");
  }
  if (summary.estimateP95ErrorMeters != null) tile("Estimate, 95 % under", metres(summary.estimateP95ErrorMeters), "off, under way");
  if (summary.oracleGPSOnSeconds) {
    tile("Least possible", `${summary.oracleGPSOnSeconds} s`,
      `GPS on, the way known; this took ${(summary.gpsOnSeconds / summary.oracleGPSOnSeconds).toFixed(1)} times as long`);
  }
  tile("Looks", String(looks.reduce((sum, [, number]) => sum + number, 0)), `${summary.locations} locations came of them`);
}

// MARK: - The comparison

function compare(comparison, least) {
  const policies = comparison.policies.filter(row => row.p95ErrorUnderWayMeters != null && row.gpsOnShare > 0);
  const isMain = row => row.sources == null || row.sources === "all";
  const kindOf = row => row.boundMeters != null ? "held" : row.policy.startsWith("every") ? "timer" : "significantChange";
  const shapeOf = row => ({ held: "significantChange", timer: "cell", significantChange: "regionExit" })[kindOf(row)];
  const cheapest = Math.min(...policies.map(row => row.gpsOnShare));
  const line = (least ?? []).filter(each => each.gpsOnShare > cheapest / 3);
  const shares = [...policies, ...line].map(each => each.gpsOnShare);
  const sizes = [...policies.map(row => row.p95ErrorUnderWayMeters), ...line.map(each => each.errorMeters)];
  let chosen = policies.findIndex(row => row.sources === "all");
  const headings = [
    ["Policy", row => row.policy], ["GPS on", row => percent(row.gpsOnShare)],
    ["Kept running", row => percent(row.keptRunningShare)], ["Power", row => milliwatts(row.milliwatts)],
    ["Battery an hour", row => battery(row.percentPerHour)],
    ["Starts an hour", row => row.startsPerHour?.toFixed(1) ?? "–"], ["Wakes an hour", row => row.wakesPerHour?.toFixed(1) ?? "–"],
    ["Error, median", row => metres(row.medianErrorUnderWayMeters)], ["Error, 95 %", row => metres(row.p95ErrorUnderWayMeters)],
    ["Estimate, 95 %", row => metres(row.estimateP95ErrorMeters)], ["Known", row => percent(row.coverage)],
    ["GPS on, dwelling", row => percent(row.dwellGPSOnShare)], ["× least", row => row.timesOracle?.toFixed(1) ?? "–"],
  ];
  const titles = { none: "timers alone", cells: "timers, cells", motion: "timers, motion", all: "timers, cells, motion",
    estimate: "the same, bounding the estimate", keptAtRest: "kept running, at rest too", suspendedAtRest: "kept running; regions at rest", suspended: "regions alone" };

  function draw() {
    const width = Math.max(300, $("frontier").clientWidth), narrow = width < 640, height = narrow ? 380 : 460;
    const area = { left: narrow ? 50 : 62, right: width - 16, top: 14, bottom: height - 46 };
    const range = values => [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
    const [x0, x1] = range(shares), [y0, y1] = range(sizes);
    const toX = value => area.left + Math.log(value / x0) / Math.log(x1 / x0) * (area.right - area.left);
    const toY = value => area.bottom - Math.log(value / y0) / Math.log(y1 / y0) * (area.bottom - area.top);
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "radiogroup",
      "aria-label": "Policies, by their GPS-on share and their error" });
    const decades = Array.from({ length: 11 }, (_, index) => Number(`1e${index - 4}`));
    const ticks = (from, to) => decades.flatMap(each => [each, 2 * each, 5 * each]).filter(each => each >= from && each <= to);
    const label = (text, x, y, anchor) =>
      make("text", { "aria-hidden": "true", class: "quiet", x, y, "text-anchor": anchor }, text);
    for (const each of ticks(x0, Math.min(x1, 1))) {
      svg.append(make("line", { class: "grid", x1: toX(each), x2: toX(each), y1: area.top, y2: area.bottom }),
        label(`${+(each * 100).toFixed(2)} %`, toX(each), area.bottom + 18, "middle"));
    }
    for (const each of ticks(y0, y1)) {
      svg.append(make("line", { class: "grid", x1: area.left, x2: area.right, y1: toY(each), y2: toY(each) }),
        label(each >= 1000 ? `${each / 1000} km` : `${each} m`, area.left - 7, toY(each) + 4, "end"));
    }
    svg.append(
      label("GPS on, share of the time", (area.left + area.right) / 2, height - 8, "middle"),
      label("error under way, 95 %", area.left + 6, area.top + 12, "start"));
    if (line.length > 1) {
      const points = line.map(each => `${toX(each.gpsOnShare).toFixed(1)} ${toY(each.errorMeters).toFixed(1)}`);
      const region = [`${area.left} ${area.bottom}`, `${area.left} ${toY(line[line.length - 1].errorMeters)}`, ...[...points].reverse(),
        `${toX(line[0].gpsOnShare)} ${area.bottom}`];
      svg.append(make("path", { class: "region", d: `M${region.join("L")}z` }), make("path", { class: "least", d: "M" + points.join("L") }));
    }
    // Labels of the main points, each where there is room.
    const marks = policies.map(row => [toX(row.gpsOnShare) - 8, toY(row.p95ErrorUnderWayMeters) - 8, 16, 16]);
    const taken = [...marks];
    for (let index = 1; index < line.length; index++) {
      for (let share = 0; share < 1; share += 0.1) {
        const between = key => line[index - 1][key] ** (1 - share) * line[index][key] ** share;
        taken.push([toX(between("gpsOnShare")) - 2, toY(between("errorMeters")) - 2, 4, 4]);
      }
    }
    const groups = policies.map((row, index) => {
      const x = toX(row.gpsOnShare), y = toY(row.p95ErrorUnderWayMeters), main = isMain(row);
      const group = make("g", { role: "radio", tabindex: index === chosen ? 0 : -1, "aria-checked": String(index === chosen),
        "aria-label": `${row.policy}: GPS on ${percent(row.gpsOnShare)}, error ${metres(row.p95ErrorUnderWayMeters)}` });
      const mark = make("path", { d: shapePath(shapeOf(row), x, y, main ? 6.5 : 5) });
      mark.style.fill = main ? `var(--${kindOf(row)})` : "var(--card)";
      mark.style.stroke = `var(--${kindOf(row)})`;
      mark.style.strokeWidth = main ? 0 : 1.6;
      // A finger is wider than the mark.
      group.append(
        make("circle", { cx: x, cy: y, r: 15, fill: "transparent" }), make("circle", { class: "ring", cx: x, cy: y, r: 11 }), mark);
      if (main) {
        const text = narrow ? row.policy.replace("within ", "") : row.policy, length = text.length * 7;
        const spots = [[15, 4, "start"], [-15, 4, "end"], [0, -13, "middle"], [0, 24, "middle"], [12, -12, "start"], [12, 20, "start"],
          [-12, -12, "end"], [-12, 20, "end"]];
        const spot = spots.find(([dx, dy, anchor]) => {
          const from = x + dx - (anchor === "end" ? length : anchor === "middle" ? length / 2 : 0);
          const rect = [from, y + dy - 12, length, 15];
          const clear = from > area.left && from + length < width && taken.every(([a, b, c, d], other) => other === index
            || rect[0] > a + c || rect[0] + rect[2] < a || rect[1] > b + d || rect[1] + rect[3] < b);
          if (clear) taken.push(rect);
          return clear;
        });
        if (spot) group.append(make("text", { "aria-hidden": "true", x: x + spot[0], y: y + spot[1], "text-anchor": spot[2] }, text));
      }
      group.addEventListener("click", () => choose(index, true));
      return group;
    });
    svg.append(...policies.map((row, index) => [isMain(row), groups[index]]).sort((a, b) => a[0] - b[0]).map(each => each[1]));
    $("frontier").replaceChildren(svg);
    svg.addEventListener("keydown", event => {
      const turn = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const ends = { Home: 0, End: policies.length - 1 };
      const wanted = turn ? (chosen + turn + policies.length) % policies.length : ends[event.key];
      if (wanted == null) return;
      event.preventDefault();
      choose(wanted, true);
    });
  }
  function choose(index, isFocused) {
    chosen = index;
    draw();
    if (isFocused) $("frontier").querySelector('[aria-checked="true"]').focus();
    const row = policies[index];
    $("chosen").replaceChildren(make("strong", {}, row.policy),
      `: the GPS on ${percent(row.gpsOnShare)} of the time, ${milliwatts(row.milliwatts)}, `
        + `${battery(row.percentPerHour)} of a new battery an hour, `,
      row.timesOracle == null ? "" : `${row.timesOracle.toFixed(1)} times the least possible for its error, `,
      `${row.startsPerHour?.toFixed(1) ?? "–"} starts and ${row.wakesPerHour?.toFixed(1) ?? "–"} wakes an hour. `,
      `The error under way is ${metres(row.medianErrorUnderWayMeters)} in the median and under `,
      `${metres(row.p95ErrorUnderWayMeters)} for 95 % of the time`,
      row.estimateP95ErrorMeters == null ? "." : `, of the estimate under ${metres(row.estimateP95ErrorMeters)}.`);
    for (const each of document.querySelectorAll("[data-policy]")) each.classList.toggle("chosen", each.dataset.policy === row.policy);
  }
  const header = texts => make("thead", {}, make("tr", {}, ...texts.map(text => make("th", { scope: "col" }, text))));
  $("policies").append(
    make("caption", {}, "Errors are under way: more than 100 m from where the device was, or will be, within five minutes."),
    header(headings.map(each => each[0])),
    make("tbody", {}, ...comparison.policies.filter(isMain).map(row => make("tr", { "data-policy": row.policy },
      make("th", { scope: "row" }, row.policy), ...headings.slice(1).map(([, show]) => make("td", {}, show(row)))))));
  const bounds = [...new Set(comparison.policies.filter(row => row.sources != null).map(row => row.boundMeters))];
  $("sources").append(make("caption", {}, "The GPS on, the power, and what 95 % of the errors are under."),
    header(["", ...bounds.map(bound => `within ${metres(bound)}`)]),
    make("tbody", {}, ...Object.entries(titles).map(([sources, title]) => make("tr", {}, make("th", { scope: "row" }, title),
      ...bounds.map(bound => {
        const row = comparison.policies.find(each => each.sources === sources && each.boundMeters === bound);
        return make("td", { "data-policy": row?.policy },
          row ? `${percent(row.gpsOnShare)}, ${milliwatts(row.milliwatts)}, ${metres(sources === "estimate" ? row.estimateP95ErrorMeters : row.p95ErrorUnderWayMeters)}` : "–");
      })))));
  $("sources").querySelector("th").append(make("span", { class: "hidden" }, "What can wake the app"));
  const assumed = comparison.assumptions, all = comparison.seeds;
  const seeds = all.length > 4 ? `${all[0]} to ${all[all.length - 1]}` : all.join(", ");
  $("assumptions").append(
    make("p", {}, `Power is what all that the app has on takes of an ${assumed.energyProfile}, beyond what that takes anyway.`),
    make("p", {}, `A phone whose receiver has a fix of satellites ${assumed.hotStartSeconds} s after a hot start and `
      + `${assumed.warmStartSeconds} s after a warm one, medians, and Wi-Fi and cells one after 0.7 s.`),
    make("p", {}, `Loco’s rules and looks now and then stop at ${metres(assumed.desiredAccuracyMetersWithoutBound)}, a bound’s at a `
      + `third of it. The least possible is reckoned with ${assumed.acquisitionSecondsOfOracle} s a look.`),
    make("p", {}, `Driven: ${comparison.tracks.join(", ")}, ${clock(comparison.durationSeconds)} in all, with the seeds ${seeds}.`));
  legend("frontier-legend", [
    ["shape", "held", "an error bound", "significantChange"], ["shape", "timer", "a look now and then", "cell"],
    ["shape", "significantChange", "Loco’s rule", "regionExit"], ["line", "bound", "the least possible"],
  ]);
  $("frontier-legend").append(make("li", {}, "hollow: fewer things can wake the app"));
  $("comparison").hidden = false;
  if (policies.length) {
    choose(Math.max(0, chosen), false);
    let known = 0;
    new ResizeObserver(([entry]) => {
      const width = Math.round(entry.contentRect.width);
      if (width !== known) { known = width; draw(); }
    }).observe($("frontier"));
  }
  const best = policies.filter(row => row.timesOracle != null && row.boundMeters != null && isMain(row));
  for (const row of best) {
    tile(row.policy[0].toUpperCase() + row.policy.slice(1), percent(row.gpsOnShare),
      `GPS on, for an error under ${metres(row.p95ErrorUnderWayMeters)}, 95 %; ${row.timesOracle.toFixed(1)} × the least possible`);
  }
}

$("privacy").hidden = !data.recording;
const kinds = { drive: "Drive", replay: "Replay", compare: "Comparison" };
$("title").textContent = `${kinds[data.kind]}: ${data.title}`;
document.title = `${data.title} – LocoKit`;
const facts = data.comparison ? [clock(data.comparison.durationSeconds), ...data.facts] : data.facts;
$("facts").textContent = facts.join(" · ");
if (data.kind === "replay") {
  document.querySelector("header").append(make("p", { class: "note small" },
    "A journal says what a device heard, and not where it was: the way on the map is that of its fixes, and there are no errors. "
    + "Unless it was told to keep places, it has moved them elsewhere on Earth as a whole."));
}
if (data.recording) playback(data.recording, data.summary);
if (data.comparison) compare(data.comparison, data.least);
$("made").textContent = `Made by LocoKitDemo ${data.version}.`
  + (data.kind === "replay" ? "" : " The device is simulated: its receiver, its cells and its sensors are models.");
