// The run page, live. The server sends the rows after our cursor; we never show one twice and never miss one.
import { fillHeld, take } from "./update.js";

const RETRIES_BEFORE_POLLING = 3;
const POLL_MS = 3000;

class Watch {
  constructor(root) {
    this.root = root;
    this.cursor = Number(root.dataset.cursor);
    this.failures = 0;
    this.isOver = false;
  }

  say(state) {
    const sign = document.getElementById("connection");
    if (!sign) return;
    sign.dataset.state = state;
    sign.textContent = this.root.dataset[`label${state[0].toUpperCase()}${state.slice(1)}`] ?? "";
  }

  take(html) {
    const update = take(html, this.cursor, this.root);
    if (!update) return;
    this.cursor = update.cursor;
    this.root.dataset.cursor = String(update.cursor);
    if (!update.isFinal) return;
    document.querySelector("[data-guidance]")?.remove(); // nobody will read it any more
    this.end();
  }

  end() {
    this.isOver = true;
    this.socket?.close();
    this.say("off");
  }

  connect() {
    if (this.isOver) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}${this.root.dataset.socket}?after=${this.cursor}`);
    this.socket.onopen = () => {
      this.failures = 0;
      this.say("live");
    };
    this.socket.onmessage = (event) => this.take(event.data);
    this.socket.onclose = (event) => this.lost(event.code);
  }

  lost(code) {
    if (this.isOver) return;
    if (code === 4401 || code === 4404) return this.end(); // signed out, or no longer a member
    this.failures += 1;
    if (this.failures > RETRIES_BEFORE_POLLING) return this.poll();
    this.say("lost");
    setTimeout(() => this.connect(), Math.min(8000, 400 * 2 ** this.failures) * (0.5 + Math.random()));
  }

  async poll() {
    this.say("polling");
    for (let turn = 1; !this.isOver; turn += 1) {
      try {
        const answer = await fetch(`${this.root.dataset.live}?after=${this.cursor}`, { redirect: "error" });
        if (answer.status === 404 || answer.status === 403) return this.end();
        if (answer.ok) this.take(await answer.text());
      } catch {
        this.say("lost");
      }
      if (turn % 10 === 0) {
        this.failures = RETRIES_BEFORE_POLLING;
        return this.connect();
      }
      await new Promise((resume) => setTimeout(resume, POLL_MS));
    }
  }
}

export function startLive() {
  const root = document.getElementById("live");
  if (!root) return;
  const box = root.querySelector("[data-show-quiet]");
  const stream = root.querySelector("#stream");
  box?.addEventListener("change", () => stream.toggleAttribute("data-hide-quiet", !box.checked));
  const watch = new Watch(root);
  watch.connect();
  document.addEventListener("htmx:afterSwap", () => fillHeld(root));
  // A laptop that wakes up asks at once instead of waiting for its socket to notice.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && watch.socket?.readyState === WebSocket.CLOSED && !watch.isOver) watch.connect();
  });
}
