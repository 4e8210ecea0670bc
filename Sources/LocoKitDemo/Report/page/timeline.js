// The timeline: lanes of states, wake-ups and results, and a chart of the errors.

function makeTimeline(record, cursor, kept) {
  const { duration, bound, truth, locations, estimates, states, looks, wakes, rejections, failures, unknown, dwelling } = record;
  const timeline = $("timeline"), [base, overlay] = timeline.children;
  const ticks = (name, colour, list) => list.length ? [{ name, colour, list }] : [];
  const times = list => Array.from(list, t => ({ t }));
  const lanes = [
    ...(truth && dwelling.length ? [{ name: "Under way", kind: "moves" }] : []),
    { name: "State", kind: "states" }, { name: "GPS on", kind: "gps" },
    ...words.wakes.flatMap(({ name, words: text }) => ticks(capital(text), name, wakes.filter(wake => wake.name === name))),
    ...ticks("Location accepted", "held", times(locations.t)),
    ...words.reasons.flatMap(({ name, words: text }) => ticks("Rejected: " + text, "refused", rejections.filter(each => each.name === name))),
    ...ticks("No location", "denied", times(failures)),
  ];
  const bandHeight = 14, chartHeight = truth ? 168 : 0, axisHeight = 24;

  /// The shown part, in seconds; the left edge and the width of the lanes, and their pitch, in pixels.
  let view = kept && kept[1] <= duration ? kept : [0, duration], left = 0, timeWidth = 1, isNarrow = false, pitch = 0;
  const toX = time => left + (time - view[0]) / (view[1] - view[0]) * timeWidth;
  const isVisible = time => time >= view[0] && time <= view[1];

  function draw() {
    isNarrow = timeline.clientWidth < 640;
    [left, pitch] = isNarrow ? [54, 32] : [176, 22];
    timeWidth = timeline.clientWidth - left - 10;
    timeline.style.height = `${lanes.length * pitch + chartHeight + axisHeight + 10}px`;
    const [context, width] = prepare(base);
    context.textBaseline = "middle";
    context.font = "12px system-ui, sans-serif";
    lanes.forEach((lane, index) => {
      const top = index * pitch + (isNarrow ? 16 : 4);
      context.fillStyle = colour.muted;
      context.textAlign = isNarrow ? "left" : "right";
      if (isNarrow) context.fillText(lane.name, 0, top - 8); else context.fillText(lane.name, left - 10, top + bandHeight / 2 + 0.5);
      clipped(context, isNarrow ? 0 : left, top - 2, width, bandHeight + 4, () => drawLane(context, lane, top));
    });
    const top = lanes.length * pitch + 14, bottom = top + Math.max(0, chartHeight - 18);
    if (truth) drawErrors(context, top, bottom);
    drawAxis(context, width, bottom);
    const isWhole = view[1] - view[0] >= duration;
    $("window").textContent = isWhole ? "" : `${clock(view[0])} to ${clock(view[1])}`;
    base.setAttribute("aria-label", `Timeline of ${clock(duration)}: ${looks.length} looks, ${wakes.length} wake-ups while the GPS was off, `
      + `${locations.t.length} locations accepted, ${rejections.length} fixes rejected. “At the cursor” lists what is at the cursor.`);
    drawCursor();
  }

  function drawLane(context, { kind, list, colour: name }, top) {
    const band = (from, to, style, least = 0) => {
      if (to < view[0] || from > view[1]) return;
      const start = Math.max(left, toX(from)), end = Math.min(left + timeWidth, toX(to));
      context.fillStyle = style;
      context.fillRect(start, top, Math.max(least, end - start), bandHeight);
    };
    if (kind === "states") {
      // The states with the GPS on are short: they are drawn over the others.
      for (const isOn of [false, true]) {
        for (const each of record.bands) if (each.isGPS === isOn) band(each.from, each.to, colour[each.name], 1);
      }
      return;
    }
    band(view[0], view[1], colour.dwelling);
    if (kind === "moves") {
      [...dwelling, [duration]].forEach(([from], index) => band(index ? dwelling[index - 1][1] : 0, from, colour.trail));
    } else if (kind === "gps") {
      for (const each of record.gps) band(each.from, each.to, colour.gps, 1.2);
    } else {
      // Wake-ups that started a look are drawn higher.
      for (const isHigh of [false, true]) {
        let last = -Infinity;
        context.globalAlpha = isHigh ? 1 : 0.5;
        context.fillStyle = colour[name];
        for (const each of list) {
          const x = toX(each.t);
          if ((each.began ?? true) !== isHigh || !isVisible(each.t) || x - last < 0.5) continue;
          last = x;
          context.fillRect(x - 0.75, isHigh ? top : top + 8, 1.5, isHigh ? bandHeight : bandHeight - 8);
        }
      }
      context.globalAlpha = 1;
    }
  }

  function drawAxis(context, width, bottom) {
    const target = (view[1] - view[0]) / (timeWidth / (isNarrow ? 66 : 84));
    const tick = roundSeconds.find(each => each >= target) ?? Math.ceil(target / 86400) * 86400;
    context.textAlign = "center";
    for (let time = Math.ceil(view[0] / tick) * tick; time <= view[1]; time += tick) {
      const x = toX(time), text = tick >= 60 ? clock(time).slice(0, -3) + " h" : clock(time), half = context.measureText(text).width / 2;
      context.fillStyle = colour.line;
      context.fillRect(x, bottom, 1, 5);
      context.fillStyle = colour.muted;
      context.fillText(text, clamp(x, half, width - half), bottom + 14);
    }
  }

  // MARK: Errors

  const most = record.errors.reduce((most, value) => value > most ? value : most, bound ? bound * 1.2 : 100);
  const power = 10 ** Math.floor(Math.log10(most / 4)), errorTick = [1, 2, 2.5, 5, 10].find(each => each * power * 4 >= most) * power;
  const ceiling = Math.ceil(most / errorTick) * errorTick;

  /// Lines through the values in view, interrupted where a value is unknown: the range of each half pixel.
  function lines(values, toY) {
    const lines = [], from = Math.max(0, Math.floor(view[0] / record.errorStep));
    let line = null;
    for (let index = from; index < values.length && index <= Math.ceil(view[1] / record.errorStep); index++) {
      const value = values[index], x = Math.round(toX(index * record.errorStep) * 2) / 2, last = line?.at(-1);
      if (Number.isNaN(value)) {
        line = null;
      } else if (last?.x === x) {
        [last.least, last.most, last.end] = [Math.min(last.least, value), Math.max(last.most, value), value];
      } else {
        if (!line) lines.push(line = []);
        line.push({ x, first: value, most: value, least: value, end: value });
      }
    }
    return lines.map(line => line.flatMap(({ x, first, most, least, end }) =>
      (most > least ? [first, most, least, end] : [first]).map(value => [x, toY(value)])));
  }

  function drawErrors(context, top, bottom) {
    const right = left + timeWidth, height = bottom - top, toY = value => bottom - value / ceiling * height;
    const values = Array.from({ length: Math.round(ceiling / errorTick) + 1 }, (_, index) => index * errorTick);
    clipped(context, left, top - 2, timeWidth, height + 3, () => {
      for (const [list, name] of [[dwelling, "dwelling"], [unknown, "soft"]]) {
        context.fillStyle = colour[name];
        for (const [from, to] of list) context.fillRect(toX(from), top, toX(to) - toX(from), height);
      }
      context.fillStyle = colour.line;
      for (const value of values) context.fillRect(left, Math.round(toY(value)), timeWidth, 1);
      const errors = lines(record.errors, toY);
      for (const [list, name] of [[lines(record.estimateErrors, toY), "estimate"], [errors, "held"]]) {
        context.beginPath();
        for (const points of list) addLine(context, points);
        // The dashes distinguish the lines without colours.
        context.setLineDash(name === "estimate" ? [4, 3] : []);
        stroke(context, colour[name], 1.4);
        context.setLineDash([]);
      }
      if (!bound) return;
      clipped(context, left, top, timeWidth, toY(bound) - top, () => {
        context.beginPath();
        for (const points of errors) addLine(context, [[points[0][0], bottom], ...points, [points.at(-1)[0], bottom]]);
        fill(context, colour.bound, 0.45);
      });
      line(context, [[left, toY(bound)], [right, toY(bound)]]);
      stroke(context, colour.bound, 2, [6, 5]);
    });
    context.fillStyle = colour.muted;
    context.textAlign = "right";
    const isLong = ceiling >= (isNarrow ? 1000 : 10000);
    for (const value of values) {
      context.fillText(isLong ? `${+(value / 1000).toFixed(2)} km` : `${Math.round(value)} m`, left - 6, toY(value));
    }
    context.textAlign = "left";
    if (!isNarrow) context.fillText("Error", 0, (top + bottom) / 2);
  }

  // MARK: The shown part

  function drawCursor() {
    if (cursor.isPlaying && !isVisible(cursor.time)) {
      show(cursor.time - (view[1] - view[0]) * 0.05);
      return;
    }
    const [context, , height] = prepare(overlay), x = toX(cursor.time);
    if (!isVisible(cursor.time)) return;
    context.fillStyle = colour.text;
    context.fillRect(x - 0.75, 0, 1.5, height - axisHeight + 4);
    line(context, [[x - 5, 0], [x + 5, 0], [x, 7]]);
    context.fill();
  }
  /// Shows a time and what follows it.
  function show(time, span = view[1] - view[0]) {
    const from = clamp(time, 0, duration - span);
    view = [from, from + span];
    draw();
  }
  /// Shows the cursor.
  function keepInView() {
    if (!isVisible(cursor.time)) show(cursor.time - (view[1] - view[0]) / 2);
  }
  /// Zooms about the cursor, or about the middle where the cursor is not in view.
  function zoom(factor) {
    const span = Math.min(duration, Math.max(30, (view[1] - view[0]) * factor));
    show((isVisible(cursor.time) ? cursor.time : (view[0] + view[1]) / 2) - span / 2, span);
  }
  onClick("time-in", () => zoom(0.5));
  onClick("time-out", () => zoom(2));
  onClick("time-all", () => zoom(Infinity));
  function point(event) {
    const x = event.clientX - timeline.getBoundingClientRect().left;
    cursor.seek(view[0] + (x - left) / timeWidth * (view[1] - view[0]));
  }
  listen(timeline, "pointerdown", event => { timeline.setPointerCapture(event.pointerId); point(event); });
  listen(timeline, "pointermove", event => { if (timeline.hasPointerCapture(event.pointerId)) point(event); });

  legend("timeline-legend", [
    ...[...new Set(states.map(state => state.name))].map(name => ["box", name, `state: ${wordsOf(words.states, name)}`]),
    ...(truth ? [["line", "held", "error of the last location"]] : []),
    ...(truth && estimates.length ? [["dashed", "estimate", "error of the estimate"]] : []),
    ...(bound && truth ? [["dashed", "bound", "the error bound"]] : []),
    ...(dwelling.length && truth ? [["box", "dwelling", "dwelling: its errors do not count as under way"]] : []),
  ]);
  return { draw, drawCursor, keepInView, zoom, view: () => view[1] - view[0] < duration ? view : null };
}
