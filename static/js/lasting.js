// A notice that must be read: it leaves the card, which the next one replaces, and stays until it is dismissed.
function shelf() {
  const known = document.getElementById("lasting");
  if (known) return known;
  const place = document.createElement("div");
  place.id = "lasting";
  place.className = "lasting";
  place.setAttribute("role", "alert");
  document.body.append(place);
  return place;
}

function keep(notice) {
  notice.querySelector("[data-lasting-buttons]")?.removeAttribute("hidden");
  shelf().append(notice);
}

function copy(notice) {
  const typed = notice.querySelector("textarea");
  typed.focus();
  typed.select();
  navigator.clipboard?.writeText(typed.value).catch(() => {}); // what is selected can be copied by hand
}

export function startLasting() {
  document.addEventListener("htmx:afterSwap", () => document.querySelectorAll(".review [data-lasting]").forEach(keep));
  document.addEventListener("click", (event) => {
    const notice = event.target.closest("#lasting [data-lasting]");
    if (!notice) return;
    if (event.target.closest("[data-dismiss]")) notice.remove();
    if (event.target.closest("[data-copy]")) copy(notice);
  });
}
