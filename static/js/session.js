// A session may end while somebody types. Nothing typed is lost: the page says so and the form can be sent again.
function cookie(name) {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

function say(form) {
  let note = form.querySelector("[data-signed-out]");
  if (!note) {
    note = document.createElement("p");
    note.className = "notice tone-needs";
    note.dataset.signedOut = "";
    note.setAttribute("role", "alert");
    const link = document.createElement("a");
    link.href = document.body.dataset.signIn;
    link.target = "_blank";
    link.textContent = document.body.dataset.signInLabel;
    note.append(`${document.body.dataset.signedOut} `, link);
    form.prepend(note);
  }
}

export function startSession() {
  // After signing in again in another tab the token is a new one; the cookie always holds the right one.
  document.addEventListener("htmx:configRequest", (event) => {
    const token = cookie("csrftoken");
    if (!token || event.detail.verb === "get") return;
    event.detail.headers["X-CSRFToken"] = token;
    event.detail.parameters.csrfmiddlewaretoken = token;
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!new URL(event.detail.xhr.responseURL || location.href).pathname.startsWith("/sign-in/")) return;
    event.detail.shouldSwap = false;
    const form = event.detail.requestConfig?.elt?.closest("form");
    if (form) say(form);
    else if (!document.querySelector("[data-typing]")) location.reload();
  });
}
