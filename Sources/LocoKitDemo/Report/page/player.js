// The cursor, playback, and the values at the cursor.

/// Lengths of time for steps and ticks, in seconds.
const roundSeconds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/// Shows a recording. `kept` is what an earlier call returned: its time and its parts of the map and the timeline are shown again, also all of the map
/// if it is fixed. An `editor`
/// draws on the map and takes presses on it; `onTime` is called when the cursor moves.
function showPlayback(recording, { kept = null, editor = null, onTime = () => {} } = {}) {
  const wasPlaying = kept?.cursor.isPlaying;
  views.abort();
  views = new AbortController();
  const record = readRecording(recording), { duration, looks } = record;
  const cursor = { time: Math.min(kept?.cursor.time ?? 0, duration), isPlaying: false, seek, go };
  const speed = Number($("speed").value), chosenSpeed = kept && speed !== kept.standard && speed;
  $("now").replaceChildren();
  $("speed").replaceChildren();
  const slider = $("slider");
  let map, timeline;

  /// Moves the cursor.
  function seek(time) {
    cursor.time = clamp(time, 0, duration);
    map.drawCursor();
    timeline.drawCursor();
    showNow();
    onTime(cursor.time);
  }
  /// Moves the cursor, and the timeline if the cursor leaves it.
  function go(time) {
    seek(time);
    timeline.keepInView();
  }

  const speeds = [1, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400];
  // Initially, the whole recording plays in about a minute.
  const mismatch = speed => Math.abs(Math.log(speed * 60 / duration));
  const standard = speeds.reduce((best, each) => mismatch(each) < mismatch(best) ? each : best);
  $("speed").append(...speeds.map(each => make("option", { value: each, selected: each === (chosenSpeed || standard) }, `${each} ×`)));

  let lastFrame = 0, request = 0;
  function frame(stamp) {
    const seconds = clamp((stamp - lastFrame) / 1000, 0, 0.1), time = cursor.time + seconds * $("speed").value;
    lastFrame = stamp;
    if (time >= duration) toggle();
    seek(time);
    if (cursor.isPlaying) request = requestAnimationFrame(frame);
  }
  function toggle() {
    cursor.isPlaying = !cursor.isPlaying;
    $("play").textContent = cursor.isPlaying ? "❚❚ Pause" : "▶ Play";
    cancelAnimationFrame(request);
    if (!cursor.isPlaying) return;
    if (cursor.time >= duration) cursor.time = 0;
    lastFrame = performance.now();
    request = requestAnimationFrame(frame);
  }
  function nextLook() { go(looks.find(each => each.t > cursor.time + 0.05)?.t ?? cursor.time); }
  function previousLook() { go(looks.findLast(each => each.t < cursor.time - 0.05)?.t ?? cursor.time); }
  onClick("play", toggle);
  onClick("next", nextLook);
  onClick("previous", previousLook);
  slider.max = Math.floor(duration);
  listen(slider, "input", () => seek(Number(slider.value)));

  const keyStep = roundSeconds.find(each => each >= duration / 300) ?? 86400;
  $("key-step").textContent = `${keyStep < 60 ? `${keyStep} s` : `${keyStep / 60} min`} back or forward`;
  listen(document, "keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // These keys scroll a part of the page that is too wide and has the focus.
    if (event.target.matches("pre, .scroll")) return;
    const control = event.target.closest("button, select, summary, a, textarea, input:not(#slider)");
    if (control && (/SELECT|INPUT|TEXTAREA/.test(control.tagName) || event.key === " " || event.key === "Enter")) return;
    if ([" ", "Home", "End"].includes(event.key) && !event.target.closest(".player, .view")) return;
    const step = keyStep * (event.shiftKey ? 10 : 1);
    const action = {
      " ": toggle, k: toggle, ArrowRight: () => go(cursor.time + step), ArrowLeft: () => go(cursor.time - step),
      ".": () => go(cursor.time + 1), ",": () => go(cursor.time - 1), n: nextLook, p: previousLook, Home: () => go(0),
      End: () => go(duration), "+": () => timeline.zoom(0.5), "=": () => timeline.zoom(0.5), "-": () => timeline.zoom(2),
      "0": () => timeline.zoom(Infinity),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  // MARK: At the cursor

  const { bound, truth, states, rejections, locations, failures } = record;
  const rows = {};
  function row(id, name, ...children) {
    rows[id] = make("dd", { id: "now-" + id }, ...children);
    $("now").append(make("dt", {}, name), rows[id]);
  }
  const chip = make("span", { class: "chip" });
  const errorText = make("span"), errorBar = make("div", { class: "bar", hidden: bound ? null : "" }, make("span"));
  row("time", "Time");
  row("look", "Last look");
  row("state", "State");
  row("held", "Last location");
  if (truth) row("error", "Its error", errorText, errorBar);
  if (record.estimates.length) row("estimate", "Estimate");
  row("verdict", "Last result");
  const note = text => text ? [make("span", { class: "muted small" }, text)] : [];
  const degrees = value => (Math.abs(value) < 5e-6 ? 0 : value).toFixed(5);
  const place = each => `${degrees(each.lat)}, ${degrees(each.lon)}`;
  function showNow() {
    const { time } = cursor, state = lastEvent(states, time), held = record.heldAt(time), estimate = record.estimateAt(time);
    const error = record.errorOf(held, time), stateText = state ? state.words : "–";
    const put = (id, text, ...rest) => rows[id].replaceChildren(text, ...rest);
    slider.value = Math.floor(time);
    slider.setAttribute("aria-valuetext", `${clock(time)}, ${stateText}${Number.isNaN(error) ? "" : `, error ${metres(error)}`}`);
    $("clock").value = clock(time);
    const date = new Date((record.startedAt + time) * 1000).toISOString();
    put("time", `${clock(time)} of ${clock(duration)}`, ...note(record.startedAt && `${date.slice(0, 10)} ${date.slice(11, 19)} UTC`));
    chip.style.background = state ? `var(--${state.name})` : "";
    put("state", chip, stateText,
      ...note(state && `${state.isGPS ? "GPS on" : "GPS off"} for ${age(time - state.t)}`));
    put("held", held ? place(held) : "none yet", ...note(held && `±${metres(held.acc)}, ${ago(time - held.t)}`));
    errorText.textContent = Number.isNaN(error) ? "unknown" : metres(error) + (bound ? ` (bound ${metres(bound)})` : "");
    errorBar.classList.toggle("over", error > bound);
    errorBar.firstChild.style.width = `${Math.min(100, 100 * (error || 0) / bound)}%`;
    if (rows.estimate) {
      const gap = record.errorOf(estimate, time);
      put("estimate", estimate ? place(estimate) : "none",
        ...note(estimate && `±${metres(estimate.acc)}` + (Number.isNaN(gap) ? "" : `, error ${metres(gap)}`)));
    }
    const look = lastEvent(looks, time);
    const [seconds, outcome, end] = look ? resultOf(look) : [];
    put("look", look ? `${clock(look.t)}, ${look.words}` : "none yet", ...note(look
      && `${record.whyNow(look)} ${time < end ? "The GPS is on." : `The GPS was on for ${seconds}: ${outcome}.`}`));
    const refused = lastEvent(rejections, time);
    const [last, result] = [
      [refused?.t ?? -1, refused && `rejected: ${refused.words}`], [failures[countUpTo(failures, time) - 1] ?? -1, "no location"],
      [held?.t ?? -1, "accepted"],
    ].reduce((latest, each) => each[0] >= latest[0] ? each : latest);
    put("verdict", last < 0 ? "none yet" : result, ...note(last < 0 ? "" : ago(time - last)));
  }

  // MARK: Looks

  /// Returns the time of the GPS in a look and the accuracy of its location, as text, and the end of the look.
  function resultOf(look) {
    const band = record.gps.find(each => each.to > look.t && each.from <= look.t + 0.05), end = band?.to ?? look.t;
    const index = countUpTo(locations.t, end + 0.05) - 1, isFound = index >= 0 && locations.t[index] >= look.t - 0.05;
    return [`${(end - look.t).toFixed(1)}\u00a0s`,
      isFound ? `±${metres(locations.acc[index])}` : end >= duration ? "the end" : "no location", end];
  }
  function fillLooks(most) {
    $("looks").tBodies[0].replaceChildren(...looks.slice(0, most).map(look => {
      const button = make("button", { type: "button", "aria-label": `Go to ${clock(look.t)}` }, clock(look.t));
      button.addEventListener("click", () => {
        go(look.t);
        $("now").scrollIntoView({ block: "nearest" });
      });
      return make("tr", {}, ...[button, look.words, ...resultOf(look).slice(0, 2)].map(cell => make("td", {}, cell)));
    }));
    $("more").hidden = looks.length <= most;
  }
  fillLooks(25);
  $("more").textContent = `Show all ${looks.length}`;
  onClick("more", () => {
    fillLooks(Infinity);
    $("looks").tBodies[0].rows[25].querySelector("button").focus();
  });

  map = makeMap(record, cursor, { kept: kept?.map.view(kept.isFixed), editor });
  timeline = makeTimeline(record, cursor, kept?.timeline.view());
  function draw() {
    map.draw();
    timeline.draw();
  }
  // A print keeps the drawing of the screen.
  listen(matchMedia("(prefers-color-scheme: dark)"), "change", () => { if (!matchMedia("print").matches) draw(); });
  $("playback").hidden = false;
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (width === $("map").clientWidth) return;
    width = $("map").clientWidth;
    draw();
  });
  observer.observe($("map"));
  views.signal.addEventListener("abort", () => {
    observer.disconnect();
    if (cursor.isPlaying) toggle();
  });
  if (wasPlaying) toggle();
  showNow();
  return { record, cursor, map, timeline, draw, standard };
}
