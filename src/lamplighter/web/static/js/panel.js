/* The panel that slides over a page: it has the address of what it shows, Escape and its button close it, and then the
   page beneath is as it was, focus and address included. What it shows renews itself with news of its source.

   Links open it by themselves (hx-target="#panel" hx-push-url="true"). The address and title of the page beneath are
   remembered from the moment it opens. Closing it goes back to there, so that Back then leads on to what was before. */

const panel = document.getElementById("panel");
const OF_A_SOURCE = /^\/sources\/[0-9a-f-]{36}(\/|$)/;
const PULSE = 2000;
let beneath = null;
let isClosing = false;
let focused = null;

export function watchPanel() {
  document.body.addEventListener("htmx:beforeRequest", onBeforeRequest);
  document.body.addEventListener("htmx:beforeSwap", onBeforeSwap);
  document.body.addEventListener("htmx:afterSwap", onAfterSwap);
  document.body.addEventListener("htmx:oobBeforeSwap", onRenewal);
  document.body.addEventListener("htmx:afterSettle", afterRenewal);
  document.body.addEventListener("htmx:afterRequest", onAfterRequest);
  document.body.addEventListener("lamp:source", onNews);
  document.body.addEventListener("lamp:open", renew);
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onClick);
  // Before htmx hears of it, which would load the whole page anew.
  addEventListener("popstate", onPopState, { capture: true });
  setInterval(pulse, PULSE);
}

function isOpen() {
  return panel.childElementCount > 0;
}

function onBeforeRequest(event) {
  if (event.detail.target !== panel || isOpen()) return;
  beneath = { url: location.href, title: document.title, focus: event.detail.elt };
}

function isRenewal(event) {
  return event.detail.requestConfig.elt.id === "source-view";
}

/* A renewal that arrives after its view was closed or replaced has nowhere to go. */
function onBeforeSwap(event) {
  if (isRenewal(event) && !document.contains(event.detail.requestConfig.elt)) event.detail.shouldSwap = false;
}

function onAfterSwap(event) {
  if (event.detail.target === panel && !isRenewal(event)) panel.querySelector("h1")?.focus();
  // Another page came into the frame: what lay over the one before is over.
  else if (event.detail.target.id === "main" && isOpen()) empty();
}

/* As many steps as were made in the panel, one after the other. */
function close() {
  isClosing = true;
  history.back();
}

function leave() {
  isClosing = false;
  document.title = beneath.title;
  empty();
  // A row that was renewed meanwhile is another element, with the same id.
  const { focus } = beneath;
  (document.contains(focus) ? focus : document.getElementById(focus.id))?.focus();
}

function empty() {
  panel.replaceChildren();
  panel.scrollTop = 0;
}

function onPopState(event) {
  const isOfSource = OF_A_SOURCE.test(location.pathname);
  if (isOpen() && location.href === beneath.url) leave();
  else if (isClosing) history.back();
  else if (beneath && isOfSource && !document.querySelector("main [data-source]")) {
    htmx.ajax("GET", location.pathname + location.search, { target: "#panel", source: panel });
  } else return;
  event.stopImmediatePropagation();
}

function onKey(event) {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const drop = document.querySelector(".source .drop[open]");
  if (drop) {
    drop.open = false;
    drop.querySelector("summary").focus();
  } else if (isOpen()) {
    // Whoever is typing leaves the field first: what was typed would be lost.
    const isTyping = document.activeElement.matches("#panel :is(input, textarea, select)");
    if (isTyping) panel.querySelector("h1").focus();
    else close();
  }
}

function onClick(event) {
  for (const drop of document.querySelectorAll(".source .drop[open]")) {
    if (!drop.contains(event.target)) drop.open = false;
  }
  if (isOpen() && event.target.closest("[data-close-panel]")) {
    event.preventDefault();
    close();
  }
}

/* A form of the head that was taken closes; one that came back with a complaint is another element by now. */
function onAfterRequest(event) {
  const drop = event.detail.elt.closest?.(".source .drop");
  if (!drop || event.detail.xhr.status !== 204) return;
  drop.open = false;
  drop.querySelector("summary").focus();
}

/* What is as it was stays, and so does what somebody is filling in. */
function onRenewal(event) {
  const { target, fragment } = event.detail;
  if (!target.closest?.(".source")) return;
  const comes = fragment.firstElementChild ?? fragment;
  const isSame = target.dataset.stamp !== undefined && target.dataset.stamp === comes.dataset?.stamp;
  const isInUse = target.querySelector(".drop[open]") || target.querySelector("input:focus, textarea:focus, select:focus");
  if (isSame || isInUse) event.detail.shouldSwap = false;
  else if (target.contains(document.activeElement)) focused = { part: target.id, text: document.activeElement.textContent };
}

/* What had the focus has it again; a button that is gone, since it is possible no more, leaves it to its neighbour. */
function afterRenewal() {
  const { part, text } = focused ?? {};
  focused = null;
  if (!part || document.activeElement !== document.body) return;
  const places = [...document.getElementById(part).querySelectorAll("button, summary, a")];
  (places.find((each) => each.textContent === text) ?? places[0])?.focus();
}

function onNews(event) {
  if (document.querySelector(`.source[data-source="${CSS.escape(event.detail.source_id)}"]`)) renew();
}

/* Of a run that goes on nobody is told how far it is. */
function pulse() {
  if (!document.hidden && document.querySelector(".source [data-running]")) renew();
}

function renew() {
  document.body.dispatchEvent(new CustomEvent("lamp:panel"));
}
