/* The hours of the coming day and the windows of the week on the viewer's own clocks. */

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function showHours(root) {
  for (const time of root.querySelectorAll("time[data-hour]")) {
    const shown = CLOCK.format(new Date(time.dateTime));
    time.textContent = time.dataset.hour === "short" && shown.endsWith(":00") ? shown.slice(0, 2) : shown;
  }
}

function offerOwnZone(root) {
  const place = root.querySelector("[data-own-zone]:empty");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const chosen = new URLSearchParams(location.search).get("zone") ?? "own";
  if (!place || !zone || zone === "UTC" || zone === chosen) return;
  const link = document.createElement("a");
  link.href = `/schedule?zone=${encodeURIComponent(zone)}#windows`;
  link.textContent = `yours (${zone})`;
  place.append(", ", link);
}

function dress(root) {
  showHours(root);
  offerOwnZone(root);
}

dress(document);
document.body.addEventListener("htmx:load", (event) => dress(event.detail.elt));
