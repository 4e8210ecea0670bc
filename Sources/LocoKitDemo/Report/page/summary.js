// The table of a summary.

const deviceOf = ({ energyProfile }) => energyProfile === "gpsd" ? "a receiver with gpsd" : `an ${energyProfile}`;

function showSummary(summary) {
  const rows = [];
  const withUnit = (value, unit) => value == null ? "unknown" : `${value}${unit}`;
  function add(key, words, value, isSub) {
    rows.push(make("tr", { class: value === 0 && "zero" },
      make("th", { scope: "row", class: isSub && "sub" }, words), make("td", { "data-key": key }, value)));
  }
  const share = value => value == null ? "unknown" : `${(value * 100).toFixed(2).replace(/\.?0+$/, "")} %`;
  add("durationSeconds", "Time", `${clock(summary.durationSeconds)} (${summary.durationSeconds} s)`);
  add("gpsOnSeconds", "GPS on", `${summary.gpsOnSeconds} s`);
  add("dwellGPSOnShare", "of the time while dwelling", share(summary.dwellGPSOnShare), true);
  if (summary.milliwatts != null) {
    add("milliwatts", `Power added on ${deviceOf(summary)}`, `${summary.milliwatts} mW`);
    if (summary.percentPerHour != null) add("percentPerHour", "of a new battery per hour", battery(summary.percentPerHour), true);
    if (summary.percentPerHour13ProMax) {
      add("percentPerHour13ProMax", "on an iPhone 13 Pro Max, of which not all was measured", batteryRange(summary.percentPerHour13ProMax), true);
    }
    add("keptRunningShare", "of the time kept running with the GPS off", share(summary.keptRunningShare), true);
  }
  add("oracleGPSOnSeconds", "least possible for the error under way", withUnit(summary.oracleGPSOnSeconds, " s"), true);
  add("boundMeters", "Error bound", summary.boundMeters == null ? "none" : `${summary.boundMeters} m`);
  add("withinBoundShare", "of the time under way within it", share(summary.withinBoundShare), true);
  add("medianErrorMeters", "Error at all times, median", withUnit(summary.medianErrorMeters, " m"));
  add("p95ErrorMeters", "95 % under", withUnit(summary.p95ErrorMeters, " m"), true);
  add("p95ErrorUnderWayMeters", "Error under way, 95 % under", withUnit(summary.p95ErrorUnderWayMeters, " m"));
  add("estimateP95ErrorMeters", "of the estimate, 95 % under", withUnit(summary.estimateP95ErrorMeters, " m"), true);
  add("coverage", "Last location known", share(summary.coverage) + (summary.coverage == null ? "" : " of the time"));
  add("locations", "Locations", summary.locations);
  add("wakes", "Wake-ups by the system", summary.wakes);
  for (const { name, words: text } of words.outcomes) {
    if (summary.wakeOutcomes) add(`wakeOutcomes.${name}`, text, summary.wakeOutcomes[name], true);
  }
  add("looks", "Looks", total(summary.looks));
  for (const [key, number] of Object.entries(summary.looks)) add(`looks.${key}`, wordsOf(words.causes, key), number, true);
  add("acquisitions.met", "Acquisitions that met the accuracy", summary.acquisitions.met);
  add("acquisitions.timedOut", "timed out with an acceptable fix", summary.acquisitions.timedOut, true);
  add("acquisitions.failed", "failed", summary.acquisitions.failed, true);
  add("rejections", "Fixes rejected", total(summary.rejections));
  for (const [key, number] of Object.entries(summary.rejections)) add(`rejections.${key}`, wordsOf(words.reasons, key), number, true);
  if (summary.seed != null) add("seed", "Seed", summary.seed);
  $("summary").replaceChildren(...rows);
  $("summary-card").hidden = false;
}
