// Fills the page.

const data = JSON.parse($("data").textContent);
setWords(data.words);

const kinds = { drive: "Drive", replay: "Replay", compare: "Comparison" };
$("title").textContent = `${kinds[data.kind]}: ${data.title}`;
document.title = `${data.title} – LocoKit`;
$("facts").textContent = [...(data.comparison ? [clock(data.comparison.durationSeconds)] : []), ...data.facts].join(" · ");
if (data.kind === "replay") {
  document.querySelector("header").append(make("p", { class: "note small" },
    "A journal doesn’t contain the true positions. The path on the map connects the fixes, and there are no errors to show. "
    + "Unless the journal was set to keep places, all positions are moved together to another place on Earth."));
}
if (data.recording) {
  $("privacy").hidden = false;
  showPlayback(data.recording);
}
if (data.summary) {
  showSummary(data.summary);
  showTiles(data.summary, data.kind);
}
if (data.comparison) showComparison(data.comparison, data.least);
$("made").textContent = `Made by LocoKitDemo ${data.version}.`
  + (data.kind === "replay" ? "" : " The device is simulated: its receiver, its cells and its sensors are models.");

function showTiles(summary, kind) {
  tile("GPS on", percent(summary.durationSeconds ? summary.gpsOnSeconds / summary.durationSeconds : 0),
    `${summary.gpsOnSeconds} s of ${clock(summary.durationSeconds)}`);
  if (summary.milliwatts != null) {
    tile("Power", `${summary.milliwatts} mW`, `of ${deviceOf(summary)}`
      + (summary.percentPerHour == null ? "" : `, ${battery(summary.percentPerHour)} of a new battery per hour`));
  }
  if (summary.p95ErrorUnderWayMeters != null) {
    tile("Error, 95 % under", metres(summary.p95ErrorUnderWayMeters),
      "of the last location under way" + (summary.boundMeters == null ? "" : `; the bound is ${metres(summary.boundMeters)}`));
  } else if (kind === "replay") {
    tile("Error", "–", "the true position is unknown");
  }
  if (summary.estimateP95ErrorMeters != null) tile("Estimate, 95 % under", metres(summary.estimateP95ErrorMeters), "error of the estimate under way");
  // A drive can use less, because the least possible time counts no coarse fixes.
  if (summary.oracleGPSOnSeconds && summary.gpsOnSeconds >= summary.oracleGPSOnSeconds) {
    tile("Least possible", `${summary.oracleGPSOnSeconds} s`,
      `GPS on with the route known; this drive used ${(summary.gpsOnSeconds / summary.oracleGPSOnSeconds).toFixed(1)} times as much`);
  }
  tile("Looks", String(total(summary.looks)), `${summary.locations} locations accepted`);
}

function tile(name, figure, note) {
  $("tiles").append(make("li", { class: "tile" },
    make("div", { class: "muted small" }, name), make("div", { class: "figure" }, figure), make("div", { class: "muted small" }, note)));
}
