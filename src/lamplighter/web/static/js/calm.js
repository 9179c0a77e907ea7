/* What renews itself ([data-calm]) waits while somebody is at work inside it: their place would be lost. */

document.body.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.detail.elt;
  if ("calm" in part.dataset && part.contains(document.activeElement)) event.preventDefault();
});
