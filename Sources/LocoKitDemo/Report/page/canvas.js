// Drawing on a canvas, in CSS pixels.

/// The colours of report.css, light or dark.
const colour = new Proxy(getComputedStyle(document.documentElement), { get: (style, name) => style.getPropertyValue("--" + name) });

/// Clears a canvas and fits it to its element. Returns its context, width and height.
function prepare(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas.parentElement, ratio = devicePixelRatio || 1;
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  // Setting a size reallocates the canvas, even if it is the same.
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) [canvas.width, canvas.height] = [pixelWidth, pixelHeight];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.lineJoin = context.lineCap = "round";
  return [context, width, height];
}

function fill(context, style, alpha = 1, path = undefined) {
  context.fillStyle = style;
  context.globalAlpha = alpha;
  if (path) context.fill(path); else context.fill();
  context.globalAlpha = 1;
}

function stroke(context, style, width, dash = [], path = undefined) {
  context.strokeStyle = style;
  context.lineWidth = width;
  context.setLineDash(dash);
  if (path) context.stroke(path); else context.stroke();
}

function circle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/// Begins a path of one line.
function line(context, points) {
  context.beginPath();
  addLine(context, points);
}
function addLine(context, points) {
  points.forEach(([x, y], index) => context[index ? "lineTo" : "moveTo"](x, y));
}

/// Draws with a rectangle as the clip.
function clipped(context, x, y, width, height, draw) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  draw();
  context.restore();
}
