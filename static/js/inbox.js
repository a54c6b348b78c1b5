// The inbox keeps up by itself: the list follows what waits, an open card stays as it is.
function markCurrent() {
  const open = document.querySelector("#inbox [data-review]")?.dataset.key.split(":")[0];
  for (const row of document.querySelectorAll("#inbox [data-row]")) {
    row.classList.toggle("is-current", row.dataset.row === open);
  }
}

function refresh() {
  const board = document.getElementById("inbox");
  if (!board) return;
  const hasCard = board.querySelector("[data-review]") !== null;
  const part = hasCard
    ? { target: ".inbox-list", select: ".inbox-list", swap: "outerHTML" }
    : { target: "#inbox", swap: "innerHTML" };
  window.htmx.ajax("GET", location.href, part).then(markCurrent);
}

function tellTitle(count) {
  const bare = document.title.replace(/^\(\d+\) /, "");
  document.title = count > 0 ? `(${count}) ${bare}` : bare;
}

export function startInbox() {
  document.body.addEventListener("inbox-changed", refresh);
  document.body.addEventListener("htmx:afterSwap", () => {
    const badge = document.querySelector(".count[data-count]");
    if (badge) tellTitle(Number(badge.dataset.count));
  });
}
