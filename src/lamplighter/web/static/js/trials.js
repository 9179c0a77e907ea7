/* An address is tried by itself when its field was left or it was pasted, or at once by a button. What the button tried is
   not tried again because the field was left for it: the answer would be replaced by a word that it may not be complete. */

const PATH = "/sources/add/trial";
let tried = null;

export function watchTrials() {
  document.body.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, requestConfig } = event.detail;
    const form = elt.closest?.("form");
    if (requestConfig.path !== PATH || !form) return;
    const asked = new URLSearchParams(new FormData(form)).toString();
    if (elt.matches("button")) tried = asked;
    else if (asked === tried) event.preventDefault();
    else tried = null;
  });
}
