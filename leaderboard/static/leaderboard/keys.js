// Single keys: "/" goes to the search field of a leaderboard; "j" and "k" follow the links to the next and the previous
// wrong task. A box on each page with keys switches all of them off, and the browser remembers that.

const box = document.querySelector("[data-keys]");
const remembered = (write) => {
  try {
    return write(localStorage);
  } catch {
    // The browser stores nothing: the box counts on this page alone.
  }
};
if (box && remembered((storage) => storage.getItem("keys")) === "off") box.checked = false;
box?.addEventListener("change", () => remembered((storage) => storage.setItem("keys", box.checked ? "on" : "off")));

const follow = (key) => {
  // In a list: from the task where the reader is, else to the first.
  const here = document.querySelector(".task:focus-within") ?? document.querySelector(".task:target");
  const first = document.querySelector(".task > .which h2 a");
  const link = (here ?? document).querySelector(`[aria-keyshortcuts="${key}"]`);
  (here || !first ? link : first)?.click();
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]");
  if (!box?.checked || isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
  const search = document.getElementById("q");
  if (event.key === "j" || event.key === "k") follow(event.key);
  if (event.key !== "/" || !search) return;
  event.preventDefault();
  search.focus();
});
