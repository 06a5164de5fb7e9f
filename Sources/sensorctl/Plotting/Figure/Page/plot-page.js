// Shows the values at the pointer. If scripts are disabled, the page shows only the picture.
"use strict";
(() => {
  const numbers = JSON.parse(document.getElementById("numbers").textContent);
  const box = document.getElementById("figures");
  const charts = [...document.querySelectorAll("g.chart[data-x]")].map(group => {
    const [left, right, from, to] = group.dataset.x.split(" ").map(Number);
    const name = group.dataset.name;
    const trace = group.dataset.of;
    const lines = numbers.filter(line => line.chart === name && line.strokes && (trace === undefined || line.trace === trace));
    const tracks = name === "track" ? numbers.filter(line => line.chart === "track") : [];
    const [bottom, top, low, high] = (group.dataset.y || "").split(" ").map(Number);
    return { group, svg: group.ownerSVGElement, name, left, right, from, to, bottom, top, low, high, lines, tracks,
      unit: group.dataset.unit || "", decimals: Number(group.dataset.decimals) || 0 };
  });
  const timed = charts.filter(chart => chart.lines.length);
  let time = NaN;

  const clock = box.dataset.clock;
  const minus = text => text.replace("-", "\u2212");

  // Formats a time like the labels of the time axis, with two decimals.
  function timeText(at) {
    if (!/^[a-z]/.test(clock)) return new Date(Number(clock) + at * 1000).toISOString().slice(11, 22) + " UTC";
    if (clock === "s") return minus(at.toFixed(2)) + " s";
    const hundredths = Math.round(Math.abs(at) * 100), whole = Math.floor(hundredths / 100);
    const seconds = String(whole % 60).padStart(2, "0") + "." + String(hundredths % 100).padStart(2, "0");
    const minutes = Math.floor(whole / 60), sign = at < 0 && hundredths ? "\u2212" : "";
    return sign + (clock === "min" ? minutes
      : Math.floor(minutes / 60) + ":" + String(minutes % 60).padStart(2, "0")) + ":" + seconds;
  }

  // Returns the reading nearest to a time, or null in a gap. The readings of a stroke are in ascending order of time.
  // A stroke reaches `margin` seconds beyond its ends, so that a single reading can be pointed at.
  function nearest(line, at, margin) {
    let best = null;
    for (const stroke of line.strokes) {
      if (!stroke.length || at < stroke[0][0] - margin || at > stroke.at(-1)[0] + margin) continue;
      let low = 0, high = stroke.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (stroke[middle][0] < at) low = middle + 1; else high = middle;
      }
      for (const point of [stroke[low - 1], stroke[low]]) {
        if (point && (!best || Math.abs(point[0] - at) < Math.abs(best[0] - at))) best = point;
      }
    }
    return best;
  }

  function cursors(at) {
    for (const old of document.querySelectorAll("line.cursor")) old.remove();
    if (Number.isNaN(at)) return;
    for (const chart of timed) {
      const x = chart.left + (at - chart.from) / (chart.to - chart.from) * (chart.right - chart.left);
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      for (const [key, value] of Object.entries({ x1: x, x2: x, y1: chart.top, y2: chart.bottom })) line.setAttribute(key, value);
      line.setAttribute("class", "cursor");
      chart.group.append(line);
    }
  }

  function showFigures(lines, x, y) {
    box.textContent = lines.join("\n");
    box.style.visibility = "visible";
    box.style.left = Math.max(0, Math.min(x + 14, innerWidth - box.offsetWidth - 6)) + "px";
    box.style.top = Math.max(0, Math.min(y + 14, innerHeight - box.offsetHeight - 6)) + "px";
  }

  function figures(chart, at) {
    const rows = [timeText(at)];
    const margin = 4 * (chart.to - chart.from) / (chart.right - chart.left);
    for (const line of chart.lines) {
      const point = nearest(line, at, margin);
      if (!point) continue;
      const name = [line.line, numbers.some(other => other.trace !== line.trace) ? line.trace : ""].filter(Boolean).join(", ");
      rows.push((name ? name + ": " : "") + minus(point[1].toFixed(chart.decimals)) + " " + chart.unit + (line.doubtful ? " (unreliable)" : ""));
    }
    return rows;
  }

  // Returns the pointer position in the picture's coordinates.
  function pointerPosition(event, svg) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  function nearestPoint(chart, x, y) {
    let best = null, least = 18 * 18;
    // Paths and numbers are in the same order. Not every trace has a track.
    for (const [order, path] of chart.group.querySelectorAll("path[data-line=track]").entries()) {
      const track = chart.tracks[order];
      let index = 0;
      for (const match of path.getAttribute("d").matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)) {
        const distance = (match[1] - x) ** 2 + (match[2] - y) ** 2;
        if (distance < least) { least = distance; best = track.points[index]; }
        index += 1;
      }
    }
    return best;
  }

  function updatePointer(event) {
    const svg = event.target.closest && event.target.closest("svg.row");
    for (const chart of svg ? charts.filter(chart => svg.contains(chart.group)) : []) {
      const [x, y] = pointerPosition(event, svg);
      if (x < chart.left || x > chart.right || y < chart.top || y > chart.bottom) continue;
      if (chart.lines.length) {
        time = chart.from + (x - chart.left) / (chart.right - chart.left) * (chart.to - chart.from);
        cursors(time);
        return showFigures(figures(chart, time), event.clientX, event.clientY);
      }
      const found = chart.name === "track" ? nearestPoint(chart, x, y) : null;
      if (found) {
        time = found[0];
        cursors(time);
        const rows = [timeText(found[0]), found[1] + "°, " + found[2] + "°"];
        if (found[3] >= 0) rows.push("± " + found[3].toFixed(1) + " m");
        return showFigures(rows, event.clientX, event.clientY);
      }
    }
    box.style.visibility = "hidden";
    cursors(NaN);
  }

  document.addEventListener("pointermove", updatePointer);
  document.addEventListener("pointerdown", updatePointer);
  document.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !timed.length) return;
    event.preventDefault();
    const { from, to } = timed[0];  // All charts share the time axis.
    time = Math.min(to, Math.max(from, (Number.isNaN(time) ? from : time) + step * (to - from) / (event.shiftKey ? 50 : 500)));
    cursors(time);
    showFigures(timed.filter(chart => chart.svg.getClientRects().length).flatMap(chart => [chart.name + ":", ...figures(chart, time).slice(1).map(row => "  " + row)]), 8, 8);
  });
})();
