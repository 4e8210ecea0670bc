// The page that simulates a phone on a way: the settings, the simulation in slices, and the results.

const packed = "/*WASM*/";
let wasm;

// MARK: - The module

/** Reads an answer of the module: the address of a length and JSON. */
function read(address) {
  const start = address >>> 0, length = new DataView(wasm.memory.buffer).getUint32(start, true);
  const text = new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, start + 4, length));
  wasm.release(address);
  return JSON.parse(text);
}

/** Calls a function of the module with a typed array in its memory. */
function pass(name, values, ...rest) {
  const address = wasm.allocate(Math.max(8, values.byteLength));
  new Uint8Array(wasm.memory.buffer, address >>> 0, values.byteLength).set(new Uint8Array(values.buffer));
  const answer = read(wasm[name](address, ...rest));
  wasm.release(address);
  return answer;
}

// MARK: - Ways

/** The speeds in metres per second: of people, and of traffic with its stops. */
const modes = { walk: 1.4, bicycle: 4.5, car: 13, train: 30 };
const modeWords = { walk: "on foot", bicycle: "by bicycle", car: "by car", train: "by train" };
const optionsOf = list => Object.entries(list).map(([name, words]) => new Option(words.words ?? words, name));
const mostPlaces = 1000, minutesOfWeek = 10080;

/** Each place: the latitude, the longitude, the minutes of a stay indoors, how the way goes on, and its speed if it isn't the usual one. */
const placesOf = list => list.map(([lat, lon, stay, mode, speed]) => ({ lat, lon, stay, mode, speed }));
const speedOf = ({ mode, speed }) => speed ?? modes[mode];
const readyWays = {
  commute: {
    words: "A commute: home, bicycle, train, office, and back", places: placesOf([
      [48.1190, 11.5390, 420, "bicycle"], [48.1262, 11.5478, 6, "train"], [48.1402, 11.5600, 0, "train"], [48.1800, 11.6100, 2, "walk"],
      [48.1835, 11.6120, 240, "walk"], [48.1852, 11.6085, 40, "walk"], [48.1835, 11.6120, 260, "walk"], [48.1800, 11.6100, 5, "train"],
      [48.1402, 11.5600, 0, "train"], [48.1262, 11.5478, 2, "bicycle"], [48.1235, 11.5560, 25, "bicycle"], [48.1190, 11.5390, 360, "walk"],
    ]),
  },
  freeway: { words: "A drive of half an hour on the freeway into Los Angeles", builtIn: 0, code: ".losAngeles" },
  weekend: {
    words: "A weekend: a trip by car to the mountains, and a walk", places: placesOf([
      [47.5000, 11.1000, 540, "car"], [47.4600, 11.2000, 0, "car"], [47.4420, 11.2610, 5, "walk"], [47.4480, 11.2800, 0, "walk"],
      [47.4560, 11.2920, 45, "walk"], [47.4480, 11.2800, 0, "walk"], [47.4420, 11.2610, 60, "car"], [47.4600, 11.2000, 0, "car"],
      [47.5000, 11.1000, 720, "bicycle"], [47.5100, 11.0900, 90, "bicycle"], [47.5000, 11.1000, 780, "walk"],
    ]),
  },
  own: { words: "A route of my own", places: [] },
};

/** The way: places that can be edited, a built-in way, or the bytes of a GPX file. */
let way = structuredClone(readyWays.commute), chosen = null, past = [], undone = [];

/** Keeps the places of one's own route in the page's address, which isn't sent to a server: a reload or a copied link shows them again. */
function keepPlaces(isOwn = true) {
  if (!isOwn) return history.replaceState(null, "", "#");
  readyWays.own.places = structuredClone(way.places);
  const number = value => String(Number(value.toFixed(5)));
  const parts = way.places.map(({ lat, lon, stay, mode, speed }) =>
    [number(lat), number(lon), stay, mode, ...(speed ? [number(speed)] : [])].join(","));
  history.replaceState(null, "", "#" + parts.join(";"));
}

/** Returns the places in the page's address; an empty list if there are none, or if one is wrong. */
function keptPlaces() {
  const parts = location.hash.slice(1).split(";");
  if (parts.length > mostPlaces) return [];
  const places = placesOf(parts.map(part => part.split(",").map((value, index) => index === 3 ? value : Number(value))));
  const isGood = ({ lat, lon, stay, mode, speed }) => Math.abs(lat) <= 85 && Math.abs(lon) <= 180 && stay >= 0 && stay <= minutesOfWeek
    && Object.hasOwn(modes, mode) && (speed === undefined || speed >= 0.1 && speed <= 400);
  return places.every(isGood) ? places : [];
}

/** The speed of the chosen kind on a file's route without times; 0 for the reader's own. */
const fileSpeed = () => modes[$("kind").value] ?? 0;

/** Sets the way of the module. Returns its duration in seconds and notes, or an error. */
function setWay() {
  if (way.bytes) return pass("setFile", way.bytes, way.bytes.length, fileSpeed());
  if (way.builtIn != null) return read(wasm.setBuiltIn(way.builtIn));
  if (!way.places.length) return { hint: "Press the map to add the first place." };
  if (way.places.length === 1 && !way.places[0].stay) return { hint: "Press the map to add the next place, or set a stay." };
  const numbers = Float64Array.from(way.places.flatMap(({ lat, lon, stay, mode, speed }) => [lat, lon, speedOf({ mode, speed }), stay * 60, stay ? 1 : 0]));
  return pass("setPlaces", numbers, way.places.length);
}

// MARK: - The settings

const bounds = [100, 150, 200, 250, 300, 400, 500, 700, 1000, 1500, 2000, 2500, 3500, 5000, null];
let phones = [];
const phoneOf = name => phones.find(phone => phone.name === name);
const settings = () => ({
  bound: bounds[$("bound").value], phone: $("phone").value, seed: clamp(Math.round(Number($("seed").value)) || 1, 1, 1000000),
});
const boundWords = bound => bound == null ? "no bound" : metres(bound);

function showSettings() {
  const { bound } = settings();
  $("bound-text").value = boundWords(bound);
  $("bound").setAttribute("aria-valuetext", boundWords(bound));
  $("bound-note").textContent = bound == null ? "The app looks only after significant changes, 500 m and five minutes apart."
    : "The largest error that the last location should have. It is a goal, not a guarantee.";
}

// MARK: - Simulation in slices, so that the page never freezes

/** Whether a pointer is down on the map or the list of places. */
let isDown = false;
addEventListener("pointerdown", event => { isDown = !event.button && !event.target.closest("select") && !!event.target.closest("#map, #places"); }, true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { isDown = false; }, true);
addEventListener("pointermove", event => { isDown &&= event.buttons > 0; }, true);
/** Waits until the pointer is up, and its click has been handled. */
const released = async () => { while (isDown) await new Promise(resolve => { setTimeout(resolve, 50); }); };
const pause = () => new Promise(resolve => {
  const channel = new MessageChannel();
  channel.port1.onmessage = resolve;
  channel.port2.postMessage(null);
});
let newest = 0;
/** The seconds of a drive that take about 14 ms. */
let slice = 2000;

/** Simulates a drive. Returns its answers, or null if a newer run has begun. */
async function simulate(run, { bound, phone, seed }, parts, progress = () => {}) {
  wasm.beginDrive(phones.indexOf(phoneOf(phone)), bound ?? 0, seed, 0);
  while (true) {
    const began = performance.now(), share = wasm.drive(slice), passed = performance.now() - began;
    progress(share);
    await pause();
    if (run !== newest) return null;
    if (share >= 1) break;
    slice = clamp(Math.round(slice * 14 / Math.max(1, passed)), 100, 100000);
  }
  return Object.fromEntries(parts.map(part => [part, read(wasm[part]())]));
}

let shown = null, ready = null, hasFailed = false;
/** The costs of the way by phone, bound and number. */
let costs = new Map();

/** Simulates the way with the settings, shows the result, and then the costs of other bounds. A way that is set already has an answer. */
async function update({ isNewWay = false, isEdit = false, answer = null } = {}) {
  const run = ++newest;
  $("progress").hidden = true;
  showSettings();
  if (hasFailed) await start();
  const began = performance.now();
  try {
    if (isNewWay) {
      costs = new Map();
      ready = answer ?? setWay();
    }
    $("problem").hidden = !ready.error;
    $("problem").textContent = ready.error ?? "";
    showWay();
    // An error leaves the last result, if there is one.
    if (ready.error) {
      $("answer").replaceChildren();
      if (shown) return;
      document.body.classList.add("empty");
      return showEmpty(true);
    }
    document.body.classList.toggle("empty", !!ready.hint);
    if (ready.hint) return showEmpty(isEdit);
    const now = settings();
    const result = await simulate(run, now, ["figures", "recording", "energy"], share => {
      $("progress").hidden = performance.now() - began < 200;
      $("progress").value = share;
    });
    if (!result) return;
    $("progress").hidden = true;
    // New views would end a drag on the map.
    await released();
    if (run !== newest) return;
    keep(now, result);
    // The ready routes begin at midnight, so that a time is a time of day.
    result.recording.startedAt = 0;
    if (shown) shown.isFixed = isEdit || shown.isFixed && !isNewWay;
    const kept = isNewWay && !isEdit ? null : shown;
    shown = showPlayback(result.recording, { kept, editor, onTime: showState });
    shown.isFixed = kept?.isFixed ?? false;
    const [rest] = shown.record.dwelling;
    // The cursor starts at the first movement.
    if (!kept && rest && !rest[0]) shown.cursor.go(rest[1]);
    showSummary(result.figures);
    showCode(now, result.figures);
    showState(shown.cursor.time);
    showCosts(now);
    document.body.dataset.milliseconds = Math.round(performance.now() - began);
    for (let number = 0; number < runs; number += 1) {
      for (const bound of new Set([250, 500, 1000, 2500, 100, null, now.bound])) {
        const other = { ...now, bound, seed: now.seed + number };
        if (costs.has(key(other))) continue;
        const more = await simulate(run, other, ["figures", "energy"]);
        if (!more) return;
        keep(other, more);
      }
      showCosts(now);
    }
    document.body.dataset.isDone = run;
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    // The module has stopped at a mistake of its own. A new one begins with the next change.
    hasFailed = true;
    $("problem").hidden = false;
    $("problem").textContent = `The simulation stopped: ${error.message}. Change the route to go on, and please report it.`;
  }
}

/** The runs of each bound, with other seeds, whose median the table shows. */
const runs = 5;
const key = ({ bound, phone, seed }) => `${phone} ${bound} ${seed}`;
function keep(now, { figures, energy }) { costs.set(key(now), { figures, energy }); }

// MARK: - Results

/** Shows beside the slider what the bound costs on the route and how well it is kept, with the medians of the runs so far. */
function showAnswer(now, { use, error, share }, { gps, isPercent }, total, runs) {
  // Percent of a battery in a day of such hours, or milliwatts.
  const words = value => {
    const amount = isPercent ? 24 * value : value;
    return (amount < 9.95 ? amount.toFixed(1) : amount.toFixed(0)) + (isPercent ? " %" : " mW");
  };
  const kept = error == null ? "" : (now.bound == null ? "Under way" : error > now.bound ? "The bound is missed: under way"
    : `Within it for ${Math.floor(100 * share)} % of the time under way:`) + ` 95 % of the errors under ${metres(error)}. `;
  $("answer").replaceChildren(make("strong", {}, words(total(use[0]))),
    `${isPercent ? " of an iPhone 6’s battery in 24 hours like this route" : " on this route"}, with ${boundWords(now.bound)}. ${kept}GPS always on: ${
      words(total(gps[0]))}.${runs > 1 ? `\x20Medians of ${runs} seeds.` : ""}`);
}

/** Draws the error against the energy of each bound, both on logarithmic scales, beside the energy of the GPS always on. */
function showCurve(points, own, gps, unit) {
  const scale = (values, from, to) => {
    const [least, most] = [Math.min(...values), Math.max(...values)].map(Math.log);
    return value => (from + (to - from) * (Math.log(value) - least) / (most - least || 1)).toFixed(1);
  };
  const x = scale([...points.map(({ use }) => use), gps], 30, 325), y = scale(points.map(({ error }) => error), 104, 20);
  const text = (left, top, words, anchor = "start") => make("text", { x: left, y: top, "text-anchor": anchor }, words);
  $("curve").replaceChildren(make("svg", {
    viewBox: "0 0 340 144", role: "img",
    "aria-label": points.map(({ bound, use, error }) => `${boundWords(bound)}: ${use.toPrecision(2)} ${unit}, 95 % of the errors under ${metres(error)}`).join("; "),
  }, make("path", { d: `${points.length ? "M" : ""}${points.map(({ use, error }) => `${x(use)} ${y(error)}`).join("L")}M${x(gps)} 12V126` }),
  ...points.flatMap(({ bound, use, error }, index) => {
    const chosenClass = bound === own && "own", isLeft = index % 2 || x(use) > 290;
    const point = make("circle", { cx: x(use), cy: y(error), r: chosenClass ? 6 : 4, class: chosenClass });
    point.addEventListener("click", () => {
      $("bound").value = bounds.indexOf(bound);
      update();
    });
    return [point,
      make("text", { x: +x(use) + (isLeft ? -7 : 7), y: +y(error) + (isLeft ? 14 : -6),
        "text-anchor": isLeft ? "end" : "start", class: chosenClass }, bound ?? "no bound")];
  }), text(0, 140, "→ battery, ↑ error in m"), text(340, 140, "GPS always on", "end")));
}

function showCosts(now) {
  const rows = [];
  const own = costs.get(key(now)), hasRange = own.energy.drive.length === 3;
  const total = ({ gps, keeper, wakes }) => gps + keeper + wakes;
  const median = (list, valueOf = each => each) => list.sort((a, b) => valueOf(a) - valueOf(b))[Math.floor(list.length / 2)];
  /** The median of the runs so far: the energy of each profile by its parts, and the error. */
  function costOf(bound) {
    const found = Array.from({ length: runs }, (_, number) => costs.get(key({ ...now, bound, seed: now.seed + number }))).filter(Boolean);
    if (!found.length) return null;
    const use = found[0].energy.drive.map((_, profile) => median(found.map(({ energy }) => energy.drive[profile]), total));
    const errors = found.map(({ figures }) => figures.p95ErrorUnderWayMeters).filter(error => error != null);
    const shares = found.map(({ figures }) => figures.withinBoundShare).filter(share => share != null);
    return { use, error: errors.length ? median(errors) : null, share: shares.length ? median(shares) : null, runs: found.length };
  }
  const figure = value => value === 0 ? "0" : value < 0.995 ? value.toFixed(3) : value < 9.95 ? value.toFixed(2) : value.toFixed(0);
  function row(name, use, error, isChosen, bound = null) {
    const cells = [figure(total(use[0])), error == null ? "–" : metres(error) + (bound != null && error > bound ? ", missed" : "")];
    if (hasRange) cells.push([...new Set([figure(total(use[1])), figure(total(use[2]))])].join("–"));
    cells.push(figure(use[0].gps), figure(use[0].keeper), figure(use[0].wakes));
    rows.push(make("tr", { class: isChosen && "chosen" }, make("th", { scope: "row" }, name, ...(isChosen ? [" ← yours"] : [])),
      ...cells.map(cell => make("td", {}, cell))));
  }
  const listed = [...new Set([100, 250, 500, 1000, 2500, now.bound])].filter(bound => bound != null).sort((a, b) => a - b);
  const points = [];
  for (const bound of [...listed, null]) {
    const cost = costOf(bound), name = bound == null ? "no bound: significant changes only" : `bound ${metres(bound)}`;
    if (cost?.error) points.push({ bound, use: total(cost.use[0]), error: cost.error });
    if (cost) row(name, cost.use, cost.error, bound === now.bound, bound ?? Infinity);
    else rows.push(make("tr", { class: "muted" }, make("th", { scope: "row" }, name), make("td", { colspan: hasRange ? 6 : 5 }, "…")));
  }
  if (now.phone !== "gpsd") row("100 m updates, always on", own.energy.keeper, null, false);
  row("GPS, always on", own.energy.gps, null, false);
  // The answer is read aloud, so it changes only with the first and the last run.
  const cost = costOf(now.bound), most = cost?.runs ?? 0;
  if (most < 2 || most === runs) showAnswer(now, cost, own.energy, total, most);
  showCurve(points, now.bound, total(own.energy.gps[0]), own.energy.isPercent ? "% per hour" : "mW");
  const heads = [own.energy.isPercent ? "iPhone 6, % per hour" : "power, mW", "error under way, 95 % under",
    ...(hasRange ? ["iPhone 13 Pro Max, % per hour"] : []), "of the first: GPS", "app kept running", "wake-ups"];
  $("costs").replaceChildren(
    make("thead", {}, make("tr", {}, make("td"), ...heads.map(head => make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows));
  const runsText = most > 1 ? `Medians of ${most} runs, with the seeds ${now.seed} to ${now.seed + most - 1}. ` : "";
  $("costs-note").textContent = runsText + (own.energy.isPercent
    ? "Percent of a new battery per hour, beyond what the phone uses without the app, " : "Power of a u-blox M8 receiver behind gpsd, ")
    + `on average over the whole route of ${duration(ready.seconds)}, with its stays. ` + ({
      foreground: "An app in the foreground costs more than its looks. ",
      gpsd: "In a house, the receiver searches in vain, so long stays cost most. ",
      keptAtRest: "An app that always runs costs more at rest than its looks. ",
    }[now.phone] ?? "") + "The last rows are computed, not simulated.";
}

const kilometres = metres => `${(metres / 1000).toFixed(metres < 9950 ? 1 : 0)} km`;
const duration = seconds => seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;

function showWay() {
  const legs = (way.places ?? []).slice(1).map((place, index) => distance(way.places[index], place));
  const length = ready.metres ? [kilometres(ready.metres)] : [];
  const notes = ready.seconds ? [[...length, duration(ready.seconds)].join(", "), ...(ready.notes ?? [])] : [];
  $("way-note").textContent = notes.join(". ");
  $("kind-label").hidden = !way.bytes || ready.isTimed;
  $("editor").hidden = $("drawing").hidden = !way.places;
  $("hint").textContent = ready.hint ?? (way.places ? "Press the map to add a place, or a place to go there again. Drag a place to move it. A number in the list chooses "
    + "the place that the next one follows." : "");
  if (!way.places) return;
  const pressed = document.activeElement;
  $("undo").disabled = !past.length;
  $("redo").disabled = !undone.length;
  $("clear").disabled = !way.places.length;
  $("back").disabled = way.places.length < 2;
  // A disabled button would lose the focus to the page.
  if (pressed.disabled) $("mode").focus();
  $("begins").value = clock((way.places[0]?.stay ?? 0) % 1440 * 60).padStart(8, "0").slice(0, 5);
  const list = $("places"), focused = document.activeElement?.dataset?.control;
  let seconds = 0;
  list.replaceChildren(...way.places.map((place, index) => {
    const isLast = index === way.places.length - 1, name = make("button", {
      type: "button", "aria-label": `Place ${index + 1}`, "aria-pressed": index === chosen, "data-control": `place ${index}`,
    }, String(index + 1));
    name.addEventListener("click", () => editor.press(index));
    name.addEventListener("keydown", event => moveByKey(event, place));
    seconds += place.stay * 60;
    const leaves = seconds, travel = isLast ? 0 : legs[index] / speedOf(place);
    seconds += travel;
    const stay = make("input", {
      type: "number", min: 0, max: minutesOfWeek, step: 1, value: place.stay, "aria-label": `Minutes at place ${index + 1}`,
      "data-control": `stay ${index}`,
    });
    stay.addEventListener("change", () => editLater(() => { place.stay = clamp(Math.round(Number(stay.value)) || 0, 0, minutesOfWeek); }));
    const mode = make("select", { "aria-label": `From place ${index + 1} on`, "data-control": `mode ${index}` },
      ...Object.entries(modeWords).map(([name, words]) => make("option", { value: name, selected: name === place.mode }, words)));
    mode.addEventListener("change", () => edit(() => { Object.assign(place, { mode: mode.value, speed: undefined }); }));
    const minutes = make("input", {
      type: "number", min: 1, max: minutesOfWeek, value: Math.max(1, Math.round(travel / 60)), "aria-label": `Minutes from place ${index + 1} on`,
      "data-control": `minutes ${index}`,
    });
    minutes.addEventListener("change", () => editLater(() => {
      place.speed = clamp(legs[index] / 60 / clamp(Number(minutes.value) || 1, 1, minutesOfWeek), 0.1, 400);
    }));
    const remove = make("button", { type: "button", "aria-label": `Remove place ${index + 1}`, "data-control": `remove ${index}` }, "✕");
    remove.addEventListener("click", () => edit(() => { way.places.splice(index, 1); chosen = null; }));
    return make("li", { class: index === chosen && "chosen" }, name, stay,
      ...(isLast ? [] : [make("span", { class: "muted" }, clock(leaves % 86400).slice(0, -3)), mode, minutes]), remove);
  }));
  if (focused) (list.querySelector(`[data-control="${focused}"]`) ?? list.querySelector("li:last-child > :last-child") ?? $("add")).focus();
  if (chosen != null) list.children[chosen]?.scrollIntoView({ block: "nearest" });
}

/** A map without a drive, to draw on. */
function showEmpty(isEdit) {
  const none = { t: [], v: [] }, path = { t: [], lat: [], lon: [], acc: [] };
  if (shown) shown.isFixed = isEdit;
  const kept = isEdit ? shown : null;
  shown = showPlayback({
    seconds: 0, startedAt: 0, boundMeters: null, truth: null,
    unknown: [], dwelling: [], fixes: null, locations: path, estimates: [], states: none, looks: none, wakes: none, rejections: none, failures: [],
  }, { kept, editor });
  shown.isFixed = true;
}

// MARK: - Drawing a way

function edit(change) {
  remember();
  change();
  didEdit();
}
/** Edits after the focus has moved: the list is made again, and a click on it must find its button. */
function editLater(change) {
  const edited = way;
  remember();
  change();
  setTimeout(async () => {
    await released();
    if (way === edited) didEdit();
  });
}
/** Forgets the choice and the earlier places of a way that is replaced. */
function forget() { [chosen, past, undone] = [null, [], []]; }
function remember() {
  past = [...past.slice(-99), structuredClone(way.places)];
  undone = [];
}
function didEdit() {
  $("way").value = "own";
  keepPlaces();
  update({ isNewWay: true, isEdit: true });
}
/** Takes the places from one list of earlier places, and adds the present ones to the other. */
function step(from, to) {
  if (!from.length) return;
  to.push(way.places);
  way.places = from.pop();
  chosen = null;
  didEdit();
}
/** The coordinate that is some metres north and east of a place. */
function beside({ lat, lon }, north, east) {
  const degrees = 1 / 111195;
  const moved = lon + east * degrees / Math.cos(lat * radians);
  return { lat: clamp(lat + north * degrees, -85, 85), lon: moved - 360 * Math.round(moved / 360) };
}
/** Moves a place by 100 m, or with Shift by 1 km. */
function moveByKey(event, place) {
  const [north, east] = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [];
  if (north == null) return;
  event.preventDefault();
  event.stopPropagation();
  const metres = event.shiftKey ? 1000 : 100;
  edit(() => { Object.assign(place, beside(place, north * metres, east * metres)); });
}

const editor = {
  draw(context, at) {
    if (!way.places) return;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const points = way.places.map(at);
    if (this.isMoving) {
      line(context, points);
      stroke(context, colour.accent, 1.5, [4, 4]);
    }
    points.forEach(([x, y], index) => {
      circle(context, x, y, index === chosen ? 10 : 8);
      fill(context, index === chosen ? colour.accent : colour.card, 0.92);
      stroke(context, colour.accent, 1.5);
      context.fillStyle = index === chosen ? colour["on-accent"] : colour.text;
      context.fillText(String(index + 1), x, y + 0.5);
    });
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
  },
  /** The index of the place at a point; null if there is none. */
  placeAt([x, y], at) {
    if (!way.places) return null;
    const index = way.places.findLastIndex(place => { const [px, py] = at(place); return Math.hypot(px - x, py - y) <= 10; });
    return index < 0 ? null : index;
  },
  move(index, place) {
    if (!this.isMoving) remember();
    this.isMoving = true;
    Object.assign(way.places[index], place);
  },
  moved() {
    this.isMoving = false;
    didEdit();
  },
  press(index, at) {
    if (!way.places) return;
    const { places } = way, last = places.at(-1);
    // A press on a place leads there again. The numbers in the list choose a place.
    if (at && index != null && chosen == null && distance(places[index], last) > 1) return addPlace(places[index]);
    if (index != null) {
      chosen = chosen === index ? null : index;
      showWay();
      shown?.map.drawCursor();
      return;
    }
    addPlace(at);
  },
};

function addPlace({ lat, lon }) {
  if (way.places.length >= mostPlaces) return;
  edit(() => {
    // With a chosen place, the new one follows it.
    const index = chosen == null ? way.places.length : chosen + 1, last = way.places[index - 1], place = { lat: clamp(lat, -85, 85), lon, stay: 0 };
    const length = last ? distance(last, place) : 0;
    place.mode = $("mode").value || (length < 1500 ? "walk" : length < 6000 ? "bicycle" : "car");
    way.places.splice(index, 0, place);
    if (last) Object.assign(last, { mode: place.mode, speed: undefined });
    chosen = chosen == null ? null : index;
  });
}

/** Adds the way back, after eight hours at the last place if it has no stay. */
function addWayBack() {
  const { places } = way, last = places.length - 1;
  if (last < 1 || 2 * last >= mostPlaces) return;
  edit(() => {
    places[last].stay ||= 480;
    // The leg to a place becomes the one from it.
    const leg = ({ mode, speed }) => ({ mode, speed });
    Object.assign(places[last], leg(places[last - 1]));
    for (let index = last - 1; index >= 0; index -= 1) {
      places.push({ ...places[index], stay: index && places[index].stay, ...leg(places[Math.max(0, index - 1)]) });
    }
    chosen = null;
  });
}

// MARK: - The state machine

/** The events that lead to each state, for the page of the machines. */
const paths = {
  init: [], prompted: ["tryPrompt"], denied: ["tryPrompt", "refused"], acquiring: ["tryPrompt", "authorized"],
  waitingSignificantChange: ["tryPrompt", "authorized", "acquired"], paused: ["tryPrompt", "authorized", "pause"],
};
function eventOf(from, to, time, record) {
  const isNear = each => Math.abs((each.t ?? each) - time) < 0.05;
  if (to === "acquiring") {
    const look = record.looks.find(isNear)?.name;
    return { significantChange: "significantChange", forced: "forceAcquire", first: "authorized", resumed: "resume" }[look] ?? "lookDue";
  }
  if (to === "waitingSignificantChange") return record.failures.some(isNear) ? "acquisitionFailed" : "acquired";
  return { prompted: "tryPrompt", denied: "refused", paused: "pause", init: "promptExpired" }[to];
}

let drawn = "";
function showState(time) {
  const { record } = shown, index = countUpTo(record.states, time, each => each.t) - 1;
  const to = record.states[index]?.name ?? "init", from = record.states[index - 1]?.name, since = record.states[index]?.t ?? 0;
  const event = from && eventOf(from, to, since, record), name = `${since} ${from} ${event} ${to}`;
  if (name === drawn && $("machine").firstChild) return;
  drawn = name;
  if (!$("machine").firstChild) {
    $("machine").append($("diagram").content.cloneNode(true));
    for (const part of $("machine").querySelectorAll("title")) {
      part.parentNode.dataset.title = part.textContent;
      part.remove();
    }
    $("machine").firstElementChild.setAttribute("role", "img");
  }
  const nodes = [...$("machine").querySelectorAll(".node")], title = state => nodes.find(
    node => node.querySelector("text")?.textContent.trim() === state)?.dataset.title;
  for (const node of nodes) {
    node.classList.toggle("current", node.dataset.title === title(to));
    // On a narrow page, the drawing is wider than its card.
    if (node.dataset.title === title(to)) $("machine").scrollLeft += node.getBoundingClientRect().left - $("machine").getBoundingClientRect().left - 40;
  }
  for (const edge of $("machine").querySelectorAll(".edge")) {
    const isTaken = from && edge.dataset.title === `${title(from)}->${title(to)}`;
    edge.classList.toggle("taken", !!isTaken);
    for (const text of edge.querySelectorAll("text")) {
      text.classList.toggle("fired", !!isTaken && new RegExp(`\\b${event}\\b`).test(text.textContent));
    }
  }
  $("machine").firstElementChild.setAttribute("aria-label", `The location machine in the state ${to}`);
  $("transition").replaceChildren(...(event && paths[from] ? [
    `${clock(since)}: ${from} → ${to} (${event}). `,
    make("a", { href: `index.html#${["location", ...paths[from], event].join(",")}`, target: "_blank", rel: "noopener" }, "Open this transition"),
  ] : []));
}

// MARK: - The code

function showCode(now, figures) {
  const bound = now.bound == null ? "" : `manager.errorBound = ${now.bound}\n`;
  const { app, test, testWithoutBound } = phoneOf(now.phone);
  $("settings-code").textContent = `${app}${bound}manager.tryPromptAuthorization()`;

  // assemble.py removes the indentation after the backtick of an inner text.
  const number = value => String(Number(value.toFixed(6)));
  const route = way.code ?? (way.file ? `try SimulatedProvider.GPXTrack(contentsOf: file${
    ready.isTimed || !fileSpeed() ? "" : `, speedWithoutTimes: ${fileSpeed()}`}).route` : `SimulatedProvider.Route(waypoints: [\n${
    way.places.map(({ lat, lon, stay, ...leg }) => `\x20   .init(latitude: ${number(lat)}, longitude: ${number(lon)}, speed: ${number(speedOf(leg))}, `
      + `legSpeed: ${number(speedOf(leg))}${stay ? `, pause: .seconds(${stay * 60}), isIndoors: true` : ""}),`).join("\n")}\n  ])`);
  const hasBound = now.bound != null;
  const configuration = (hasBound ? test : testWithoutBound).replace(/^(?=.)/gm, "  ");
  const needsFile = way.file ? `  let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: ${JSON.stringify(way.file)})\n` : "";
  $("test-code").textContent = `${way.file ? "import Foundation\n" : ""}import LocoKit
import LocoKitSimulation
import Testing

@Test("The GPS is on for at most ${Math.ceil(figures.gpsOnSeconds + 0.05)} s on the route")
func myWay() throws {
${needsFile}  let route = ${route.startsWith(".") ? `SimulatedProvider.Route${route}` : route}
${configuration}  let device = SimulatedProvider(route: route, seed: ${now.seed}, configuration: configuration)
  let manager = LocationManager(provider: device)
${hasBound ? `\x20 manager.errorBound = ${now.bound}\n` : ""}  manager.tryPromptAuthorization()
  device.advance(by: route.duration)
  let location = try #require(manager.location)
  #expect(location.distance(to: device.position) <= ${Math.ceil(shown.record.errors.at(-1) || 0) + 1})
  #expect(device.energy.gpsOn <= .seconds(${Math.ceil(figures.gpsOnSeconds + 0.05)}))
  #expect(device.energy.wakes <= ${figures.wakes})
}`;
}

async function copy(id, button) {
  const text = $(id).textContent, words = button.dataset.words ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // A page from a file may not write to the clipboard.
    getSelection().selectAllChildren($(id));
    button.textContent = "Selected: press Ctrl or ⌘ and C";
  }
  setTimeout(() => { button.textContent = words; }, 2000);
}

// MARK: - The page

function choose(name) {
  way = structuredClone(readyWays[name]);
  forget();
  keepPlaces(name === "own");
  // A ready way can be changed: it is then one's own.
  update({ isNewWay: true, isEdit: name === "own" });
}

async function open(file) {
  const problem = text => { $("problem").textContent = text; $("problem").hidden = false; };
  if (!file) return;
  if (file.size > 20e6) return problem(`${file.name}: the file has ${Math.ceil(file.size / 1e6)} MB, and the page reads 20 MB.`);
  const before = way;
  try {
    way = { words: file.name, file: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
    newest += 1;
    const answer = setWay();
    if (answer.error) {
      way = before;
      ready = setWay();
      update();
      return problem(`${file.name}: ${answer.error}.`);
    }
    $("way").querySelector("[value=file]")?.remove();
    $("way").append(new Option(file.name, "file"));
    readyWays.file = way;
    $("way").value = "file";
    forget();
    keepPlaces(false);
    update({ isNewWay: true, answer });
  } catch (error) {
    way = before;
    await start();
    update();
    problem(error instanceof WebAssembly.RuntimeError ? `The simulation stopped: ${error.message}.` : `${file.name} can’t be read. Drop one GPX file.`);
  }
}

async function start() {
  const text = atob(packed), bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  wasm = (await WebAssembly.instantiate(await new Response(stream).arrayBuffer())).instance.exports;
  hasFailed = false;
  if (ready) ready = setWay();
}

async function begin() {
  await start();
  setWords(read(wasm.words()));
  phones = read(wasm.phones());
  $("phone").append(...phones.map(({ name, title }) => new Option(title, name)));
  document.body.dataset.ready = Math.round(performance.now());
  // On a narrow screen, the answer covers the bottom of the page.
  new ResizeObserver(() => document.documentElement.style.setProperty("--answer", `${$("answer").offsetHeight}px`)).observe($("answer"));
  addEventListener("hashchange", () => location.reload());
  $("way").append(...optionsOf(readyWays));
  $("mode").append(new Option("by their length", ""), ...optionsOf(modeWords));
  $("bound").max = bounds.length - 1;
  $("bound").value = bounds.indexOf(500);
  $("bound").addEventListener("input", () => update());
  $("phone").addEventListener("change", () => update());
  $("seed").addEventListener("change", () => {
    $("seed").value = settings().seed;
    update();
  });
  $("way").addEventListener("change", () => choose($("way").value));
  $("kind").append(new Option("at 50 km/h", ""), ...optionsOf(modeWords));
  $("kind").addEventListener("change", () => update({ isNewWay: true }));
  $("gpx").addEventListener("click", () => { $("gpx").value = ""; });
  $("gpx").addEventListener("change", () => open($("gpx").files[0]));
  $("undo").addEventListener("click", () => step(past, undone));
  $("redo").addEventListener("click", () => step(undone, past));
  $("clear").addEventListener("click", () => edit(() => { way.places = []; chosen = null; }));
  $("back").addEventListener("click", addWayBack);
  // The route begins with a stay from midnight on.
  $("begins").addEventListener("change", () => {
    const [hours, minutes] = $("begins").value.split(":").map(Number);
    const [first] = way.places;
    if (first && minutes >= 0) editLater(() => { first.stay = 1440 * Math.min(6, Math.floor(first.stay / 1440)) + 60 * hours + minutes; });
  });
  $("then").append(new Option("nothing", ""), ...optionsOf(readyWays).filter(({ value }) => readyWays[value].places?.length));
  $("then").addEventListener("change", () => {
    const { places } = readyWays[$("then").value];
    $("then").value = "";
    const last = way.places.at(-1);
    if (way.places.length + places.length <= mostPlaces) edit(() => {
      if (last && distance(last, places[0]) > 1500) Object.assign(last, { mode: $("mode").value || "car", speed: undefined });
      way.places.push(...structuredClone(places));
    });
  });
  $("add").addEventListener("click", () => {
    const last = way.places.at(-1) ?? { lat: 48.137, lon: 11.575 };
    addPlace(way.places.length ? beside(last, 0, 1000) : last);
  });
  $("copy-settings").addEventListener("click", () => copy("settings-code", $("copy-settings")));
  $("copy-test").addEventListener("click", () => copy("test-code", $("copy-test")));
  document.addEventListener("dragover", event => { event.preventDefault(); document.body.classList.add("over"); });
  document.addEventListener("dragleave", event => { if (!event.relatedTarget) document.body.classList.remove("over"); });
  document.addEventListener("drop", event => {
    event.preventDefault();
    document.body.classList.remove("over");
    open(event.dataTransfer.files[0]);
  });
  const kept = keptPlaces();
  if (kept.length) {
    way = { places: kept };
    readyWays.own.places = structuredClone(kept);
    $("way").value = "own";
  }
  await update({ isNewWay: true });
}

begin().catch(error => {
  $("problem").hidden = false;
  $("problem").textContent = `This browser cannot run the simulation: ${error.message}.`;
});
