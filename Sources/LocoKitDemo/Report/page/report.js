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
if (data.summary) showSummary(data.summary, data.kind);
if (data.comparison) showComparison(data.comparison, data.least);
$("made").textContent = `Made by LocoKitDemo ${data.version}.`
  + (data.kind === "replay" ? "" : " The device is simulated: its receiver, its cells and its sensors are models.");
