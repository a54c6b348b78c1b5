// Light, dark or as the system says. The choice is a cookie, so that the server draws the page right at once.
const AFTER = { auto: "light", light: "dark", dark: "auto" };

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const year = 365 * 24 * 3600;
  document.cookie = `theme=${theme};path=/;max-age=${theme === "auto" ? 0 : year};samesite=lax`;
}

export function startTheme() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-toggle]");
    if (!button) return;
    event.preventDefault();
    apply(AFTER[document.documentElement.dataset.theme ?? "auto"]);
  });
}
