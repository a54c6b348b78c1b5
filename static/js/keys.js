// Keys of the review desk, as the person gave them. Never while typing, never within an input method's composition.
const doing = {
  next: () => move(1),
  previous: () => move(-1),
  guide,
  sheet: () => document.getElementById("keys")?.showModal(),
};

// A key is what it types: 229, "Process" and "Dead" are an input method's or half a letter, not a key of ours.
function isTyping(event) {
  if (event.isComposing || event.keyCode === 229 || [...event.key].length !== 1) return true;
  return event.target.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
}

function isCommand(event) {
  return !event.getModifierState("AltGraph") && (event.ctrlKey || event.metaKey || event.altKey);
}

function move(step) {
  const links = [...document.querySelectorAll("[data-row-link]")];
  if (!links.length) return;
  const now = links.findIndex((link) => link.closest("li").classList.contains("is-current"));
  const next = links[Math.min(links.length - 1, Math.max(0, now + step))];
  if (next && links.indexOf(next) !== now) next.click();
}

function guide() {
  const box = document.querySelector("[data-guidance]");
  if (!box) return;
  box.open = true;
  box.querySelector("textarea")?.focus();
}

function press(act) {
  const button = document.querySelector(`[data-review] [data-act="${act}"]`);
  if (!button || button.disabled) return false;
  button.click();
  return true;
}

function actOf(event) {
  const sheet = document.getElementById("keys");
  const keys = new Map([...(sheet?.querySelectorAll("[data-key-for]") ?? [])].map((key) => [key.textContent, key.dataset.keyFor]));
  // Caps lock is no other key; Shift is.
  return keys.get(event.key) ?? (event.shiftKey ? undefined : keys.get(event.key.toLowerCase()));
}

// A module runs before htmx has read the page: a key pressed in between would send the form as a page load.
export function startKeys() {
  document.addEventListener("DOMContentLoaded", listen, { once: true });
}

function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isCommand(event) || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && !event.isComposing && press("close")) return;
    if (event.repeat || isTyping(event)) return;
    const act = actOf(event);
    if (!act || (doing[act] ? doing[act]() : press(act)) === false) return;
    event.preventDefault();
  });
}
