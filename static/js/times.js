// "2 minutes ago" keeps up while the page is open.
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

function refresh() {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "always" });
  for (const element of document.querySelectorAll("time[datetime]")) {
    const gone = (Date.now() - Date.parse(element.dateTime)) / 1000;
    if (gone > 30 * 86400) continue;
    const found = UNITS.find(([, seconds]) => gone >= seconds);
    if (found) element.textContent = words.format(-Math.floor(gone / found[1]), found[0]);
  }
}

// Seconds that go on: "waiting for the model (12 s)".
function count() {
  for (const element of document.querySelectorAll("[data-since]")) {
    const gone = Math.max(0, Math.floor((Date.now() - Date.parse(element.dataset.since)) / 1000));
    element.textContent = `${gone} s`;
  }
}

export function startTimes() {
  setInterval(count, 1000);
  setInterval(refresh, 30000);
}
