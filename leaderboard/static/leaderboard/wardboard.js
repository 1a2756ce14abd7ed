// Small comforts; every page works without them.

document.documentElement.classList.add("scripted");

const say = (box, text, kind) => {
  const line = document.createElement("p");
  line.className = kind;
  line.textContent = text;
  box.replaceChildren(line);
};

const MIB = 1048576;
// A smaller file is sent before a bar could be seen.
const SHOWN_FROM = MIB;

const sizeOf = (bytes) =>
  bytes >= 1024 * MIB ? `${(bytes / 1024 / MIB).toFixed(1).replace(".0", "")} GB` : `${Math.ceil(bytes / MIB)} MB`;

// A board has a limit of its own; where one is chosen on the page, its line in the list carries it.
const limitOf = (form) => {
  const chosen = form.querySelector("select[name=benchmark] option:checked");
  return Number(chosen?.dataset.limit || form.querySelector("[data-drop]").dataset.limit);
};

const sayTooLarge = (box, file, form) => {
  const more = form.querySelector("[data-drop]").dataset.more || "Compress it with gzip.";
  say(box, `${file.name} is too large: files of up to ${sizeOf(limitOf(form))} are taken. ${more}`, "note error");
};

// POST a form. Not by fetch, which cannot tell how much of it is on its way.
const send = (url, body, told, signal) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("X-Requested-With", "XMLHttpRequest");
    request.upload.addEventListener("progress", (event) => told(event.loaded, event.total));
    request.addEventListener("load", () => resolve(request));
    for (const name of ["error", "abort"]) request.addEventListener(name, () => reject(new Error(name)));
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });

// Two sentences, for those who listen, and a bar that moves for those who look.
const showSending = (box, file, then) => {
  const line = document.createElement("p");
  const bar = document.createElement("progress");
  line.textContent = `Sending ${file.name} (${sizeOf(file.size)})…`;
  bar.setAttribute("aria-label", `How much of ${file.name} is sent`);
  const frame = document.createElement("div");
  frame.className = "progress";
  frame.append(line, bar);
  box.replaceChildren(frame);
  return (sent, total) => {
    bar.max = total;
    bar.value = sent;
    if (sent === total) line.textContent = `${file.name} is sent. ${then}`;
  };
};

// Drag and drop: the whole box takes the file, and the form's own field holds it.
const bindDrop = (box) => {
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
};

// The report as soon as a file is chosen; only the newest question is answered. A large file is not sent
// for that alone.
const bindCheck = (form) => {
  const field = form.querySelector("input[type=file]");
  const box = document.querySelector("[data-report]");
  const atOnce = Number(form.dataset.atOnce);
  let asked = 0;
  let stop = new AbortController();
  const check = async (wanted) => {
    const file = field.files[0];
    const turn = ++asked;
    stop.abort();
    if (!file) return box.replaceChildren();
    if (file.size > limitOf(form)) return sayTooLarge(box, file, form);
    if (file.size > atOnce && !wanted) {
      const next = form.dataset.checkUrl
        ? "it is checked once you have submitted it, and its report stands on the page that you get then."
        : "it is checked when you say so.";
      return say(box, `${file.name} has ${sizeOf(file.size)}: ${next}`, "busy");
    }
    stop = new AbortController();
    say(box, `Checking ${file.name}…`, "busy");
    const told = file.size < SHOWN_FROM ? () => {} : showSending(box, file, "It is being checked.");
    const body = new FormData();
    for (const name of ["csrfmiddlewaretoken", "benchmark"]) body.append(name, form.elements[name].value);
    body.append("file", file);
    try {
      const url = form.dataset.checkUrl || `${form.action}?fragment=1`;
      const answer = await send(url, body, (...sent) => turn === asked && told(...sent), stop.signal);
      if (turn !== asked) return;
      if (![200, 422, 429, 507].includes(answer.status)) throw new Error(answer.statusText);
      box.innerHTML = answer.responseText;
    } catch {
      if (turn !== asked) return;
      say(box, "The file could not be checked just now. You may still send it; it is checked again then.", "note error");
    }
  };
  field.addEventListener("change", () => check(false));
  form.elements.benchmark.addEventListener("change", () => check(false));
  form.addEventListener("submit", (event) => {
    if (form.dataset.checkUrl) {
      // What is submitted is checked there; the answer to the question before would come too late.
      asked += 1;
      stop.abort();
    } else if (field.files.length) {
      event.preventDefault();
      check(true).then(() => box.focus());
    }
  });
};

const setSent = (form, sent) => {
  const button = form.querySelector("button[type=submit]");
  if (sent) {
    form.dataset.sent = "yes";
    button.setAttribute("aria-disabled", "true");
  } else {
    delete form.dataset.sent;
    button.removeAttribute("aria-disabled");
  }
};

// Submit by script what takes long to send, and do with the answer what the browser would.
const submitLarge = async (form, file) => {
  const box = form.querySelector("[data-report]");
  try {
    const told = showSending(box, file, "The answer is on its way.");
    const answer = await send(form.action, new FormData(form), told);
    const type = answer.getResponseHeader("Content-Type") || "";
    if (type.startsWith("application/json")) return location.assign(JSON.parse(answer.responseText).url);
    // Signed out in the meantime: the page to sign in.
    if (new URL(answer.responseURL).pathname !== new URL(form.action).pathname) return location.assign(answer.responseURL);
    const page = new DOMParser().parseFromString(answer.responseText, "text/html");
    document.getElementById("main").replaceWith(page.getElementById("main"));
    document.title = page.title;
    const main = document.getElementById("main");
    bind(main);
    main.focus();
  } catch {
    setSent(form, false);
    say(box, `The line broke before ${file.name} had come whole. Nothing was stored: submit it again.`, "note error");
  }
};

// A second click on the way does nothing.
const bindOnce = (form) => {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) return event.preventDefault();
    const file = form.querySelector("input[type=file]")?.files[0];
    if (file && file.size > limitOf(form)) {
      event.preventDefault();
      return sayTooLarge(form.querySelector("[data-report]"), file, form);
    }
    setSent(form, true);
    if (file && file.size >= SHOWN_FROM) {
      event.preventDefault();
      submitLarge(form, file);
    }
  });
};

const bind = (root) => {
  root.querySelectorAll("[data-drop]").forEach(bindDrop);
  root.querySelectorAll("form[data-check]").forEach(bindCheck);
  root.querySelectorAll("form[data-once]").forEach(bindOnce);
};
bind(document);

// Coming back by the browser's button makes the form fresh.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-once]")) setSent(form, false);
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
