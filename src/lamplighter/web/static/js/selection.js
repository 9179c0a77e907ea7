/* Sources that are chosen stay so while one turns pages, sorts, and rows renew themselves; another filter is another
   list, of which nothing is chosen. Without this script a form takes what is ticked on its page. */

const KEPT = "lamplighter:chosen";
const NOTHING = { filter: "", ids: [], everything: false };

function kept() {
  return JSON.parse(sessionStorage.getItem(KEPT) ?? "null") ?? NOTHING;
}

function keep(chosen) {
  sessionStorage.setItem(KEPT, JSON.stringify(chosen));
}

const form = () => document.getElementById("bulk");
const ticks = () => [...form().querySelectorAll('input[name="ids"]')];

/* Tells the page how much of its lower edge the bar takes, for whatever else stands there. */
function leaveRoom() {
  const bar = form()?.querySelector(".bulk:not(.idle)");
  document.documentElement.style.setProperty("--bar-height", `${bar?.offsetHeight ?? 0}px`);
}

/* Makes the page show what is chosen. */
function show() {
  showChosen();
  leaveRoom();
}

function showChosen() {
  if (!form()) return;
  const found = kept();
  const chosen = found.filter === form().dataset.filter ? found : NOTHING;
  const ids = new Set(chosen.ids);
  const here = ticks();
  for (const tick of here) tick.checked = chosen.everything || ids.has(tick.value);
  const all = document.getElementById("pick-page");
  if (!all) return;
  const ticked = here.filter((tick) => tick.checked).length;
  all.checked = ticked === here.length;
  all.indeterminate = ticked > 0 && ticked < here.length;
  const others = chosen.ids.filter((id) => !here.some((tick) => tick.value === id));
  form().elements.others.value = others.join(" ");
  form().elements.everything.checked = chosen.everything;
  say(chosen, others.length);
}

function say(chosen, elsewhere) {
  const bar = form().querySelector(".bulk");
  bar.classList.toggle("idle", !chosen.everything && chosen.ids.length === 0);
  const more = elsewhere ? `, ${elsewhere} of them on other pages` : "";
  const text = chosen.everything ? "All selected" : `${chosen.ids.length} selected${more}`;
  const output = document.getElementById("chosen");
  if (output.textContent !== text) output.textContent = text;
}

/* Notes what was ticked on the page, beside what is chosen on others. */
function note({ everything }) {
  const found = kept();
  const before = found.filter === form().dataset.filter ? found.ids : [];
  const here = ticks();
  const others = before.filter((id) => !here.some((tick) => tick.value === id));
  const ids = [...others, ...here.filter((tick) => tick.checked).map((tick) => tick.value)];
  keep({ filter: form().dataset.filter, ids, everything });
  show();
}

document.body.addEventListener("change", (event) => {
  const box = event.target;
  if (!box.closest("#bulk")) return;
  if (box.id === "pick-page") {
    for (const tick of ticks()) tick.checked = box.checked;
    note({ everything: false });
  } else if (box.name === "everything") {
    if (!box.checked) for (const tick of ticks()) tick.checked = false;
    note({ everything: box.checked });
  } else if (box.name === "ids") {
    note({ everything: false });
  }
});

document.body.addEventListener("click", (event) => {
  if (event.target.id !== "choose-none") return;
  keep(NOTHING);
  show();
});

/* Enter in the field for a tag adds it: the first button of the form would pause instead. */
document.body.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.id !== "with-tag") return;
  event.preventDefault();
  form().querySelector('button[value="add_tag"]').click();
});

/* What was done is done: the server leads back to the list only then. */
document.body.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, xhr } = event.detail;
  const isDone = xhr.getResponseHeader("HX-Location") || xhr.getResponseHeader("HX-Redirect");
  if (requestConfig?.path === "/sources/bulk" && isDone) keep(NOTHING);
});

document.body.addEventListener("htmx:load", show);
addEventListener("resize", leaveRoom);
document.documentElement.classList.add("scripted");
show();
