/* Keys for lists: j and k move from entry to entry (data-step), past the last one to the next page of the list, o opens
   one, m and s press its buttons (data-key), / goes to the search, ? tells of the keys. Nobody who types, and no key with
   Ctrl, Alt or Meta, is disturbed. */

const HELP = [
  ["j", "the next entry"],
  ["k", "the entry before"],
  ["o", "open it"],
  ["m", "mark it as read or unread", '[data-key="m"]'],
  ["s", "star it, or not", '[data-key="s"]'],
  ["/", "search"],
  ["?", "this list"],
];

/* Where to go on when the next page of the list is there: 1 from its first entry, -1 from its last. */
const GO_ON = "lamplighter:step";
/* The entry that somebody is on while the list is written anew. */
let place = null;

export function watchKeys() {
  document.addEventListener("keydown", onKey);
  document.body.addEventListener("htmx:beforeSwap", onBeforeSwap);
  document.body.addEventListener("htmx:afterSettle", onSettled);
  goOn();
}

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select, dialog, [contenteditable]")) return;
  const act = ACTS[event.key];
  if (act && act()) event.preventDefault();
}

const ACTS = {
  j: () => step(1),
  k: () => step(-1),
  o: () => press(current()?.querySelector("[data-open]")),
  m: () => press(current()?.querySelector('[data-key="m"]')),
  s: () => press(current()?.querySelector('[data-key="s"]')),
  "/": () => search(),
  "?": () => help(),
};

function current() {
  return document.activeElement?.closest("[data-step]") ?? null;
}

function steps() {
  return [...document.querySelectorAll("main [data-step]")];
}

function step(by) {
  const all = steps();
  if (!all.length) return false;
  const at = all.indexOf(current());
  if (at >= 0 && !all[at + by]) return turn(by);
  stand(all[Math.max(at + by, 0)]);
  return true;
}

function stand(entry) {
  entry?.focus({ preventScroll: true });
  entry?.scrollIntoView({ block: "nearest" });
}

/* To the next page of the list, or to the one before. */
function turn(by) {
  const link = document.querySelector(`main a[rel="${by > 0 ? "next" : "prev"}"]`);
  if (link) sessionStorage.setItem(GO_ON, String(by));
  return press(link);
}

function goOn() {
  const by = Number(sessionStorage.getItem(GO_ON));
  sessionStorage.removeItem(GO_ON);
  if (by) stand(steps().at(by > 0 ? 0 : -1));
}

function press(target) {
  target?.click();
  return Boolean(target);
}

function search() {
  const field = document.querySelector('main input[type="search"]');
  field?.focus();
  field?.select();
  return Boolean(field);
}

function help() {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", "Keys");
  const list = document.createElement("dl");
  list.className = "keys";
  for (const [key, meaning, where] of HELP) {
    if (where && !document.querySelector(where)) continue;
    const term = document.createElement("dt");
    term.append(Object.assign(document.createElement("kbd"), { textContent: key }));
    list.append(term, Object.assign(document.createElement("dd"), { textContent: meaning }));
  }
  const close = Object.assign(document.createElement("button"), { textContent: "Close", type: "button" });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(Object.assign(document.createElement("h2"), { textContent: "Keys" }), list, close);
  document.body.append(dialog);
  dialog.showModal();
  return true;
}

/* A list that is written anew has other elements: whoever was on an entry stays there, or at its place if it is gone. */
function onBeforeSwap(event) {
  const entry = current();
  if (entry && event.detail.target.contains(entry)) place = { id: entry.id, at: steps().indexOf(entry) };
}

function onSettled(event) {
  if (sessionStorage.getItem(GO_ON) && event.target.querySelector?.("[data-step]")) {
    place = null;
    goOn();
  }
  if (!place) return;
  const { id, at } = place;
  place = null;
  if (current()) return;
  (document.getElementById(id) ?? steps().slice(0, at + 1).at(-1))?.focus({ preventScroll: true });
}
