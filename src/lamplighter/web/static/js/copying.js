/* A button that copies what stands in a field: <button data-copies="id of the field" hidden>. Without scripts, or where a
   browser does not let us, the field is selected and copied by hand. */

for (const button of document.querySelectorAll("button[data-copies]")) {
  const field = document.getElementById(button.dataset.copies);
  field.select();
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected: copy it with your keyboard";
    }
  });
}
