/* Keys for lists: j and k move from entry to entry (data-step), o opens one, m and s press its buttons (data-key), /
   goes to the search, ? tells of the keys. Nobody who types, and no key with Ctrl, Alt or Meta, is disturbed. */

const HELP = [
  ["j", "the next entry"],
  ["k", "the entry before"],
  ["o", "open it"],
  ["m", "mark it as read or unread"],
  ["s", "star it, or not"],
  ["/", "search"],
  ["?", "this list"],
];

export function watchKeys() {
  document.addEventListener("keydown", onKey);
  document.body.addEventListener("htmx:afterSwap", onSwapped);
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

function step(by) {
  const steps = [...document.querySelectorAll("main [data-step]")];
  if (!steps.length) return false;
  const at = steps.indexOf(current());
  const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), steps.length - 1);
  steps[next].focus({ preventScroll: true });
  steps[next].scrollIntoView({ block: "nearest" });
  return true;
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
  for (const [key, meaning] of HELP) {
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

/* An entry that was marked comes back as another element: whoever was on it stays there. */
function onSwapped(event) {
  const { target } = event.detail;
  if (!target.matches?.("[data-step]")) return;
  document.getElementById(target.id)?.focus({ preventScroll: true });
}
