// One update: rows by number, panes by id, the thought of the moment. The HTML is the server's own.
const held = new Map(); // by pane: what came for it while somebody was typing there

function group(stream, number, label) {
  const known = stream.querySelector(`[data-round-group="${number}"]`);
  if (known) return known;
  const section = document.createElement("section");
  section.className = "round";
  section.dataset.roundGroup = number;
  const head = document.createElement("h3");
  head.className = "round-head";
  head.textContent = `${label} ${number}`;
  const list = document.createElement("ol");
  list.className = "stream";
  list.reversed = true;
  section.append(head, list);
  const before = [...stream.children].find((child) => Number(child.dataset.roundGroup) < Number(number));
  stream.insertBefore(section, before ?? null);
  return section;
}

function addRow(row, root) {
  // What belongs to no round goes with the newest one, as on a reload.
  const stream = root.querySelector("#stream");
  const newest = stream.querySelector("[data-round-group]")?.dataset.roundGroup ?? "0";
  const number = row.dataset.round === "0" ? newest : row.dataset.round;
  row.classList.add("is-new");
  group(stream, number, root.dataset.roundLabel).querySelector("ol").prepend(row);
  window.htmx?.process(row);
}

function isTypingIn(pane) {
  const form = pane.querySelector("[data-typing]");
  return form !== null && (form.contains(document.activeElement) || form.matches("[data-dirty]"));
}

function warn(pane, root) {
  if (pane.querySelector("[data-changed]")) return;
  const note = document.createElement("p");
  note.className = "notice tone-needs";
  note.dataset.changed = "";
  note.setAttribute("role", "alert");
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = root.dataset.open;
  note.append(`${root.dataset.changed} `, link);
  pane.prepend(note);
}

function fillPane(incoming, root) {
  const pane = document.getElementById(incoming.dataset.pane);
  if (!pane) return;
  const key = incoming.dataset.paneKey;
  if (key !== undefined) {
    if (key === pane.dataset.paneKey) return;
    if (isTypingIn(pane)) {
      held.set(pane.id, incoming);
      return warn(pane, root);
    }
    pane.dataset.paneKey = key;
  }
  held.delete(pane.id);
  pane.replaceChildren(...incoming.childNodes);
  window.htmx?.process(pane);
}

// What came while somebody typed is shown once they have sent it: no further event may come to bring it.
export function fillHeld(root) {
  for (const incoming of held.values()) {
    const pane = document.getElementById(incoming.dataset.pane);
    if (pane && !isTypingIn(pane)) fillPane(incoming, root);
  }
}

function think(text) {
  const box = document.getElementById("thought");
  if (!box || box.textContent === text) return;
  box.textContent = text;
  box.scrollTop = box.scrollHeight;
}

// Returns the new cursor and whether the run is over, or null when the text is no update.
export function take(html, cursor, root) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const update = parsed.querySelector("[data-update]");
  if (!update) return null;
  for (const row of update.querySelectorAll(":scope > [data-seq]")) {
    if (Number(row.dataset.seq) <= cursor) continue;
    cursor = Number(row.dataset.seq);
    addRow(document.adoptNode(row), root);
  }
  for (const pane of update.querySelectorAll(":scope > [data-pane]")) fillPane(pane, root);
  think(update.querySelector(":scope > [data-thought]")?.textContent ?? "");
  return { cursor: Math.max(cursor, Number(update.dataset.cursor)), isFinal: update.hasAttribute("data-final") };
}
