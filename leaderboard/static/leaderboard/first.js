// Runs before the first paint, so that nothing moves or changes its colours afterwards.
{
  const root = document.documentElement;
  const DARK = "(prefers-color-scheme: dark)";
  root.classList.add("scripted");
  // A browser may refuse to store anything. The scheme of the system holds then.
  const stored = () => {
    try {
      return localStorage.getItem("scheme") ?? "";
    } catch {
      return "";
    }
  };
  const show = (scheme) => {
    if (root.dataset.scheme !== scheme) root.dataset.scheme = scheme;
    const field = document.querySelector("select[name=scheme]");
    if (field) field.value = scheme;
    // Pictures have a source for each scheme.
    const condition = { light: "(max-width: 0)", dark: "(min-width: 0)" }[scheme];
    for (const source of document.querySelectorAll("source[media]")) {
      source.dataset.media ??= source.media;
      if (source.dataset.media.includes(DARK)) {
        source.media = condition ? source.dataset.media.replace(DARK, condition) : source.dataset.media;
      }
    }
  };
  const showStored = () => show(stored());
  showStored();
  // Before the scripts of the page run, which read those sources.
  document.addEventListener("readystatechange", showStored);
  // Another page may have changed it: in another tab, or before a step back.
  for (const name of ["pageshow", "storage"]) addEventListener(name, showStored);
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("select[name=scheme]")) return;
    show(target.value);
    try {
      localStorage.setItem("scheme", target.value);
    } catch {}
  });
}
