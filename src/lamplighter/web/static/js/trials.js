/* An address is tried by itself once the typing rests, or at once by a button. What the button tried is not tried again
   when the typing rests after it: the answer would be replaced by a word that the address may not be whole yet. */

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
