#if os(Linux) || os(macOS)
  extension ReportPage {
    /// The look of the page, light and dark, wide and narrow.
    static let style = #"""
      :root {
        color-scheme: light dark;
        --bg: #f4f6f8; --card: #ffffff; --text: #1b1f24; --muted: #56606b; --line: #d5dbe1; --soft: #eaeef2; --accent: #0b5fcc;
        --on-accent: #ffffff; --held: #0b5fcc; --estimate: #8a3ffc; --device: #14181d; --bound: #c2410c; --gps: #12824c;
        --route: #a9b3be; --trail: #4a5562; --over: #f9d5cb; --dwelling: #eef1f4; --refused: #a8480c;
        --significantChange: #946200; --regionExit: #c4183c; --arrival: #8a5a00; --departure: #6b4fbb; --cell: #0e7490; --motion: #b5277d; --timer: #5a6572;
        --init: #c6ced6; --prompted: #e0b03a; --denied: #c4183c; --waitingSignificantChange: #bfd8f4; --acquiring: #12824c;
        --paused: #8b949e;
      }
      @media (prefers-color-scheme: dark) {
        :root {
          --bg: #0d1117; --card: #161b22; --text: #e6edf3; --muted: #9da8b4; --line: #303842; --soft: #212831; --accent: #71b3ff;
          --on-accent: #08111f; --held: #71b3ff; --estimate: #c8a2ff; --device: #ffffff; --bound: #ff9f5a; --gps: #3ddc84;
          --route: #56616e; --trail: #b9c3ce; --over: #4a2118; --dwelling: #1d242d; --refused: #f0a35e;
          --significantChange: #e5b544; --regionExit: #ff8291; --arrival: #f0c27a; --departure: #b7a3f5; --cell: #53d1e7; --motion: #f890d1; --timer: #a7b2be;
          --init: #4b5563; --prompted: #e5b544; --denied: #ff8291; --waitingSignificantChange: #24466d; --acquiring: #3ddc84;
          --paused: #8b949e;
        }
      }
      * { box-sizing: border-box; }
      body {
        margin: 0; background: var(--bg); color: var(--text); overflow-wrap: anywhere;
        font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
      }
      main, header, footer { max-width: 1320px; margin: 0 auto; padding: 0 20px; }
      header { padding-top: 22px; }
      h1 { font-size: 24px; margin: 0; letter-spacing: -0.01em; }
      h2 { font-size: 16px; margin: 0 0 10px; }
      p { margin: 4px 0; }
      .muted { color: var(--muted); }
      .small { font-size: 13px; }
      .card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 16px; margin: 16px 0; min-width: 0; }
      .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px; margin: 16px 0; padding: 0; list-style: none; }
      .tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 12px 16px; margin: 0; }
      .tile .figure { font-size: 26px; font-weight: 650; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; line-height: 1.25; }
      .two { display: grid; grid-template-columns: minmax(0, 1fr) 330px; gap: 16px; }
      .two > .card { margin: 0; }
      .halves { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; align-items: start; }
      .halves > .card { margin: 0; }
      .halves > div > .card:first-child { margin-top: 0; }
      .view { position: relative; border-radius: 8px; overflow: hidden; }
      .view canvas { display: block; width: 100%; height: 100%; }
      .view canvas + canvas { position: absolute; inset: 0; }
      #map { height: 430px; background: var(--bg); touch-action: pan-y; cursor: grab; }
      #map.dragging { cursor: grabbing; }
      #timeline { touch-action: pan-y; cursor: pointer; }
      .head { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; margin-bottom: 10px; }
      .head h2 { margin: 0; flex: 1 1 auto; }
      .tools { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
      button, select {
        font: inherit; color: var(--text); background: var(--soft); border: 1px solid var(--line); border-radius: 8px; min-height: 34px;
        padding: 3px 11px; cursor: pointer; white-space: nowrap;
      }
      button:hover, select:hover { border-color: var(--accent); }
      button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; min-width: 92px; }
      button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
      :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
      .player {
        position: sticky; bottom: 0; z-index: 2; display: grid; grid-template-columns: auto auto minmax(0, 1fr) auto auto;
        gap: 8px 12px; align-items: center; padding: 10px 16px; box-shadow: 0 2px 14px rgb(0 0 0 / 12%);
      }
      .player input { width: 100%; accent-color: var(--accent); height: 26px; margin: 0; }
      #clock { font-variant-numeric: tabular-nums; font-weight: 650; min-width: 76px; text-align: right; }
      .now { margin: 0; display: grid; grid-template-columns: 92px minmax(0, 1fr); gap: 9px 10px; }
      .now dt { color: var(--muted); font-size: 13px; padding-top: 1px; }
      .now dd { margin: 0; font-variant-numeric: tabular-nums; }
      .now .small { display: block; }
      .chip { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; }
      .bar { height: 7px; border-radius: 4px; background: var(--soft); margin-top: 5px; position: relative; overflow: hidden; }
      .bar > span { position: absolute; inset: 0 auto 0 0; background: var(--held); border-radius: 4px; }
      .bar.over > span { background: var(--bound); }
      .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0 0; padding: 0; list-style: none; font-size: 13px; color: var(--muted); }
      .legend svg { width: 18px; height: 14px; vertical-align: -2px; margin-right: 5px; }
      table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
      caption { text-align: left; color: var(--muted); font-size: 13px; padding-bottom: 6px; }
      th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: normal; }
      th { font-weight: 550; }
      th:first-child, td:first-child { text-align: left; padding-left: 0; }
      .scroll th:first-child { min-width: 124px; }
      th:last-child, td:last-child { padding-right: 0; }
      tbody tr:last-child > * { border-bottom: 0; }
      thead th { color: var(--muted); font-size: 13px; font-weight: 500; vertical-align: bottom; }
      .summary th { font-weight: 400; }
      .summary th.sub { padding-left: 18px; color: var(--muted); }
      .summary td { width: 42%; }
      .summary tr.zero > * { color: var(--muted); }
      #looks :is(th, td):nth-child(2) { text-align: left; }
      .scroll { overflow-x: auto; }
      tr.chosen > * { background: var(--soft); }
      td button { min-height: 26px; padding: 0 8px; font-variant-numeric: tabular-nums; }
      details > summary { cursor: pointer; font-weight: 600; }
      details[open] > summary { margin-bottom: 10px; }
      kbd { font: inherit; font-size: 13px; background: var(--soft); border: 1px solid var(--line); border-radius: 5px; padding: 0 5px; white-space: nowrap; }
      .keys { display: grid; grid-template-columns: auto 1fr; gap: 5px 14px; margin: 0; font-size: 14px; }
      .keys dd { margin: 0; }
      .note { border-left: 4px solid var(--bound); padding: 2px 0 2px 12px; margin: 12px 0 0; }
      footer { padding-bottom: 36px; }
      #frontier svg { display: block; width: 100%; height: auto; font-size: 13px; }
      #frontier text { fill: var(--text); }
      #frontier .quiet { fill: var(--muted); }
      #frontier .grid { stroke: var(--line); }
      #frontier .least { fill: none; stroke: var(--bound); stroke-width: 2.5; }
      #frontier .region { fill: var(--bound); opacity: 0.07; }
      #frontier .leader { stroke: var(--line); }
      #frontier [role="radio"] { cursor: pointer; outline: none; }
      #frontier .ring { fill: none; stroke: none; }
      #frontier [role="radio"]:focus-visible .ring { stroke: var(--accent); stroke-width: 3; }
      #frontier [aria-checked="true"] .ring { stroke: var(--text); stroke-width: 1.5; }
      #frontier [aria-checked="true"] text, #frontier [role="radio"]:hover text { font-weight: 700; }
      .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
      [hidden] { display: none !important; }
      @media (max-width: 900px) {
        .two, .halves { grid-template-columns: minmax(0, 1fr); }
        main, header, footer { padding-left: 12px; padding-right: 12px; }
        .card { padding: 12px; margin: 12px 0; }
        .tiles { grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 8px; }
        .tile { padding: 9px 12px; }
        .tile .figure { font-size: 22px; }
        .tile:last-child:nth-child(odd) { grid-column: 1 / -1; }
        #map { height: min(66vw, 380px); }
        .player { grid-template-columns: auto 1fr auto; padding: 8px 12px; gap: 6px 8px; }
        .player input { grid-column: 1 / -1; grid-row: 1; }
        .player .tools { justify-self: center; flex-wrap: nowrap; }
        th, td { padding: 5px 6px; }
        button.main { min-width: 80px; }
        #clock { min-width: 0; grid-row: 2; grid-column: 3; display: none; }
      }
      """#
  }
#endif
