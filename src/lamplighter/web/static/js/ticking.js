/* A box that ticks all of its form: <input type="checkbox" hidden data-ticks="name of theirs">. Without scripts each is
   ticked by hand. */

export function tickAll(root) {
  for (const all of root.querySelectorAll("input[data-ticks]")) {
    const boxes = () => [...all.form.querySelectorAll(`input[name="${all.dataset.ticks}"]`)];
    all.hidden = false;
    all.addEventListener("change", () => {
      for (const box of boxes()) box.checked = all.checked;
    });
    all.form.addEventListener("change", (event) => {
      if (event.target.name !== all.dataset.ticks) return;
      const ticked = boxes().filter((box) => box.checked).length;
      all.checked = ticked === boxes().length;
      all.indeterminate = ticked > 0 && !all.checked;
    });
  }
}
