// Small comforts; every page works without them.

document.documentElement.classList.add("scripted");

const say = (box, text, kind) => {
  const line = document.createElement("p");
  line.className = kind;
  line.textContent = text;
  box.replaceChildren(line);
};

// The page has the sentences, in its language; {name} in one stands for a value.
const sentence = (form, key, values = {}) =>
  form.querySelector("[data-words]").dataset[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

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
  say(box, sentence(form, "tooLarge", { name: file.name, size: sizeOf(limitOf(form)) }), "note error");
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
const showSending = (form, box, file, then) => {
  const line = document.createElement("p");
  const bar = document.createElement("progress");
  line.textContent = sentence(form, "sending", { name: file.name, size: sizeOf(file.size) });
  bar.setAttribute("aria-label", sentence(form, "sentShare", { name: file.name }));
  const frame = document.createElement("div");
  frame.className = "progress";
  frame.append(line, bar);
  box.replaceChildren(frame);
  return (sent, total) => {
    bar.max = total;
    bar.value = sent;
    if (sent === total) line.textContent = sentence(form, then, { name: file.name });
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
      const when = form.dataset.checkUrl ? "checkedLater" : "checkedAsked";
      return say(box, sentence(form, when, { name: file.name, size: sizeOf(file.size) }), "busy");
    }
    stop = new AbortController();
    say(box, sentence(form, "checking", { name: file.name }), "busy");
    const told = file.size < SHOWN_FROM ? () => {} : showSending(form, box, file, "sentChecking");
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
      say(box, sentence(form, "notChecked"), "note error");
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
    const told = showSending(form, box, file, "sentAnswer");
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
    say(box, sentence(form, "broken", { name: file.name }), "note error");
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

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = button.dataset.copied;
    } catch {
      // No clipboard on a plain-http address: select it, so that one key copies it.
      getSelection().selectAllChildren(source);
    }
  });
}

// One for all: parts of a page may come later. The text is in the button, as a field shows but a part of it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-text]");
  if (!button) return;
  button.dataset.label ??= button.innerHTML;
  try {
    await navigator.clipboard.writeText(button.dataset.text);
    button.textContent = button.dataset.copied;
    setTimeout(() => {
      button.innerHTML = button.dataset.label;
    }, 2000);
  } catch {
    // No clipboard on a plain-http address: selected, so that one key copies it.
    const place = button.parentElement;
    const field = place.querySelector("input");
    if (field) field.select();
    else getSelection().selectAllChildren(place.parentElement.querySelector(".citation") ?? place);
  }
});
