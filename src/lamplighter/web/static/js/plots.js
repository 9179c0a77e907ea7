/* Curves and bars of <figure data-plot>, drawn by uPlot, which is fetched when the first one is there. */

let library = null;

export async function drawPlots(root) {
  const figures = [...root.querySelectorAll("figure[data-plot]:not([data-drawn])")];
  if (figures.length === 0) return;
  for (const figure of figures) figure.dataset.drawn = "";
  library ??= load();
  await library;
  for (const figure of figures) draw(figure);
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

function draw(figure) {
  const { times, series } = JSON.parse(figure.dataset.plot);
  const colours = ["--lamp", "--good", "--bad", "--idle"].map((name) => colour(figure, name));
  const ink = colour(figure, "--soft");
  const grid = { stroke: colour(figure, "--line"), width: 1 };
  const axis = { stroke: ink, grid, ticks: grid, font: "12px system-ui" };
  const isBars = figure.dataset.kind === "bars";
  const options = {
    width: figure.clientWidth,
    height: 180,
    axes: [axis, { ...axis, size: 60 }],
    scales: { y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.05 : 1] } },
    series: [
      {},
      ...series.map(([label, , unit], index) => ({
        label,
        stroke: colours[index % colours.length],
        fill: isBars ? colours[index % colours.length].replace(")", " / 40%)").replaceAll(",", "") : undefined,
        width: 2,
        spanGaps: true,
        points: { show: !isBars && times.length < 60, size: 6 },
        paths: isBars ? uPlot.paths.bars({ size: [0.7, 40] }) : undefined,
        value: (_, value) => (value == null ? "-" : `${value} ${unit}`),
      })),
    ],
  };
  const plot = new uPlot(options, [times, ...series.map(([, values]) => values)], figure);
  new ResizeObserver(() => plot.setSize({ width: figure.clientWidth, height: 180 })).observe(figure);
}
