// "Another row" adds an empty row to a set of rows. Without this the button saves, and the page comes back with one.
function emptied(row, index) {
  const copy = row.cloneNode(true);
  for (const element of copy.querySelectorAll("[name], [id], [for], [aria-describedby]")) {
    for (const name of ["name", "id", "for", "aria-describedby"]) {
      const value = element.getAttribute(name);
      if (value) element.setAttribute(name, value.replace(/-\d+-/, `-${index}-`));
    }
    if (element.matches("input, textarea")) element.value = "";
    if (element.matches("select")) element.selectedIndex = 0;
  }
  for (const errors of copy.querySelectorAll(".errors")) errors.remove();
  return copy;
}

export function startRows() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-add-row]");
    if (!button) return;
    event.preventDefault();
    const form = button.closest("form");
    const rows = form.querySelectorAll("[data-rowset] > .row-fields");
    const total = form.querySelector("[name$=-TOTAL_FORMS]");
    const row = emptied(rows[rows.length - 1], Number(total.value));
    total.value = String(Number(total.value) + 1);
    rows[rows.length - 1].after(row);
    row.querySelector("input")?.focus();
  });
}
