/* News of runs and jobs, as they happen: told to the page as events of its body, on which its parts renew themselves
   (hx-trigger="lamp:runs from:body"). Every element with data-source-row is renewed alone.

   lamp:runs   a run began or ended, or a job changed; at most once in two seconds
   lamp:source the same, at once; event.detail is the news, with source_id

   lamp:open   the news begin: whatever happened since the page was written, or since it was last looked at, was missed

   A page that nobody looks at listens to nothing: browsers open few connections to one server. */

const NEWS = ["execution_started", "execution_finished", "job_changed"];
const PAUSE = 2000;
let stream = null;
let waiting = null;

export function listen() {
  if (!document.querySelector("[data-live]")) return;
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  if (!document.hidden) open();
}

function open() {
  if (stream) return;
  stream = new EventSource("/sse/crawler/events");
  stream.addEventListener("open", catchUp);
  for (const kind of NEWS) stream.addEventListener(kind, (event) => tell(JSON.parse(event.data), kind));
}

function close() {
  stream?.close();
  stream = null;
}

function catchUp() {
  document.body.dispatchEvent(new CustomEvent("lamp:open"));
  for (const row of document.querySelectorAll("[data-source-row]")) {
    if (mayHaveMovedOn(row)) renew(row);
  }
  tellOfRuns();
}

/* Of the others, nothing that was missed would be shown. */
function mayHaveMovedOn(row) {
  const next = row.querySelector(".next-run time");
  return row.querySelector(".badge.busy") !== null || (next !== null && Date.parse(next.dateTime) <= Date.now());
}

function tell(news, kind) {
  document.body.dispatchEvent(new CustomEvent("lamp:source", { detail: { kind, ...news } }));
  document.querySelectorAll(`[data-source-row="${CSS.escape(news.source_id)}"]`).forEach(renew);
  tellOfRuns();
}

function renew(row) {
  htmx.ajax("GET", `/sources/${row.dataset.sourceRow}/row`, { target: row, swap: "outerHTML" });
}

function tellOfRuns() {
  waiting ??= setTimeout(() => {
    waiting = null;
    document.body.dispatchEvent(new CustomEvent("lamp:runs"));
  }, PAUSE);
}
