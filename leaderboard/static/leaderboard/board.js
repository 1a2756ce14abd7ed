// A board and its views: filters, what goes along in addresses, tables that come by htmx.

// What is chosen acts at once; the button stays for those who type. An address says only what is asked.
for (const form of document.querySelectorAll("form[data-filters]")) {
  form.addEventListener("change", (event) => {
    if (event.target.matches("select")) form.requestSubmit();
  });
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (!value) formData.delete(name);
  });
}

// What leads elsewhere from beside the table takes along what its address says by now.
const without = (...names) => {
  const asked = new URLSearchParams(location.search);
  for (const name of names) asked.delete(name);
  return asked;
};
const followAddress = () => {
  const to = (selector, asked) => {
    for (const link of document.querySelectorAll(selector)) link.search = asked;
  };
  to("a[hreflang]", without("fragment"));
  to(".views a", without("columns", "page", "compare"));
  const kept = without("as_of", "page", "compare");
  to("a.today", kept);
  for (const form of document.querySelectorAll(".as-of")) {
    for (const field of form.querySelectorAll("[type=hidden]")) field.remove();
    for (const [name, value] of kept) {
      const field = Object.assign(document.createElement("input"), { type: "hidden", name, value });
      form.append(field);
    }
  }
};
document.addEventListener("htmx:pushedIntoHistory", followAddress);

// A table that does not come is said, with a plain way to it; while one is on its way, the old one is marked.
const showBusy = (isBusy) => document.getElementById("results")?.setAttribute("aria-busy", isBusy);
const sayFetched = (address) => {
  const said = document.getElementById("said");
  if (!said) return;
  said.className = address ? "note error" : "visually-hidden";
  said.replaceChildren(...(address ? [document.getElementById("failed").content.cloneNode(true)] : []));
  if (address) said.querySelector("a").href = address;
};
document.addEventListener("htmx:beforeRequest", () => {
  sayFetched("");
  showBusy(true);
});
document.addEventListener("htmx:afterRequest", () => showBusy(false));
for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => sayFetched(event.detail.pathInfo.finalRequestPath));
}

// What a reader has opened beside the table stays open when another table comes.
let opened = [];
document.addEventListener("htmx:beforeSwap", () => {
  opened = [...document.querySelectorAll("#results details[open]")].map((one) => one.id);
});
document.addEventListener("htmx:afterSettle", () => {
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
});

// Systems that are ticked for comparing: they go along in every address of the board.
const ticks = () => [...document.querySelectorAll("input[name=system][form=compare]")];
const chosen = () => {
  const form = document.getElementById("compare");
  if (!form) return [...document.querySelectorAll("#results input[name=compare]")].map((field) => field.value);
  const elsewhere = [...form.querySelectorAll("input[type=hidden][name=system]")];
  return [...elsewhere, ...ticks().filter((box) => box.checked)].map((field) => field.value);
};

const withChosen = (address, systems) => {
  const [path, asked = ""] = address.split("?");
  const kept = asked.split("&").filter((part) => part && !part.startsWith("compare="));
  const all = [...kept, ...systems.map((system) => `compare=${system}`)];
  return all.length ? `${path}?${all.join("&")}` : path;
};

const showChosen = () => {
  const form = document.getElementById("compare");
  if (!form) return;
  const systems = chosen();
  const isFull = systems.length >= Number(form.dataset.most);
  for (const box of ticks()) box.disabled = isFull && !box.checked;
  for (const link of document.querySelectorAll("#results :is(.pages a, th a[hx-get], a[data-keeps-ticks])")) {
    link.setAttribute("href", withChosen(link.getAttribute("href"), systems));
  }
  const said = systems.length ? form.dataset[isFull ? "full" : "said"].replace("{n}", systems.length) : "";
  const line = document.getElementById("chosen");
  if (line.textContent !== said) line.textContent = said;
  form.classList.toggle("chosen", systems.length > 0);
};

document.addEventListener("change", (event) => {
  if (!event.target.matches("input[name=system][form=compare]")) return;
  history.replaceState(history.state, "", withChosen(location.pathname + location.search, chosen()));
  followAddress();
  showChosen();
});
document.addEventListener("htmx:configRequest", (event) => {
  if (!event.detail.elt.closest("#filters, #results")) return;
  event.detail.path = withChosen(event.detail.path, []);
  event.detail.parameters.compare = chosen();
});
document.addEventListener("htmx:afterSwap", showChosen);
addEventListener("pageshow", showChosen);

// A browser is content when a part of what has the focus is beside the column that is held.
document.addEventListener("focusin", ({ target }) => {
  const cell = target.closest(".scroll > .board :is(td, th)");
  const held = cell?.parentElement.children[1];
  if (!held || cell === held || getComputedStyle(held).position !== "sticky") return;
  const covered = held.getBoundingClientRect().right - target.getBoundingClientRect().left;
  if (covered > 0) cell.closest(".scroll").scrollLeft -= covered + 8;
});
