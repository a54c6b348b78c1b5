// Files dropped on a zone are sent one by one with their progress; without this the file box and its button do.
function zoneOf(event) {
  return event.target.closest?.("[data-drop]");
}

function send(form, file, list) {
  const line = document.createElement("li");
  const bar = document.createElement("progress");
  bar.max = 1;
  line.append(`${file.name} `, bar);
  list.append(line);
  const data = new FormData(form);
  data.delete("file");
  data.set("file", file);
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("HX-Request", "true");
    request.upload.onprogress = (event) => {
      bar.value = event.loaded / event.total;
    };
    request.onload = () => {
      line.remove();
      const target = document.querySelector(form.dataset.target);
      if (target && request.responseText) {
        window.htmx.swap(target, request.responseText, { swapStyle: "innerHTML" });
      }
      done();
    };
    request.onerror = () => {
      bar.replaceWith(document.body.dataset.lost);
      done();
    };
    request.send(data);
  });
}

async function sendAll(form, files) {
  const list = form.querySelector("[data-sending]");
  for (const file of files) await send(form, file, list);
  form.reset();
}

export function startDrop() {
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      const zone = zoneOf(event);
      if (!zone) return;
      event.preventDefault();
      zone.classList.toggle("is-over", name === "dragover");
      if (name === "drop") sendAll(zone.closest("form"), event.dataTransfer.files);
    });
  }
  document.addEventListener("change", (event) => {
    const form = event.target.closest?.("form[data-drop-form]");
    if (form && event.target.type === "file" && event.target.files.length) sendAll(form, event.target.files);
  });
}
