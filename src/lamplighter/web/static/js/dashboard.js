/* What every page of the dashboard does beyond what the server wrote: times in the viewer's zone, what was said in a
   corner, questions in a dialog, and news of runs and jobs as they happen. Pages work without any of it. */

import { showTimes } from "./times.js";
import { openDialogs } from "./dialogs.js";
import { say } from "./toasts.js";
import { listen } from "./live.js";
import { drawPlots } from "./plots.js";
import { watchPanel } from "./panel.js";
import { tickAll } from "./ticking.js";
import { watchTrials } from "./trials.js";
import { watchKeys } from "./keys.js";
import { isPressed, watchPresses } from "./presses.js";

/* Whatever new content came: a whole page, or a part that htmx put in its place. */
function dress(root) {
  showTimes(root);
  openDialogs(root);
  drawPlots(root);
  tickAll(root);
}

function onReady() {
  document.documentElement.classList.add("scripted");
  dress(document);
  const token = document.querySelector('meta[name="csrf-token"]').content;
  document.body.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.verb !== "get" && token) event.detail.headers["X-CSRF-Token"] = token;
  });
  document.body.addEventListener("htmx:load", (event) => dress(event.detail.elt));
  document.body.addEventListener("lamp:said", (event) => say(event.detail.text));
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const { target, requestConfig, xhr } = event.detail;
    /* A part is not renewed under a form that was just sent: the answer would find nobody to belong to. */
    const isRenewal = requestConfig.verb === "get";
    if (isRenewal && target.querySelector("form[hx-post].htmx-request")) event.detail.shouldSwap = false;
    const again = () => htmx.ajax("GET", requestConfig.path, { source: requestConfig.elt, target }).catch(() => {});
    if (isRenewal && event.detail.shouldSwap && isPressed(target, again)) event.detail.shouldSwap = false;
    /* A form with its faults is content; a problem in the form for programs is not. */
    if (xhr.status !== 422 || !xhr.getResponseHeader("Content-Type")?.startsWith("application/problem+json")) return;
    event.detail.shouldSwap = false;
    say(refusal(xhr), "bad");
  });
  document.body.addEventListener("htmx:responseError", (event) => say(refusal(event.detail.xhr), "bad"));
  document.body.addEventListener("htmx:sendError", () => say("The service does not answer.", "bad"));
  setInterval(() => showTimes(document), 15000);
  listen();
  watchPanel();
  watchPresses();
  watchTrials();
  watchKeys();
}

function refusal(request) {
  try {
    const problem = JSON.parse(request.responseText);
    return problem.detail || problem.error.message;
  } catch {
    return `The service answered ${request.status}.`;
  }
}

onReady();
