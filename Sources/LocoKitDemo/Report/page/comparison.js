// The comparison of policies: a chart, two tables and the assumptions.

const phoneTitles = [
  ["background", false, "a phone, the app in the background"],
  ["dutyCycled", false, "a phone, the app kept running by 3 km updates between looks"], ["keptAtRest", false, "a phone, the app kept running at rest too"],
  ["suspended", false, "a phone, the app never kept running"], ["foreground", false, "a phone, the app in the foreground"],
  ["gpsd", false, "a receiver on Linux, with gpsd"], ["gpsd", true, "the same, bounding the estimate"],
];

function showComparison(comparison, least) {
  /// The error that the bound applies to.
  const errorOf = row => row.isForEstimate ? row.estimateP95ErrorMeters : row.p95ErrorUnderWayMeters;
  const policies = comparison.policies.filter(row => errorOf(row) != null && row.gpsOnShare > 0);
  const isMain = row => row.phone == null || row.phone === comparison.assumptions.phone && !row.isForEstimate;
  /// The colour and the shape of a policy's mark.
  const markOf = row => row.boundMeters != null ? ["held", "circle"]
    : row.policy.startsWith("every") ? ["timer", "square"] : ["significantChange", "up"];
  const cheapest = Math.min(...policies.map(row => row.gpsOnShare));
  const curve = (least ?? []).filter(each => each.gpsOnShare > cheapest / 3);
  let chosen = Math.max(0, policies.findIndex(row => row.boundMeters != null && isMain(row)));

  // MARK: Chart

  function draw() {
    const width = Math.max(300, $("frontier").clientWidth), isNarrow = width < 640, height = isNarrow ? 380 : 460;
    const area = { left: isNarrow ? 50 : 62, right: width - 16, top: 14, bottom: height - 46 };
    const range = values => [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
    const [x0, x1] = range([...policies, ...curve].map(each => each.gpsOnShare));
    const [y0, y1] = range([...policies.map(errorOf), ...curve.map(each => each.errorMeters)]);
    const toX = value => area.left + Math.log(value / x0) / Math.log(x1 / x0) * (area.right - area.left);
    const toY = value => area.bottom - Math.log(value / y0) / Math.log(y1 / y0) * (area.bottom - area.top);
    const svg = make("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "radiogroup", "aria-label": "Policies, by their GPS-on share and their error",
    });
    const label = (text, x, y, anchor, style = "quiet") =>
      make("text", { "aria-hidden": "true", class: style, x, y, "text-anchor": anchor }, text);
    const gridLine = (x1, y1, x2, y2) => make("line", { class: "grid", x1, y1, x2, y2 });
    const powers = Array.from({ length: 11 }, (_, index) => Number(`1e${index - 4}`));
    const ticks = (from, to) => powers.flatMap(each => [each, 2 * each, 5 * each]).filter(each => each >= from && each <= to);
    for (const share of ticks(x0, Math.min(x1, 1))) {
      const x = toX(share);
      svg.append(gridLine(x, area.top, x, area.bottom), label(`${+(share * 100).toFixed(2)} %`, x, area.bottom + 18, "middle"));
    }
    for (const error of ticks(y0, y1)) {
      const y = toY(error);
      svg.append(gridLine(area.left, y, area.right, y),
        label(error >= 1000 ? `${error / 1000} km` : `${error} m`, area.left - 7, y + 4, "end"));
    }
    svg.append(
      label("GPS on, share of the time", (area.left + area.right) / 2, height - 8, "middle"),
      label("error under way, 95 %", area.left + 6, area.top + 12, "start"));
    if (curve.length > 1) {
      const points = curve.map(each => `${toX(each.gpsOnShare).toFixed(1)} ${toY(each.errorMeters).toFixed(1)}`);
      const region = [`${area.left} ${area.bottom}`, `${area.left} ${toY(curve.at(-1).errorMeters)}`, ...points.toReversed(),
        `${toX(curve[0].gpsOnShare)} ${area.bottom}`];
      svg.append(make("path", { class: "region", d: `M${region.join("L")}z` }), make("path", { class: "least", d: "M" + points.join("L") }));
    }

    // Areas that a label may not cover: the marks, the curve, and the labels already placed.
    const taken = policies.map(row => [toX(row.gpsOnShare) - 8, toY(errorOf(row)) - 8, 16, 16]);
    for (let index = 1; index < curve.length; index++) {
      for (let share = 0; share < 1; share += 0.1) {
        const between = key => curve[index - 1][key] ** (1 - share) * curve[index][key] ** share;
        taken.push([toX(between("gpsOnShare")) - 2, toY(between("errorMeters")) - 2, 4, 4]);
      }
    }
    function policyLabel(row, index, x, y) {
      const text = isNarrow ? row.policy.replace("within ", "") : row.policy, length = text.length * 7;
      const spots = [[15, 4, "start"], [-15, 4, "end"], [0, -13, "middle"], [0, 24, "middle"], [12, -12, "start"], [12, 20, "start"],
        [-12, -12, "end"], [-12, 20, "end"]];
      for (const [dx, dy, anchor] of spots) {
        const left = x + dx - { start: 0, middle: length / 2, end: length }[anchor], top = y + dy - 12;
        const isFree = left > area.left && left + length < width && taken.every(([a, b, c, d], other) =>
          other === index || left > a + c || left + length < a || top > b + d || top + 15 < b);
        if (!isFree) continue;
        taken.push([left, top, length, 15]);
        return [label(text, x + dx, y + dy, anchor, null)];
      }
      return [];
    }
    /// Marks overlap in a narrow window: a press chooses the one whose centre is nearest.
    function nearest(event) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const distances = policies.map(row => Math.hypot(toX(row.gpsOnShare) - point.x, toY(errorOf(row)) - point.y));
      return distances.indexOf(Math.min(...distances));
    }
    const groups = policies.map((row, index) => {
      const x = toX(row.gpsOnShare), y = toY(errorOf(row)), [name, shape] = markOf(row), isFilled = isMain(row);
      const group = make("g", { role: "radio", tabindex: index === chosen ? 0 : -1, "aria-checked": String(index === chosen),
        "aria-label": `${row.policy}: GPS on ${percent(row.gpsOnShare)}, error ${metres(errorOf(row))}` });
      const mark = make("path", { d: shapePath(shape, x, y, isFilled ? 6.5 : 5) });
      mark.style.fill = isFilled ? `var(--${name})` : "var(--card)";
      mark.style.stroke = `var(--${name})`;
      mark.style.strokeWidth = isFilled ? 0 : 1.6;
      // The transparent circle makes the mark large enough for a finger.
      group.append(
        make("circle", { cx: x, cy: y, r: 15, fill: "transparent" }), make("circle", { class: "ring", cx: x, cy: y, r: 11 }), mark,
        ...(isFilled ? policyLabel(row, index, x, y) : []));
      group.addEventListener("click", event => choose(event.target.tagName === "text" ? index : nearest(event)));
      return group;
    });
    svg.append(...groups.filter((_, index) => !isMain(policies[index])), ...groups.filter((_, index) => isMain(policies[index])));
    svg.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const wanted = step ? (chosen + step + policies.length) % policies.length : { Home: 0, End: policies.length - 1 }[event.key];
      if (wanted == null) return;
      event.preventDefault();
      choose(wanted);
    });
    $("frontier").replaceChildren(svg);
  }

  function showChosen() {
    const row = policies[chosen];
    $("chosen").replaceChildren(make("strong", {}, row.policy),
      `: GPS on for ${percent(row.gpsOnShare)} of the time, ${milliwatts(row.milliwatts)}, ${battery(row.percentPerHour)} of a new battery `
        + "per hour, ",
      row.timesOracle == null ? "" : `${row.timesOracle.toFixed(1)} times the least possible GPS time for its error, `,
      `${row.startsPerHour?.toFixed(1) ?? "–"} GPS starts and ${row.wakesPerHour?.toFixed(1) ?? "–"} wake-ups per hour. `,
      `The median error under way is ${metres(row.medianErrorUnderWayMeters)}; 95 % of the errors are under `
        + `${metres(row.p95ErrorUnderWayMeters)}`,
      row.estimateP95ErrorMeters == null ? "." : `, and under ${metres(row.estimateP95ErrorMeters)} for the estimate.`);
    for (const each of document.querySelectorAll("[data-policy]")) each.classList.toggle("chosen", each.dataset.policy === row.policy);
  }
  function choose(index) {
    chosen = index;
    draw();
    showChosen();
    $("frontier").querySelector('[aria-checked="true"]').focus();
  }

  // MARK: Tables

  const decimal = value => value?.toFixed(1) ?? "–";
  const columns = [
    ["Policy", row => row.policy], ["GPS on", row => percent(row.gpsOnShare)], ["Kept running", row => percent(row.keptRunningShare)],
    ["Power", row => milliwatts(row.milliwatts)], ["Battery per hour", row => battery(row.percentPerHour)],
    ["iPhone 13 Pro Max", row => batteryRange(row.percentPerHour13ProMax)],
    ["Starts per hour", row => decimal(row.startsPerHour)], ["Wake-ups per hour", row => decimal(row.wakesPerHour)],
    ["Error, median", row => metres(row.medianErrorUnderWayMeters)], ["Error, 95 %", row => metres(row.p95ErrorUnderWayMeters)],
    ["Estimate, 95 %", row => metres(row.estimateP95ErrorMeters)], ["Known", row => percent(row.coverage)],
    ["GPS on, dwelling", row => percent(row.dwellGPSOnShare)], ["× least", row => decimal(row.timesOracle)],
  ];
  const header = texts => make("thead", {}, make("tr", {}, ...texts.map(text => make("th", { scope: "col" }, text))));
  const rowHeader = text => make("th", { scope: "row" }, text);
  $("policies").append(
    make("caption", {}, "Errors are counted under way: while the device was, or will be, more than 100 m away within five minutes."),
    header(columns.map(([title]) => title)),
    make("tbody", {}, ...comparison.policies.filter(isMain).map(row => make("tr", { "data-policy": row.policy },
      rowHeader(row.policy), ...columns.slice(1).map(([, show]) => make("td", {}, show(row)))))));
  const bounds = [...new Set(comparison.policies.filter(row => row.phone != null && row.boundMeters != null).map(row => row.boundMeters))];
  $("sources").append(make("caption", {}, "The GPS-on share, the power, and the error that 95 % of the errors are under."),
    header([make("span", { class: "hidden" }, "The way in which the app runs"), ...bounds.map(bound => `within ${metres(bound)}`)]),
    make("tbody", {}, ...phoneTitles.map(([phone, isForEstimate, title]) => make("tr", {}, rowHeader(title),
      ...bounds.map(bound => {
        const row = comparison.policies.find(each => each.phone === phone && each.isForEstimate === isForEstimate && each.boundMeters === bound);
        if (!row) return make("td", {}, "–");
        const error = errorOf(row);
        return make("td", { "data-policy": row.policy }, [percent(row.gpsOnShare), milliwatts(row.milliwatts), metres(error)].join(", "));
      })))));

  // MARK: Assumptions and tiles

  const assumed = comparison.assumptions;
  $("assumptions").append(...[
    "Power is what the app’s services add to the power of the device: an iPhone 6, or with gpsd only a receiver.",
    `The receiver has a satellite fix ${assumed.hotStartSeconds} s after a hot start and ${assumed.warmStartSeconds} s after a warm `
      + "start (medians). On a phone, Wi-Fi and cells give a fix after 0.7 s.",
    `Loco’s rule and the looks at fixed intervals stop at an accuracy of ${metres(assumed.desiredAccuracyMetersWithoutBound)}, looks for an `
      + `error bound at a third of it. The least possible assumes ${assumed.acquisitionSecondsOfOracle} s per look.`,
    `Tracks: ${comparison.tracks.join(", ")}, ${clock(comparison.durationSeconds)} in all.`,
  ].map(text => make("p", {}, text)));
  legend("frontier-legend", [
    ["shape", "held", "an error bound", "circle"], ["shape", "timer", "looks at a fixed interval", "square"],
    ["shape", "significantChange", "Loco’s rule", "up"], ["line", "bound", "the least possible"],
  ]);
  $("frontier-legend").append(make("li", {}, "hollow: a variant, see the table of error bounds"));
  $("comparison").hidden = false;
  for (const row of policies.filter(row => row.timesOracle != null && row.boundMeters != null && isMain(row))) {
    tile(row.policy[0].toUpperCase() + row.policy.slice(1), percent(row.gpsOnShare),
      `GPS on, for 95 % of the errors under ${metres(errorOf(row))}; ${row.timesOracle.toFixed(1)} × the least possible`);
  }
  if (!policies.length) return;
  draw();
  showChosen();
  let known = Math.round($("frontier").clientWidth);
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width === known) return;
    known = width;
    draw();
  }).observe($("frontier"));
}
