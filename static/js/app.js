// The entry: each module does one thing and the page works without any of them.
import { startBusy } from "./busy.js";
import { startComments } from "./comments.js";
import { startDrop } from "./drop.js";
import { startInbox } from "./inbox.js";
import { startKeys } from "./keys.js";
import { startLasting } from "./lasting.js";
import { startLive } from "./live.js";
import { startRows } from "./rows.js";
import { startSession } from "./session.js";
import { startSetup } from "./setup.js";
import { startTheme } from "./theme.js";
import { startTimes } from "./times.js";

startTheme();
startSession();
startTimes();
startKeys();
startInbox();
startDrop();
startComments();
startBusy();
startRows();
startSetup();
startLasting();
startLive();

// A card that arrives in place takes the focus, so that keyboard and screen reader go on from there.
document.addEventListener("htmx:afterSwap", (event) => {
  const card = event.detail.target?.querySelector?.("[data-review]") ?? event.detail.elt?.closest?.("[data-review]");
  if (!card || card.contains(document.activeElement)) return;
  const first = card.querySelector(".review-form :is(input, textarea, select):not([type=hidden])");
  (first ?? card).focus({ preventScroll: true });
});

// A refusal comes as a fragment with its reason; a whole page is no reason.
function reasonOf(xhr) {
  if (![403, 503].includes(xhr?.status) || /<html/i.test(xhr.responseText)) return "";
  return new DOMParser().parseFromString(xhr.responseText, "text/html").body.textContent.trim();
}

// A page that only looked whether there is news says at its head why there can be none.
function tellStorage(xhr) {
  const place = document.getElementById("storage");
  const reason = xhr?.status === 503 ? reasonOf(xhr) : "";
  if (!place || !reason || place.textContent.trim() === reason) return;
  const note = document.createElement("div");
  note.className = "notice storage tone-failed";
  note.setAttribute("role", "alert");
  note.textContent = reason;
  note.dataset.told = "";
  place.replaceChildren(note);
}

document.addEventListener("htmx:afterOnLoad", () => document.querySelector("#storage [data-told]")?.remove());

// What was typed stays on the page when the server does not answer; say so.
for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(name, (event) => {
    const form = event.detail.elt.closest("form");
    if (!form) return tellStorage(event.detail.xhr);
    let note = form.querySelector("[data-lost]");
    if (!note) {
      note = document.createElement("p");
      note.dataset.lost = "";
      note.className = "notice tone-failed";
      note.setAttribute("role", "alert");
      form.prepend(note);
    }
    note.textContent = reasonOf(event.detail.xhr) || document.body.dataset.lost;
  });
}
