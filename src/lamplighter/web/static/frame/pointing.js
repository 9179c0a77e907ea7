/* Runs in the frame that shows an archived page, and only this runs there. It says which element was pressed, by its
   number and nothing else, and outlines what the page around it names. */
(() => {
  const marked = new Set();
  let near = null;
  let isPressed = false;

  const placed = (target) => (target instanceof Element ? target.closest("[data-lamp]") : null);
  const say = (what) => parent.postMessage({ lamp: what }, "*");

  function outline(marks) {
    for (const each of marked) {
      each.removeAttribute("data-lamp-mark");
      each.removeAttribute("data-lamp-said");
    }
    marked.clear();
    for (const [place, meaning, said] of marks) {
      const node = document.querySelector(`[data-lamp="${Number(place)}"]`);
      if (!node || (meaning === "row" && node.hasAttribute("data-lamp-mark"))) continue;
      node.setAttribute("data-lamp-mark", String(meaning));
      if (said) node.setAttribute("data-lamp-said", String(said));
      marked.add(node);
    }
  }

  addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
    const node = placed(event.target);
    if (node) say(Number(node.getAttribute("data-lamp")));
  }, true);

  addEventListener("mouseover", (event) => {
    near?.removeAttribute("data-lamp-near");
    near = placed(event.target);
    near?.setAttribute("data-lamp-near", "");
  }, true);

  addEventListener("message", (event) => {
    if (event.source !== parent) return;
    if (Array.isArray(event.data?.marks)) outline(event.data.marks);
    const place = event.data?.show;
    if (Number.isInteger(place) && !isPressed) show(document.querySelector(`[data-lamp="${place}"]`));
  });

  /* Nothing moves under a pointer that is down: the click would be lost. So only this frame is scrolled, too, and not the
     page around it, which scrollIntoView would scroll as well. */
  addEventListener("pointerdown", () => (isPressed = true), true);
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => (isPressed = false)), true);

  function show(node) {
    if (!node) return;
    const { top, height } = node.getBoundingClientRect();
    scrollBy(0, top + (height - innerHeight) / 2);
  }

  say("ready");
})();
