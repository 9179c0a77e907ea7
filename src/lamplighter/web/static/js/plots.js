/* Lines and stacked bars of <figure data-plot>, drawn by uPlot, which is fetched when the first one is there. The legend
   tells the values under the pointer, and the latest ones otherwise. */

let library = null;
const HEIGHT = 150;
const DAY = 86400;
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const MOMENT = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const BYTES = ["B", "KB", "MB", "GB", "TB"];

export async function drawPlots(root) {
  const figures = [...root.querySelectorAll("figure[data-plot]:not([data-drawn])")];
  if (figures.length === 0) return;
  for (const figure of figures) figure.dataset.drawn = "";
  library ??= load();
  await library;
  for (const figure of figures) if (figure.isConnected) draw(figure);
}

function load() {
  return new Promise((resolve, reject) => {
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = new URL("../vendor/uPlot.min.css", import.meta.url);
    const script = document.createElement("script");
    script.src = new URL("../vendor/uPlot.iife.min.js", import.meta.url);
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
    document.head.append(sheet, script);
  });
}

/* A canvas takes no variables, and does not know whether it is light or dark. */
function colour(figure, name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  figure.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/* Bars are drawn one over the other: each from the ground to the top of all layers up to its own, the highest first. */
function stacked(series) {
  const tops = [];
  for (const [layer, { values }] of series.entries()) {
    const below = tops[layer - 1];
    tops.push(values.map((value, at) => (value == null && below?.[at] == null ? null : (value ?? 0) + (below?.[at] ?? 0))));
  }
  return tops.reverse();
}

function withUnit(value, unit) {
  if (unit !== "B") return `${value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })}${unit === "waiting" ? "" : ` ${unit}`}`;
  const size = value < 1 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(value) / 3));
  return `${Number((value / 1000 ** size).toPrecision(3))} ${BYTES[size]}`;
}

function draw(figure) {
  const { times, unit, stacked: isStacked, series } = JSON.parse(figure.dataset.plot);
  const layers = isStacked ? [...series].reverse() : series;
  const values = isStacked ? stacked(series) : series.map((each) => each.values);
  const step = times[1] - times[0];
  const grid = { stroke: colour(figure, "--line"), width: 1 };
  const axis = { stroke: colour(figure, "--soft"), grid, ticks: grid, font: "11px system-ui" };
  const written = (value) => (unit === "B" ? withUnit(value, unit) : SHORT.format(value));
  const options = {
    width: figure.clientWidth,
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    cursor: { y: false, points: { show: !isStacked }, drag: { x: false, y: false } },
    axes: [
      { ...axis, space: 60, values: (_, ticks, __, ___, gap) => ticks.map((at) => (gap >= DAY ? DATE : CLOCK).format(at * 1000)) },
      { ...axis, size: 58, space: 28, label: unit === "B" ? undefined : unit, labelSize: 16, labelGap: 0, labelFont: "11px system-ui", values: (_, ticks) => ticks.map(written) },
    ],
    scales: {
      x: { range: (_, low, high) => [low, high + (isStacked ? step : 0)] },
      y: { range: (_, low, high) => [Math.min(0, low ?? 0), high > 0 ? high * 1.05 : 1] },
    },
    series: [
      { label: "Time", value: (_, at) => (at == null ? "-" : MOMENT.format(at * 1000)) },
      ...layers.map(({ label, values: own, tone }) => {
        const ink = colour(figure, `--${tone}`);
        return {
          label,
          stroke: isStacked ? undefined : ink,
          fill: isStacked ? ink : undefined,
          width: isStacked ? 0 : 1.5,
          spanGaps: !isStacked,
          points: { show: !isStacked && times.length < 60, size: 4, fill: ink, stroke: ink },
          paths: isStacked ? uPlot.paths.bars({ size: [0.8, 40], align: 1 }) : undefined,
          value: (_, __, ___, at) => (at == null || own[at] == null ? "-" : withUnit(own[at], unit)),
        };
      }),
    ],
  };
  const plot = new uPlot(options, [times, ...values], figure);
  if (isStacked) [...figure.querySelectorAll(".u-series")].slice(1).reverse().forEach((row) => row.parentElement.append(row));
  rest(plot, times.length - 1);
  new ResizeObserver(() => plot.setSize({ width: figure.clientWidth, height: HEIGHT })).observe(figure);
}

function rest(plot, last) {
  const show = () => plot.setLegend({ idx: last });
  plot.over.addEventListener("mouseleave", () => setTimeout(show));
  setTimeout(show);
}
