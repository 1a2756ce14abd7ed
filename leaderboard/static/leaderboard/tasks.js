// Keys that lead from one wrong task to the next: they follow the links that state them. A box on the page switches
// them off, and the browser remembers that.

const box = document.querySelector("[data-keys]");
const remembered = (write) => {
  try {
    return write(localStorage);
  } catch {
    // The browser stores nothing: the box counts on this page alone.
  }
};
if (box && remembered((storage) => storage.getItem("task-keys")) === "off") box.checked = false;
box?.addEventListener("change", () => remembered((storage) => storage.setItem("task-keys", box.checked ? "on" : "off")));

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input:not([type=checkbox]), select, textarea, [contenteditable]");
  if (!box?.checked || isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key !== "j" && event.key !== "k") return;
  // In a list: from the task where the reader is, else to the first.
  const here = document.querySelector(".task:focus-within") ?? document.querySelector(".task:target");
  const first = document.querySelector(".task > .which h2 a");
  const link = (here ?? document).querySelector(`[aria-keyshortcuts="${event.key}"]`);
  (here || !first ? link : first)?.click();
});
