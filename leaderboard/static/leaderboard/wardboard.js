// Small comforts; every page works without them.

document.documentElement.classList.add("scripted");

const say = (box, text, kind) => {
  const line = document.createElement("p");
  line.className = kind;
  line.textContent = text;
  box.replaceChildren(line);
};

// Drag and drop: the whole box takes the file, and the form's own field holds it.
for (const box of document.querySelectorAll("[data-drop]")) {
  const field = box.querySelector("input[type=file]");
  for (const name of ["dragenter", "dragover"]) {
    box.addEventListener(name, (event) => {
      event.preventDefault();
      box.classList.add("over");
    });
  }
  box.addEventListener("dragleave", (event) => {
    if (!box.contains(event.relatedTarget)) box.classList.remove("over");
  });
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    field.files = event.dataTransfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

// The report as soon as a file is chosen; only the newest question is answered.
for (const form of document.querySelectorAll("form[data-check]")) {
  const field = form.querySelector("input[type=file]");
  const box = document.querySelector("[data-report]");
  const limit = Number(form.querySelector("[data-drop]").dataset.limit);
  let asked = 0;
  let stop = new AbortController();
  const check = async () => {
    const file = field.files[0];
    const turn = ++asked;
    stop.abort();
    if (!file) return box.replaceChildren();
    if (file.size > limit) {
      const mib = Math.floor(limit / 1048576);
      return say(box, `${file.name} is too large: files of up to ${mib} MB are taken. Compress it with gzip.`, "note error");
    }
    stop = new AbortController();
    say(box, `Checking ${file.name}…`, "busy");
    const body = new FormData();
    for (const name of ["csrfmiddlewaretoken", "benchmark"]) body.append(name, form.elements[name].value);
    body.append("file", file);
    try {
      const url = form.dataset.checkUrl || `${form.action}?fragment=1`;
      const answer = await fetch(url, { method: "POST", body, signal: stop.signal });
      const text = await answer.text();
      if (turn !== asked) return;
      if (![200, 422, 429].includes(answer.status)) throw new Error(answer.statusText);
      box.innerHTML = text;
    } catch (error) {
      if (turn !== asked || error.name === "AbortError") return;
      say(box, "The file could not be checked just now. You may still send it; it is checked again then.", "note error");
    }
  };
  field.addEventListener("change", check);
  form.elements.benchmark.addEventListener("change", check);
  if (!form.dataset.checkUrl) {
    form.addEventListener("submit", (event) => {
      if (!field.files.length) return;
      event.preventDefault();
      check().then(() => box.focus());
    });
  }
}

// A second click on the way does nothing. Coming back by the browser's button makes the form fresh.
// Heard at the document: a form may come into the page later.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-once]")) return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  form.querySelector("button[type=submit]").setAttribute("aria-disabled", "true");
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-once]")) {
    delete form.dataset.sent;
    form.querySelector("button[type=submit]").removeAttribute("aria-disabled");
  }
});

// Filters act at once; the button stays for those who type.
for (const form of document.querySelectorAll("form[data-filters]")) {
  form.addEventListener("change", (event) => {
    if (event.target.matches("select")) form.requestSubmit();
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      // No clipboard on a plain-http address: select it, so that one key copies it.
      getSelection().selectAllChildren(source);
    }
  });
}
