/* Point and teach: what is pressed in the frame, or chosen in the list of elements, becomes an example. The frame has
   an origin of its own and says numbers only; whatever else comes from it is not heard. */

const frame = document.getElementById("archived");
const list = document.getElementById("elements");

/* Each answer replaces the form with its examples, so a press waits until the one before it was answered. The first one
   waits for htmx: without it the form would load the whole page anew, and what is pressed meanwhile would be lost. */
const waiting = [];
let submitted = null;
let isReady = false;

function press(place) {
  if (!Number.isInteger(place) || place < 0) return;
  waiting.push(place);
  submitNext();
}

function submitNext() {
  const form = document.getElementById("teaching");
  if (!isReady || !form || form === submitted || !waiting.length) return;
  submitted = form;
  form.querySelector('input[name="press"]').value = String(waiting.shift());
  form.requestSubmit();
}

function marks() {
  return JSON.parse(document.getElementById("lesson").dataset.marks);
}

function outline() {
  frame?.contentWindow?.postMessage({ marks: marks() }, "*");
  if (!list) return;
  const meant = new Map(marks().filter(([, meaning]) => meaning !== "row").map(([place, meaning, said]) => [String(place), [meaning, said]]));
  for (const line of list.children) {
    const [meaning, said] = meant.get(line.value) ?? ["", ""];
    line.dataset.mark = meaning;
    line.querySelector(".mark").textContent = said;
  }
}

/* The last version that could be read is only looked at: what is pressed in it is not heard. */
const earlier = document.getElementById("archived-before");

function outlineEarlier() {
  earlier?.contentWindow?.postMessage({ marks: JSON.parse(document.getElementById("before").dataset.marks) }, "*");
}

addEventListener("message", (event) => {
  if (event.source === earlier?.contentWindow && event.data?.lamp === "ready") outlineEarlier();
  if (!frame || event.source !== frame.contentWindow) return;
  const said = event.data?.lamp;
  if (said === "ready") {
    outline();
    const title = marks().find(([, meaning]) => meaning === "title" || meaning === "was");
    if (title) frame.contentWindow.postMessage({ show: title[0] }, "*");
  } else if (Number.isInteger(said)) press(said);
});

document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target?.id !== "lesson" && !document.getElementById("lesson")?.contains(event.detail.elt)) return;
  outline();
  submitNext();
});

for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.body.addEventListener(failure, () => {
    waiting.length = 0;
    submitted = null;
  });
}

/* The list is one stop of the keyboard, and arrows move inside it. */
function watchList() {
  const lines = [...list.children];
  list.setAttribute("role", "tree");
  lines.forEach((line, number) => {
    line.setAttribute("role", "treeitem");
    line.setAttribute("aria-level", String(Number(line.dataset.level) + 1));
    line.setAttribute("aria-selected", "false");
    line.tabIndex = number ? -1 : 0;
  });
  list.addEventListener("click", (event) => {
    const line = event.target.closest("button");
    if (!line) return;
    event.preventDefault();
    press(Number(line.value));
  });
  list.addEventListener("focusin", (event) => {
    for (const line of lines) {
      line.tabIndex = line === event.target ? 0 : -1;
      line.setAttribute("aria-selected", String(line === event.target));
    }
    frame?.contentWindow?.postMessage({ show: Number(event.target.value) }, "*");
  });
  list.addEventListener("keydown", (event) => {
    const here = lines.indexOf(document.activeElement);
    const there = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: lines.length - 1, PageDown: here + 10, PageUp: here - 10 }[event.key];
    if (there === undefined || here < 0) return;
    event.preventDefault();
    lines[Math.max(0, Math.min(lines.length - 1, there))].focus();
  });
}

/* Heard after htmx has heard it, which was loaded before. */
document.addEventListener("DOMContentLoaded", () => {
  isReady = true;
  submitNext();
});

if (list) watchList();
outline();
outlineEarlier();
