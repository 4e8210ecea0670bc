#if os(Linux) || os(macOS)
  extension ReportPage {
    /// What the page has before the data: the script fills it.
    static let body = #"""
      <header>
        <h1 id="title">LocoKit report</h1>
        <p class="muted" id="facts"></p>
        <p class="note small" id="privacy" hidden><strong>This file holds places.</strong> It shows where a device was, and when: pass it on as you
          would pass on that. It loads nothing and sends nothing.</p>
        <noscript><p>This page draws what it shows: it needs JavaScript.</p></noscript>
      </header>
      <main>
        <ul class="tiles" id="tiles"></ul>
        <div id="playback" hidden>
          <div class="two">
            <section class="card" aria-labelledby="map-title">
              <div class="head">
                <h2 id="map-title">Map</h2>
                <div class="tools">
                  <button type="button" id="follow" aria-pressed="false">Follow</button>
                  <button type="button" id="map-in" aria-label="Map: closer">+</button>
                  <button type="button" id="map-out" aria-label="Map: farther">−</button>
                  <button type="button" id="map-all">All</button>
                </div>
              </div>
              <div class="view" id="map"><canvas role="img"></canvas><canvas aria-hidden="true"></canvas></div>
              <ul class="legend" id="map-legend"></ul>
            </section>
            <section class="card" aria-labelledby="now-title">
              <h2 id="now-title">At the cursor</h2>
              <dl class="now" id="now"></dl>
            </section>
          </div>
          <div class="card player" role="group" aria-label="Playback">
            <button type="button" class="main" id="play">▶ Play</button>
            <span class="tools">
              <button type="button" id="previous" aria-label="Previous look">‹ look</button>
              <button type="button" id="next" aria-label="Next look">look ›</button>
            </span>
            <input type="range" id="slider" min="0" step="1" value="0" aria-label="Time">
            <output id="clock" for="slider"></output>
            <select id="speed" aria-label="Speed"></select>
          </div>
          <section class="card" aria-labelledby="timeline-title">
            <div class="head">
              <h2 id="timeline-title">Timeline</h2>
              <div class="tools">
                <span class="muted small" id="window"></span>
                <button type="button" id="time-in" aria-label="Timeline: closer">+</button>
                <button type="button" id="time-out" aria-label="Timeline: farther">−</button>
                <button type="button" id="time-all">All</button>
              </div>
            </div>
            <div class="view" id="timeline"><canvas role="img"></canvas><canvas aria-hidden="true"></canvas></div>
            <ul class="legend" id="timeline-legend"></ul>
          </section>
          <div class="halves">
            <section class="card" id="summary-card" aria-labelledby="summary-title" hidden>
              <h2 id="summary-title">Summary</h2>
              <table class="summary"><caption class="hidden">The figures of the summary</caption><tbody id="summary"></tbody></table>
            </section>
            <div>
              <section class="card" aria-labelledby="looks-title">
                <h2 id="looks-title">Looks</h2>
                <table id="looks">
                  <caption>Each time the GPS went on. Press a time to go there.</caption>
                  <thead><tr><th scope="col">Time</th><th scope="col">Why</th><th scope="col">GPS on</th><th scope="col">Came to</th></tr></thead>
                  <tbody></tbody>
                </table>
                <p><button type="button" id="more" hidden>Show all</button></p>
              </section>
              <details class="card">
                <summary>Keys</summary>
                <dl class="keys">
                  <dt><kbd>Space</kbd></dt><dd>play and pause</dd>
                  <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd id="key-step"></dd>
                  <dt><kbd>Shift</kbd> <kbd>←</kbd> <kbd>→</kbd></dt><dd>ten times as far</dd>
                  <dt><kbd>,</kbd> <kbd>.</kbd></dt><dd>a second back and on</dd>
                  <dt><kbd>P</kbd> <kbd>N</kbd></dt><dd>the previous and the next look</dd>
                  <dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>the beginning and the end</dd>
                  <dt><kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd></dt><dd>the timeline closer, farther, all of it</dd>
                </dl>
              </details>
            </div>
          </div>
        </div>
        <div id="comparison" hidden>
          <section class="card" aria-labelledby="frontier-title">
            <h2 id="frontier-title">What each policy costs and gives</h2>
            <p class="muted small">Farther left is less of the GPS, farther down is a smaller error; both axes are logarithmic. The line is the
              least possible: what one needs that knows the whole way, to be never farther off. Press a point, or choose one with the
              arrow keys.</p>
            <div id="frontier"></div>
            <ul class="legend" id="frontier-legend"></ul>
            <div id="chosen" class="note" aria-live="polite"></div>
          </section>
          <section class="card" aria-labelledby="policies-title">
            <h2 id="policies-title">Policies</h2>
            <div class="scroll" tabindex="0" role="region" aria-labelledby="policies-title"><table id="policies"></table></div>
          </section>
          <section class="card" aria-labelledby="sources-title">
            <h2 id="sources-title">Bounds, by what can wake the app</h2>
            <div class="scroll" tabindex="0" role="region" aria-labelledby="sources-title"><table id="sources"></table></div>
          </section>
          <section class="card" aria-labelledby="assumptions-title">
            <h2 id="assumptions-title">Assumptions</h2>
            <div id="assumptions"></div>
          </section>
        </div>
      </main>
      <footer class="muted small"><p id="made"></p></footer>
      """#
  }
#endif
