// Reads the columns of a recording.

const earthRadius = 6371008.8, radians = Math.PI / 180;
function distance(from, to) {
  const a = Math.sin((to.lat - from.lat) * radians / 2), b = Math.sin((to.lon - from.lon) * radians / 2);
  const squared = a * a + Math.cos(from.lat * radians) * Math.cos(to.lat * radians) * b * b;
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(squared)));
}

/// The index after the last entry whose value is at most a time.
function countUpTo(list, time, valueOf = each => each) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueOf(list[middle]) <= time) low = middle + 1; else high = middle;
  }
  return low;
}
const lastEvent = (list, time) => list[countUpTo(list, time, each => each.t) - 1];

/// The position on a path at a time, interpolated; null before the path begins.
function along(path, time) {
  const next = countUpTo(path.t, time), last = next - 1;
  if (last < 0) return null;
  const share = next < path.t.length ? (time - path.t[last]) / (path.t[next] - path.t[last]) : 0;
  const at = values => share ? values[last] + (values[next] - values[last]) * share : values[last];
  return { lat: at(path.lat), lon: at(path.lon), acc: path.acc && at(path.acc) };
}

function readRecording(recording) {
  const duration = Math.max(recording.seconds, 1), bound = recording.boundMeters;
  const sums = (differences, unit) => {
    let sum = 0;
    return Float64Array.from(differences, difference => (sum += difference) / unit);
  };
  const path = columns => columns && {
    t: sums(columns.t, 10), lat: sums(columns.lat, 1e6), lon: sums(columns.lon, 1e6),
    acc: columns.acc && Float64Array.from(columns.acc, value => value / 10),
  };
  const events = ({ t, v }, list) => Array.from(sums(t, 10), (time, index) => ({ ...list[v[index]], t: time }));
  const pairs = list => list.flatMap((from, index) => index % 2 ? [] : [[from, list[index + 1]]]);

  const truth = path(recording.truth), locations = path(recording.locations);
  const estimates = recording.estimates.map(path).filter(part => part.t.length);
  const states = events(recording.states, words.states), looks = events(recording.looks, words.causes);
  const lookTimes = new Set(looks.map(look => look.t));
  // Of several wake-ups at a time, the last one started the look.
  const wakes = events(recording.wakes, words.wakes)
    .map((wake, index, all) => ({ ...wake, began: lookTimes.has(wake.t) && all[index + 1]?.t !== wake.t }));
  const unknown = pairs(recording.unknown), isUnknown = time => unknown.some(([from, to]) => time > from && time <= to);
  const bands = states.map((state, index) => ({ ...state, from: state.t, to: states[index + 1]?.t ?? duration }));

  function heldAt(time) {
    const index = countUpTo(locations.t, time) - 1;
    return index < 0 ? null
      : { t: locations.t[index], lat: locations.lat[index], lon: locations.lon[index], acc: locations.acc[index] };
  }
  function estimateAt(time) {
    const part = estimates[countUpTo(estimates, time, each => each.t[0]) - 1];
    // Samples are a second apart: an estimate lasts until the next sample.
    return part && time <= part.t[part.t.length - 1] + 1.5 ? along(part, time) : null;
  }
  /// The distance between a position and the true one at a time; NaN where either is unknown.
  function errorOf(position, time) {
    const here = position && truth && !isUnknown(time) && along(truth, time);
    return here ? distance(position, here) : NaN;
  }

  /// The reason for a look, as sentences.
  function whyNow(look) {
    const held = heldAt(look.t - 0.05), error = errorOf(held, look.t);
    const cause = look.sentence ?? (held ? "At the speed that the manager assumes, the error of the last location, "
      + `${age(look.t - held.t)} old, could reach ${metres(bound)}.` : "There is no location yet.");
    return cause + (Number.isNaN(error) ? "" : ` The error was ${metres(error)}.`);
  }

  // One error a second; fewer in a long recording.
  const step = Math.max(1, Math.ceil(duration / 200000));
  const errorsOf = positionAt => Float32Array.from({ length: truth ? Math.floor(duration / step) + 1 : 0 },
    (_, index) => errorOf(positionAt(index * step), index * step));
  return {
    startedAt: recording.startedAt, duration, bound, truth, track: truth ?? path(recording.fixes), locations, estimates, states, looks,
    wakes, rejections: events(recording.rejections, words.reasons), failures: sums(recording.failures, 10), unknown,
    dwelling: pairs(recording.dwelling), bands, gps: bands.filter(band => band.isGPS), heldAt, estimateAt, errorOf, whyNow,
    errorStep: step, errors: errorsOf(heldAt), estimateErrors: errorsOf(estimateAt),
  };
}
