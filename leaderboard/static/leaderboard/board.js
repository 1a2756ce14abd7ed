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

// Two systems are compared: with two chosen, no third can be.
document.addEventListener("change", ({ target }) => {
  if (!target.matches(".pick input")) return;
  const boxes = [...document.querySelectorAll(".pick input")];
  const isFull = boxes.filter((box) => box.checked).length > 1;
  for (const box of boxes) box.disabled = isFull && !box.checked;
});

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
  setParams(".views a, .tabs a[data-keeps-query]", paramsWithout("page"));
  const paramsOfToday = paramsWithout("as_of", "page");
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

// On a narrow screen the tabs scroll sideways: begin where the current one is in view.
const tabs = document.querySelector(".board-bar");
const currentTab = tabs?.querySelector("[aria-current]");
if (currentTab) tabs.scrollLeft += currentTab.getBoundingClientRect().right - tabs.getBoundingClientRect().right + 48;
