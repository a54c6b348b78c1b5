// Text selected in a proposal may be commented on: a button takes the passage into the form. Without this one copies it.
function selected() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const part = range.startContainer.parentElement?.closest("[data-part]");
  const card = part?.closest("[data-review]");
  if (!card?.querySelector("[data-comment]") || !part.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.selectNodeContents(part);
  before.setEnd(range.startContainer, range.startOffset);
  // Characters, as the server counts them: one beyond the basic plane is one, not two.
  return { part, card, quote: range.toString(), start: [...before.toString()].length };
}

function fill(found) {
  const box = found.card.querySelector("[data-comment]");
  box.open = true;
  box.querySelector("[name=part]").value = found.part.dataset.part;
  box.querySelector("[name=quote]").value = found.quote;
  box.querySelector("[name=start]").value = String(found.start);
  box.querySelector("[name=text]").focus();
}

function offer() {
  const found = selected();
  const old = document.querySelector("[data-comment-here]");
  if (old && (document.activeElement === old || old.matches(":active"))) return;
  old?.remove();
  if (!found || !found.quote.trim()) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn btn-s";
  button.dataset.commentHere = "";
  button.textContent = found.card.querySelector("[data-comment] summary").textContent;
  button.addEventListener("mousedown", (event) => event.preventDefault()); // the selection stays
  button.addEventListener("click", () => {
    fill(found);
    button.remove();
  });
  (found.part.closest("dd, p, div") ?? found.part).after(button);
}

export function startComments() {
  let wait;
  document.addEventListener("selectionchange", () => {
    clearTimeout(wait);
    wait = setTimeout(offer, 200);
  });
}
