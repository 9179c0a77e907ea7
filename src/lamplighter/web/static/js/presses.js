/* A part of the page is not renewed under a finger: a button that goes between press and release loses its click. */

let pressed = null;
let renewals = [];

/* Notes where the pointer is down. */
export function watchPresses() {
  document.addEventListener("pointerdown", (event) => (pressed = event.target), true);
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => setTimeout(release), true);
}

/* Called after the click, which comes right after the release, has found its button. */
function release() {
  pressed = null;
  const waiting = renewals;
  renewals = [];
  for (const renew of waiting) renew();
}

/* Whether the pointer is down within this part; then `renew` is called once it is up. */
export function isPressed(part, renew) {
  if (!pressed || !part.contains(pressed)) return false;
  renewals.push(renew);
  return true;
}
