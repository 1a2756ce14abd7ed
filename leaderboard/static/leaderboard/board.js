// The pages of a leaderboard: filters, links that keep what the reader chose, and tables that htmx fetches.

// A select box filters at once; the button is for those who type. Empty fields are left out of the address.
for (const form of document.querySelectorAll("form[data-filters]")) {
  form.addEventListener("change", (event) => {
    if (event.target.matches("select")) form.requestSubmit();
  });
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (!value) formData.delete(name);
  });
}

// htmx changes the address: the links and forms beside the table then get its parameters.
const paramsWithout = (...names) => {
  const params = new URLSearchParams(location.search);
  for (const name of names) params.delete(name);
  return params;
};
const copyParamsToLinks = () => {
  const setParams = (selector, params) => {
    for (const link of document.querySelectorAll(selector)) link.search = params;
  };
  setParams("a[hreflang]", paramsWithout("fragment"));
  setParams(".views a, .tabs a[data-keeps-query]", paramsWithout("columns", "page", "compare"));
  const paramsOfToday = paramsWithout("as_of", "page", "compare");
  setParams("a.today", paramsOfToday);
  for (const form of document.querySelectorAll(".as-of")) {
    for (const field of form.querySelectorAll("[type=hidden]")) field.remove();
    for (const [name, value] of paramsOfToday) {
      const field = Object.assign(document.createElement("input"), { type: "hidden", name, value });
      form.append(field);
    }
  }
};
document.addEventListener("htmx:pushedIntoHistory", copyParamsToLinks);

// While a table is fetched, the old one is marked as busy. If that fails, an error with a link is shown.
const setBusy = (isBusy) => document.getElementById("results")?.setAttribute("aria-busy", isBusy);
const clearAnnouncement = () => {
  const announcement = document.getElementById("announcement");
  if (!announcement) return;
  announcement.className = "visually-hidden";
  announcement.replaceChildren();
};
const showFetchError = (address) => {
  const announcement = document.getElementById("announcement");
  if (!announcement) return;
  announcement.className = "note error";
  announcement.replaceChildren(document.getElementById("fetch-error").content.cloneNode(true));
  announcement.querySelector("a").href = address;
};
document.addEventListener("htmx:beforeRequest", () => {
  clearAnnouncement();
  setBusy(true);
});
document.addEventListener("htmx:afterRequest", () => setBusy(false));
for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => showFetchError(event.detail.pathInfo.finalRequestPath));
}

// Details that the reader opened stay open when htmx replaces the results.
let openIds = [];
document.addEventListener("htmx:beforeSwap", () => {
  openIds = [...document.querySelectorAll("#results details[open]")].map((details) => details.id);
});
document.addEventListener("htmx:afterSettle", () => {
  for (const id of openIds) document.getElementById(id)?.setAttribute("open", "");
});

// Systems that are ticked for comparison are kept in every address of the board.
const checkboxes = () => [...document.querySelectorAll("input[name=system][form=compare]")];
const chosenSystems = () => {
  const form = document.getElementById("compare");
  if (!form) return [...document.querySelectorAll("#results input[name=compare]")].map((field) => field.value);
  const onOtherPages = [...form.querySelectorAll("input[type=hidden][name=system]")];
  return [...onOtherPages, ...checkboxes().filter((box) => box.checked)].map((field) => field.value);
};

const withSystems = (address, systems) => {
  const [path, query = ""] = address.split("?");
  const otherParams = query.split("&").filter((param) => param && !param.startsWith("compare="));
  const params = [...otherParams, ...systems.map((system) => `compare=${system}`)];
  return params.length ? `${path}?${params.join("&")}` : path;
};

const showChosenSystems = () => {
  const form = document.getElementById("compare");
  if (!form) return;
  const systems = chosenSystems();
  const isFull = systems.length >= Number(form.dataset.most);
  for (const box of checkboxes()) box.disabled = isFull && !box.checked;
  for (const link of document.querySelectorAll("main :is(.pages a, th a[hx-get], a[data-keeps-ticks])")) {
    link.setAttribute("href", withSystems(link.getAttribute("href"), systems));
  }
  const { one, several, full, button } = form.dataset;
  const template = systems.length === 1 ? one : isFull ? full : several;
  const text = systems.length ? template.replace("{n}", systems.length) : "";
  const line = document.getElementById("chosen");
  // A screen reader would read the same text again.
  if (line.textContent !== text) line.textContent = text;
  const submit = form.querySelector("button");
  submit.dataset.label ??= submit.textContent;
  submit.textContent = systems.length > 1 ? button.replace("{n}", systems.length) : submit.dataset.label;
  form.classList.toggle("chosen", systems.length > 0);
};

document.addEventListener("change", (event) => {
  if (!event.target.matches("input[name=system][form=compare]")) return;
  history.replaceState(history.state, "", withSystems(location.pathname + location.search, chosenSystems()));
  copyParamsToLinks();
  showChosenSystems();
});
document.addEventListener("htmx:configRequest", (event) => {
  if (!event.detail.elt.closest("#filters, #results")) return;
  event.detail.path = withSystems(event.detail.path, []);
  event.detail.parameters.compare = chosenSystems();
});
document.addEventListener("htmx:afterSwap", showChosenSystems);
addEventListener("pageshow", showChosenSystems);

// On a narrow screen the tabs scroll sideways: begin where the current one is in view.
const tabs = document.querySelector(".board-bar");
const currentTab = tabs?.querySelector("[aria-current]");
if (currentTab) tabs.scrollLeft += currentTab.getBoundingClientRect().right - tabs.getBoundingClientRect().right + 48;
