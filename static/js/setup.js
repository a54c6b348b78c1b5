// A digest that becomes ready fills empty parts of the question. Forms that somebody types in are left alone.
let isTouched = false;

function show() {
  document.getElementById("digest-news").hidden = true;
  isTouched = false;
  window.htmx.trigger("#question-forms", "show-digest");
}

export function startSetup() {
  const news = document.getElementById("digest-news");
  if (!news) return;
  document.addEventListener("input", (event) => {
    if (event.target.closest("#question-forms")) isTouched = true;
  });
  document.body.addEventListener("digest-ready", () => {
    const isInside = document.getElementById("question-forms").contains(document.activeElement);
    if (isTouched || isInside) news.hidden = false;
    else show();
  });
  news.addEventListener("click", (event) => {
    if (!event.target.closest("[data-show-digest]")) return;
    event.preventDefault();
    show();
  });
}
