// A form that leaves the page says at once that it does: the next page may take a moment.
export function startBusy() {
  document.addEventListener("submit", (event) => {
    const button = event.target.matches("[data-busy]") && event.target.querySelector(".btn-primary");
    if (!button || event.defaultPrevented) return;
    button.setAttribute("aria-busy", "true");
    button.lastChild.textContent = event.target.dataset.busy;
    setTimeout(() => {
      button.disabled = true; // after the form was sent, so that a double click sends it once
    });
  });
}
