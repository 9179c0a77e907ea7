/* A question of the server's is shown above the page; Escape and Cancel close it, and the button that led to it has the
   focus again. */

export function openDialogs(root) {
  const found = root instanceof HTMLDialogElement ? [root] : root.querySelectorAll("dialog:not([open])");
  for (const dialog of found) open(dialog);
}

function open(dialog) {
  if (dialog.open) return;
  const before = document.activeElement;
  dialog.addEventListener("close", () => {
    dialog.remove();
    before?.focus?.();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) {
      event.preventDefault();
      dialog.close();
    }
  });
  dialog.addEventListener("htmx:afterRequest", (event) => {
    // A form that came back with its faults (422) is swapped like a success, and stays.
    // The status tells it, not `successful`: htmx leaves that out where an answer leads on to another page.
    const { status } = event.detail.xhr;
    if (status >= 200 && status < 400 && event.detail.requestConfig.verb !== "get") dialog.close();
  });
  dialog.showModal();
}
