/* What was done or refused, said in a corner for a while. */

const SECONDS = { good: 6, bad: 15 };

export function say(text, tone = "good") {
  const toast = document.createElement("p");
  toast.className = `toast ${tone}`;
  toast.textContent = text;
  toast.addEventListener("click", () => toast.remove());
  document.getElementById("toasts").append(toast);
  setTimeout(() => toast.remove(), 1000 * SECONDS[tone]);
}
