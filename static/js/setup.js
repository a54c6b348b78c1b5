// The set-up of a study: a digest beside its page, and forms that are left alone while somebody types.
const WIDE = window.matchMedia("(width >= 75rem)");
let isTouched = false;

function showDigest() {
  document.getElementById("digest-news").hidden = true;
  isTouched = false;
  window.htmx.trigger("#question-forms", "show-digest");
}

function watchDigest(news) {
  document.addEventListener("input", (event) => {
    if (event.target.closest("#question-forms")) isTouched = true;
  });
  document.body.addEventListener("digest-ready", () => {
    const isInside = document.getElementById("question-forms").contains(document.activeElement);
    if (isTouched || isInside) news.hidden = false;
    else showDigest();
  });
  news.addEventListener("click", (event) => {
    if (!event.target.closest("[data-show-digest]")) return;
    event.preventDefault();
    showDigest();
  });
}

// On a wide screen a page opens beside the digest; elsewhere the link leads to the page itself.
function watchPages(view) {
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-page-close]")) view.hidden = true;
    const link = event.target.closest("a[data-image]");
    if (!link || !WIDE.matches || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    view.querySelector("img").src = link.dataset.image;
    view.querySelector("[data-page-open]").href = link.href;
    view.hidden = false;
  });
}

export function startSetup() {
  const news = document.getElementById("digest-news");
  if (!news) return;
  watchDigest(news);
  watchPages(document.getElementById("page-view"));
}
