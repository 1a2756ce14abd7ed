// Conveniences: every page works without them.

const showMessage = (box, text, className) => {
  const line = document.createElement("p");
  line.className = className;
  line.textContent = text;
  box.replaceChildren(line);
};

// The page holds the sentences in its language, with places such as {name} for values.
const sentence = (form, key, values = {}) =>
  form.querySelector("[data-words]").dataset[key].replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

const MIB = 1048576;
// A smaller file is sent before anybody could see a progress bar.
const PROGRESS_FROM = MIB;

const sizeOf = (bytes) =>
  bytes >= 1024 * MIB ? `${(bytes / 1024 / MIB).toFixed(1).replace(".0", "")} GB` : `${Math.ceil(bytes / MIB)} MB`;

const limitOf = (form) => Number(form.querySelector("[data-drop]").dataset.limit);

// The chosen files as one, since their names and sizes are shown together; undefined without any.
const chosen = (field) => {
  const files = [...(field?.files ?? [])];
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return files.length ? { files, size, name: files.map((file) => file.name).join(", ") } : undefined;
};

const showTooLarge = (box, file, form) => {
  showMessage(box, sentence(form, "tooLarge", { name: file.name, size: sizeOf(limitOf(form)) }), "note error");
};

// POST a form. fetch() does not report how much of it has been sent.
const send = (url, body, onProgress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("X-Requested-With", "XMLHttpRequest");
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded, event.total));
    request.addEventListener("load", () => resolve(request));
    for (const name of ["error", "abort"]) request.addEventListener(name, () => reject(new Error(name)));
    request.send(body);
  });

// Show a progress bar. Screen readers get two sentences: one now, and one when all is sent.
const showProgress = (form, box, file) => {
  const line = document.createElement("p");
  const bar = document.createElement("progress");
  line.textContent = sentence(form, "sending", { name: file.name, size: sizeOf(file.size) });
  bar.setAttribute("aria-label", sentence(form, "sentShare", { name: file.name }));
  const frame = document.createElement("div");
  frame.className = "progress";
  frame.append(line, bar);
  box.replaceChildren(frame);
  frame.scrollIntoView({ block: "nearest" });
  return (sent, total) => {
    bar.max = total;
    bar.value = sent;
    if (sent === total) line.textContent = sentence(form, "sent", { name: file.name });
  };
};

// Whether a file was chosen before this script had been loaded. After a step back the browser fills the field itself,
// and such a file must not be sent again.
const wasChosenEarly = (field) =>
  field.files.length > 0 && performance.getEntriesByType("navigation")[0]?.type === "navigate";

// A file may be dropped anywhere on a page that takes one: the browser would otherwise leave the page and show the file.
const dropBox = (event) => [...event.dataTransfer.types].includes("Files") && document.querySelector("[data-drop]");

for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => {
    const box = dropBox(event);
    if (!box) return;
    event.preventDefault();
    box.classList.add("drag-over");
  });
}
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) dropBox(event)?.classList.remove("drag-over");
});
document.addEventListener("drop", (event) => {
  const box = dropBox(event);
  if (!box) return;
  event.preventDefault();
  box.classList.remove("drag-over");
  const field = box.querySelector("input[type=file]");
  field.files = event.dataTransfer.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
});

// The whole box opens the field, and shows which files it holds.
const bindDrop = (box) => {
  const field = box.querySelector("input[type=file]");
  box.addEventListener("click", (event) => {
    if (!event.target.closest("label, input, button, a")) field.click();
  });
  field.addEventListener("change", () => {
    const file = chosen(field);
    showMessage(box.querySelector("[data-report]"), file ? file.name : "", "busy");
  });
};

// Count what is typed into a field whose text may have `data-most` characters.
const bindCount = (field) => {
  const count = document.createElement("span");
  count.className = "sub count";
  count.setAttribute("aria-hidden", "true");
  field.after(count);
  const show = () => {
    const length = [...field.value].length;
    count.textContent = `${length} / ${field.dataset.most}`;
    count.classList.toggle("over", length > Number(field.dataset.most));
  };
  field.addEventListener("input", show);
  show();
};

const setSent = (form, isSent) => {
  const button = form.querySelector("button[type=submit]");
  if (isSent) {
    form.dataset.sent = "yes";
    button.setAttribute("aria-disabled", "true");
  } else {
    delete form.dataset.sent;
    button.removeAttribute("aria-disabled");
  }
};

// Send a form by script, to show a progress bar, and treat the response as the browser would.
const sendByScript = async (form, file, submitter) => {
  const box = form.querySelector("[data-report]");
  const { action } = form;
  const body = new FormData(form);
  if (submitter?.name) body.append(submitter.name, submitter.value);
  try {
    const onProgress = showProgress(form, box, file);
    const response = await send(action, body, onProgress);
    const type = response.getResponseHeader("Content-Type") || "";
    if (type.startsWith("application/json")) return location.assign(JSON.parse(response.responseText).url);
    // A reader who was signed out meanwhile was redirected to the sign-in page.
    const { pathname } = new URL(response.responseURL);
    if (pathname !== new URL(action).pathname) return location.assign(response.responseURL);
    const page = new DOMParser().parseFromString(response.responseText, "text/html");
    document.getElementById("main").replaceWith(page.getElementById("main"));
    document.title = page.title;
    const main = document.getElementById("main");
    bind(main);
    scrollTo(0, 0);
    (main.querySelector("[autofocus]") ?? main).focus({ preventScroll: true });
  } catch {
    setSent(form, false);
    // The field still has the file: show the button that sends it again.
    form.classList.add("unsent");
    showMessage(box, sentence(form, "broken", { name: file.name }), "note error");
  }
};

// While a form is being sent, a second click does nothing. A file that is the first thing asked for is sent as
// soon as it is chosen.
const bindOnce = (form) => {
  const field = form.querySelector("input[type=file][name=file]");
  const box = () => form.querySelector("[data-report]");
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) return event.preventDefault();
    const file = chosen(field);
    if (file && file.size > limitOf(form)) {
      event.preventDefault();
      return showTooLarge(box(), file, form);
    }
    setSent(form, true);
    if (file && file.size >= PROGRESS_FROM) {
      event.preventDefault();
      sendByScript(form, file, event.submitter);
    }
  });
  if (!form.hasAttribute("data-send-when-chosen")) return;
  const sendChosen = () => {
    const file = chosen(field);
    if (!file || form.dataset.sent) return;
    if (file.size > limitOf(form)) return showTooLarge(box(), file, form);
    setSent(form, true);
    sendByScript(form, file, form.querySelector("button[value=read]"));
  };
  field.addEventListener("change", sendChosen);
  if (wasChosenEarly(field)) sendChosen();
};

const bind = (root) => {
  root.querySelectorAll("[data-drop]").forEach(bindDrop);
  root.querySelectorAll("form[data-once]").forEach(bindOnce);
  root.querySelectorAll("input[data-most]").forEach(bindCount);
};
bind(document);

// A form can be sent again after the reader returned to it with the back button.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-once]")) setSent(form, false);
});

// A menu is a `details` with the attribute data-menu. It closes on Esc, which returns the focus to its button, and when
// the reader clicks or moves the focus elsewhere. Menus that htmx adds later are found too.
const openMenus = () => [...document.querySelectorAll("details[data-menu][open]")];

for (const kind of ["click", "focusin"]) {
  document.addEventListener(kind, (event) => {
    for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
  });
}
document.addEventListener("keydown", (event) => {
  // Of menus in each other the inner one closes first.
  const menu = event.key === "Escape" && openMenus().pop();
  if (!menu) return;
  menu.open = false;
  if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
});

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy) ?? button.nextElementSibling;
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = button.dataset.copied;
    } catch {
      // Without https there is no clipboard: select the text, so that one key copies it.
      getSelection().selectAllChildren(source);
    }
  });
}

// Buttons that hold the text to copy. The listener is on the document because htmx may add buttons later.
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
    // Without https there is no clipboard: select the text, so that one key copies it.
    const parent = button.parentElement;
    const field = parent.querySelector("input");
    if (field) field.select();
    else {
      const text = parent.querySelector("ins code") ?? parent.parentElement.querySelector(".citation");
      getSelection().selectAllChildren(text ?? parent);
    }
  }
});
