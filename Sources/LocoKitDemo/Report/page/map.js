// The map: a Mercator projection in metres at the track's latitude.

function makeMap(record, cursor, { kept = null, editor = null } = {}) {
  const { duration, bound, truth, track, locations, estimates, wakes } = record;
  const map = $("map"), [base, overlay] = map.children, follow = $("follow");
  const width = () => map.clientWidth, height = () => map.clientHeight;

  const first = [track, locations, ...estimates].find(each => each?.t.length);
  const origin = kept ? kept.origin : first ? { lat: first.lat[0], lon: first.lon[0] } : { lat: 0, lon: 0 };
  const limited = lat => clamp(lat, -85, 85) * radians, metresPerRadian = earthRadius * Math.cos(limited(origin.lat));
  const northing = lat => Math.log(Math.tan(Math.PI / 4 + limited(lat) / 2)), north = northing(origin.lat);
  const project = ({ lat, lon }) => [
    metresPerRadian * (((lon - origin.lon + 540) % 360 + 360) % 360 - 180) * radians, -metresPerRadian * (northing(lat) - north),
  ];
  const projected = path => Array.from(path?.t ?? [], (_, index) => project({ lat: path.lat[index], lon: path.lon[index] }));
  const trackPoints = projected(track), locationPoints = projected(locations);
  let [west, top, east, bottom] = [...trackPoints, ...locationPoints].reduce(
    ([west, top, east, bottom], [x, y]) => [Math.min(west, x), Math.min(top, y), Math.max(east, x), Math.max(bottom, y)],
    [Infinity, Infinity, -Infinity, -Infinity]);
  if (west > east) [west, top, east, bottom] = [-500, -500, 500, 500];

  /// Pixels per metre; whether all of it is shown; the point in the middle, and the middle's place on the screen.
  let scale = 1, isWhole = true, centre = [0, 0], middle = [0, 0];
  // Reading the element's size for each point would take longer than drawing it.
  const screen = ([x, y]) => [(x - centre[0]) * scale + middle[0], (y - centre[1]) * scale + middle[1]];
  const at = position => screen(project(position));
  const place = ([x, y]) => ({
    lat: (2 * Math.atan(Math.exp(north - ((y - height() / 2) / scale + centre[1]) / metresPerRadian)) - Math.PI / 2) / radians,
    lon: (origin.lon + ((x - width() / 2) / scale + centre[0]) / metresPerRadian / radians + 540) % 360 - 180,
  });
  if (kept) [scale, isWhole, centre] = [kept.scale, false, project(kept.centre)];
  function fit() {
    const margin = 34;
    isWhole = true;
    centre = [(west + east) / 2, (top + bottom) / 2];
    scale = Math.min(Math.max(1, width() - 2 * margin) / Math.max(200, east - west), Math.max(1, height() - 2 * margin) / Math.max(200, bottom - top));
  }

  /// Begins a path along points, without those that fall on the same pixel.
  function trace(context, points) {
    let [lastX, lastY] = [NaN, NaN];
    line(context, points.map(screen).filter(([x, y], index) => {
      if (index && index < points.length - 1 && Math.abs(x - lastX) < 0.7 && Math.abs(y - lastY) < 0.7) return false;
      [lastX, lastY] = [x, y];
      return true;
    }));
  }

  function draw() {
    if (isWhole) fit();
    const [context, width, height] = prepare(base);
    const isVisible = (x, y, margin) => x >= -margin && y >= -margin && x <= width + margin && y <= height + margin;
    middle = [width / 2, height / 2];
    // The grid and the scale bar: a round length of at most a quarter of the width.
    const longest = width / 4 / scale, power = 10 ** Math.floor(Math.log10(longest));
    const length = [5, 2, 1].find(each => each * power <= longest) * power, pitch = length * scale;
    const [gridX, gridY] = screen([0, 0]).map(each => (each % pitch + pitch) % pitch);
    context.fillStyle = colour.soft;
    for (let x = gridX; x < width; x += pitch) context.fillRect(Math.round(x), 0, 1, height);
    for (let y = gridY; y < height; y += pitch) context.fillRect(0, Math.round(y), width, 1);
    trace(context, trackPoints);
    stroke(context, colour.route, 4);
    // In a gap of a recorded track, the way is unknown.
    for (const gap of truth ? record.unknown : []) {
      line(context, gap.map(end => at(along(truth, end))));
      stroke(context, colour.bg, 4, [3, 7]);
    }
    const held = colour.held;
    locationPoints.forEach((point, index) => {
      const [x, y] = screen(point), pixels = locations.acc[index] * scale;
      if (!isVisible(x, y, pixels)) return;
      if (pixels > 3) {
        circle(context, x, y, pixels);
        fill(context, held, 0.1);
        context.globalAlpha = 0.55;
        stroke(context, held, 1);
      }
      circle(context, x, y, 1.8);
      fill(context, held, 0.9);
    });
    for (const wake of wakes) {
      const here = track && along(track, wake.t);
      if (!here) continue;
      const [x, y] = at(here);
      if (!isVisible(x, y, 9)) continue;
      if (wake.began) {
        const mark = new Path2D(shapePath(wake.shape, x, y, 5));
        stroke(context, colour.bg, 1.5, [], mark);
        fill(context, colour[wake.name], 1, mark);
      } else {
        circle(context, x, y, 1.3);
        fill(context, colour[wake.name]);
      }
    }
    line(context, [[14, height - 20], [14, height - 14], [14 + pitch, height - 14], [14 + pitch, height - 20]]);
    stroke(context, colour.text, 2);
    context.fillStyle = colour.text;
    context.font = "12px system-ui, sans-serif";
    context.fillText(length >= 1000 ? `${length / 1000} km` : `${length} m`, 20, height - 20);
    base.setAttribute("aria-label", `Map of the ${truth ? "route" : "fixes"} with ${locations.t.length} locations, `
      + `${metres(east - west)} from west to east and ${metres(bottom - top)} from north to south. `
      + "“At the cursor” lists what it shows at the cursor.");
    drawCursor();
  }

  function drawCursor() {
    const { time } = cursor, here = track && along(track, time), held = record.heldAt(time), estimate = record.estimateAt(time);
    if (here && follow.ariaPressed === "true") {
      const [x, y] = at(here);
      if (Math.abs(x - middle[0]) > width() / 5 || Math.abs(y - middle[1]) > height() / 5) {
        [centre, isWhole] = [project(here), false];
        return draw();
      }
    }
    const [context] = prepare(overlay);
    if (here) {
      const from = countUpTo(track.t, time - Math.max(300, duration / 50));
      trace(context, [...trackPoints.slice(from, countUpTo(track.t, time)), project(here)]);
      stroke(context, colour.trail, 4);
    }
    if (held) {
      const [x, y] = at(held);
      if (bound) {
        circle(context, x, y, bound * scale);
        stroke(context, colour.bound, 2, [6, 5]);
      }
      if (!Number.isNaN(record.errorOf(held, time))) {
        line(context, [[x, y], at(here)]);
        stroke(context, colour.held, 1.5);
      }
      circle(context, x, y, Math.max(3, held.acc * scale));
      fill(context, colour.held, 0.25);
      circle(context, x, y, 6);
      fill(context, colour.held);
      stroke(context, colour.card, 2);
    }
    if (estimate) {
      const [x, y] = at(estimate);
      circle(context, x, y, Math.max(3, estimate.acc * scale));
      fill(context, colour.estimate, 0.13);
      stroke(context, colour.estimate, 1.5);
      fill(context, colour.estimate, 1, new Path2D(shapePath("diamond", x, y, 5.5)));
    }
    if (here) {
      circle(context, ...at(here), 7);
      fill(context, colour.device);
      stroke(context, colour.card, 2.5);
    }
    editor?.draw(context, at);
  }

  /// Zooms about a point of the element.
  function zoom(factor, [x, y] = [width() / 2, height() / 2]) {
    const wanted = clamp(scale * factor, 1e-5, 20), change = 1 / scale - 1 / wanted;
    centre = [centre[0] + (x - width() / 2) * change, centre[1] + (y - height() / 2) * change];
    [scale, isWhole] = [wanted, false];
    draw();
  }
  onClick("map-in", () => zoom(1.6));
  onClick("map-out", () => zoom(1 / 1.6));
  onClick("map-all", () => { fit(); follow.ariaPressed = "false"; draw(); });
  onClick("follow", () => {
    follow.ariaPressed = String(follow.ariaPressed !== "true");
    const here = track && along(track, cursor.time);
    if (follow.ariaPressed !== "true" || !here) return;
    if (isWhole) scale = Math.max(scale, Math.min(width(), height()) / (bound ? bound * 3.2 : 3000));
    [centre, isWhole] = [project(here), false];
    draw();
  });
  const inMap = (x, y) => { const area = map.getBoundingClientRect(); return [x - area.left, y - area.top]; };
  listen(map, "wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), inMap(event.clientX, event.clientY));
  }, { passive: false });
  // A finger on a place drags it, and anywhere else it may scroll the page.
  listen(map, "touchstart", event => {
    const { clientX, clientY } = event.touches[0];
    if (editor?.placeAt(inMap(clientX, clientY), at) != null) event.preventDefault();
  }, { passive: false });
  // One pointer drags the map, two zoom it.
  const pointers = new Map();
  let pressed = null;
  listen(map, "pointerdown", event => {
    const point = inMap(event.clientX, event.clientY);
    pressed = editor && !pointers.size ? { point, isMoved: false, place: editor.placeAt(point, at) } : null;
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    map.setPointerCapture(event.pointerId);
    map.classList.add("dragging");
  });
  listen(map, "pointermove", event => {
    const last = pointers.get(event.pointerId), now = [event.clientX, event.clientY];
    if (!last) return;
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    const point = inMap(...now);
    if (pressed && !pressed.isMoved && Math.hypot(point[0] - pressed.point[0], point[1] - pressed.point[1]) < 5) return;
    pointers.set(event.pointerId, now);
    if (pressed) pressed.isMoved = true;
    if (pressed?.place != null && !other) {
      editor.move(pressed.place, place(point));
      drawCursor();
    } else if (other) {
      const apart = point => Math.hypot(point[0] - other[0], point[1] - other[1]);
      zoom(apart(now) / Math.max(1, apart(last)), inMap((now[0] + other[0]) / 2, (now[1] + other[1]) / 2));
    } else {
      centre = [centre[0] - (now[0] - last[0]) / scale, centre[1] - (now[1] - last[1]) / scale];
      [isWhole, follow.ariaPressed] = [false, "false"];
      draw();
    }
  });
  for (const end of ["pointerup", "pointercancel"]) {
    listen(map, end, event => {
      const released = pointers.delete(event.pointerId) && !pointers.size ? pressed : null;
      if (released && !released.isMoved && end === "pointerup") editor.press(released.place, place(released.point));
      else if (released?.place != null && released.isMoved) editor.moved();
      if (!pointers.size) map.classList.remove("dragging");
    });
  }

  legend("map-legend", [
    ["ring", "device", truth ? "the device" : "between two fixes"], ["line", "route", truth ? "its route" : "the path of the fixes"],
    ["ring", "held", "the last location and its accuracy"],
    ...(estimates.length ? [["ring", "estimate", "the estimate and its accuracy"]] : []),
    ...(bound ? [["dashed", "bound", `the error bound, ${metres(bound)}`]] : []),
    ...words.wakes.filter(({ name }) => wakes.some(wake => wake.name === name && wake.began))
      .map(({ name, words: text, shape }) => ["shape", name, `start of a look: ${text}`, shape]),
  ]);
  return {
    draw, drawCursor, place,
    /// The part that is shown; null if it is all of it, unless it is to stay.
    view: isFixed => isWhole && !isFixed ? null : { scale, origin, centre: place([width() / 2, height() / 2]) },
  };
}
