// Keys of the review desk. Never while typing, never within an input method's composition.
function isTyping(event) {
  if (event.isComposing || event.keyCode === 229) return true;
  return event.target.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
}

function move(step) {
  const links = [...document.querySelectorAll("[data-row-link]")];
  if (!links.length) return;
  const now = links.findIndex((link) => link.closest("li").classList.contains("is-current"));
  const next = links[Math.min(links.length - 1, Math.max(0, now + step))];
  if (next && links.indexOf(next) !== now) next.click();
}

function press(key) {
  const button = document.querySelector(`[data-review] [data-hotkey="${key}"]`);
  if (!button || button.disabled) return false;
  button.click();
  return true;
}

function guide() {
  const box = document.querySelector("[data-guidance]");
  if (!box) return false;
  box.open = true;
  box.querySelector("textarea")?.focus();
  return true;
}

function claim() {
  const button = document.querySelector("[data-review] [data-key-c]");
  button?.click();
  return Boolean(button);
}

function act(key) {
  if (key === "j") return move(1), true;
  if (key === "k") return move(-1), true;
  if (key === "g") return guide();
  if (key === "c") return claim();
  if (key === "?") return document.getElementById("keys")?.showModal(), true;
  return ["a", "e", "m", "v", "r"].includes(key) && press(key);
}

// A module runs before htmx has read the page: a key pressed in between would send the form as a page load.
export function startKeys() {
  document.addEventListener("DOMContentLoaded", listen, { once: true });
}

function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && !event.isComposing && press("Escape")) return;
    if (isTyping(event) || event.repeat) return;
    if (act(event.key)) event.preventDefault();
  });
}
