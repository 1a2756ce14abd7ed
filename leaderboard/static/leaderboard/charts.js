// Charts that answer: the picture is replaced by the same drawing as part of the page, whose marks say their
// figures to a pointer, a finger or the arrow keys. Where anything is not as expected the picture stays.

const SVG = "http://www.w3.org/2000/svg";
// What our drawings are made of, and nothing that runs, fetches or styles.
const ELEMENTS = new Set(["svg", "g", "path", "rect", "line", "circle", "text", "tspan", "defs", "clipPath"]);
const NEAR = 18; // pixels from a mark at which it is still meant

const isHarmless = (element) =>
  element.namespaceURI === SVG &&
  ELEMENTS.has(element.localName) &&
  [...element.attributes].every(
    ({ name, value }) =>
      !/^on|^style$|href$/i.test(name) && !/url\((?!#)|javascript:|expression\(/i.test(value.replace(/\s/g, "")),
  );

// The drawing as an element of this page; null where it is none, or has in it what a drawing of ours has not.
const readDrawing = (text) => {
  if (!text.startsWith("<svg")) return null;
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (root.localName !== "svg" || ![root, ...root.querySelectorAll("*")].every(isHarmless)) return null;
  return document.importNode(root, true);
};

let drawings = 0;

// Several drawings on a page must not share the names of their parts.
const renameParts = (root) => {
  const own = `drawing-${++drawings}-`;
  for (const part of root.querySelectorAll("[id]")) part.id = own + part.id;
  for (const part of root.querySelectorAll("[clip-path]")) {
    part.setAttribute("clip-path", part.getAttribute("clip-path").replace("url(#", `url(#${own}`));
  }
};

const addressOf = (picture) => {
  const source = [...picture.querySelectorAll("source")].find((one) => matchMedia(one.media).matches);
  return source ? source.srcset : picture.querySelector("img").src;
};

const newTip = (figure) => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  // The mark itself has the same words for who listens.
  tip.setAttribute("aria-hidden", "true");
  figure.append(tip);
  return tip;
};

const showTip = (tip, mark) => {
  const [name, ...figures] = mark.getAttribute("aria-label").split("\n");
  const head = document.createElement("strong");
  head.textContent = name;
  const lines = figures.map((text) => {
    const line = document.createElement("span");
    line.textContent = text;
    return line;
  });
  tip.replaceChildren(head, ...lines);
  tip.hidden = false;
  const frame = tip.offsetParent.getBoundingClientRect();
  const at = mark.getBoundingClientRect();
  const middle = at.left + at.width / 2 - frame.left - tip.offsetWidth / 2;
  const left = Math.max(4, Math.min(middle, frame.width - tip.offsetWidth - 4));
  const above = at.top - frame.top - tip.offsetHeight - 8;
  const fits = at.top - tip.offsetHeight - 8 > 0;
  tip.style.left = `${left}px`;
  tip.style.top = `${fits ? above : at.bottom - frame.top + 8}px`;
};

const distance = (mark, x, y) => {
  const { left, right, top, bottom } = mark.getBoundingClientRect();
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
};

const nearest = (marks, x, y) => {
  let found = null;
  let least = NEAR;
  for (const mark of marks) {
    const far = distance(mark, x, y);
    if (far < least) [found, least] = [mark, far];
  }
  return found;
};

const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

const middleOf = (mark) => {
  const { left, top, width, height } = mark.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
};

// In a grid the next mark in the direction of the arrow; else the next in order.
const nextMark = (marks, mark, key, isGrid) => {
  const [across, down] = WAYS[key];
  if (!isGrid) return marks[marks.indexOf(mark) + across + down] ?? mark;
  const [x, y] = middleOf(mark);
  let found = mark;
  let least = Infinity;
  for (const other of marks) {
    const [dx, dy] = middleOf(other).map((at, place) => at - [x, y][place]);
    const ahead = dx * across + dy * down;
    const cost = ahead + 4 * Math.abs(dx * down + dy * across);
    if (ahead > 1 && cost < least) [found, least] = [other, cost];
  }
  return found;
};

// One stop for the Tab key; from there the arrows go on.
const bindKeys = (root, marks, tip, isGrid) => {
  const go = (mark) => {
    for (const other of marks) other.setAttribute("tabindex", other === mark ? "0" : "-1");
  };
  go(marks[0]);
  root.addEventListener("focusin", (event) => {
    const mark = event.target.closest("[tabindex]");
    if (!marks.includes(mark)) return;
    go(mark);
    showTip(tip, mark);
  });
  root.addEventListener("focusout", () => {
    tip.hidden = true;
  });
  root.addEventListener("keydown", (event) => {
    const mark = event.target.closest("[tabindex]");
    if (event.key === "Escape") tip.hidden = true;
    if (!marks.includes(mark) || event.altKey || event.ctrlKey || event.metaKey) return;
    const ends = { Home: marks[0], End: marks.at(-1) };
    const next = event.key in WAYS ? nextMark(marks, mark, event.key, isGrid) : ends[event.key];
    if (!next) return;
    event.preventDefault();
    next.focus();
    showTip(tip, next);
  });
};

const bindPointer = (root, marks, tip) => {
  const point = (event) => {
    const mark = nearest(marks, event.clientX, event.clientY);
    if (mark) showTip(tip, mark);
    else tip.hidden = true;
  };
  root.addEventListener("pointermove", point);
  root.addEventListener("pointerdown", point);
  root.addEventListener("pointerleave", (event) => {
    // A finger that is lifted leaves, too, and what it asked for stays.
    if (event.pointerType === "mouse") tip.hidden = true;
  });
};

const marksOf = (root, role) =>
  [...root.querySelectorAll(`[role=${role}][aria-label]`)].filter(
    (mark) => mark.getAttribute("aria-roledescription") !== "title",
  );

const dress = (root, picture, hint) => {
  renameParts(root);
  const marks = marksOf(root, "graphics-symbol");
  const alternative = picture.querySelector("img").alt;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", marks.length ? `${alternative} ${hint}` : alternative);
  for (const part of root.querySelectorAll("[role=graphics-object], [aria-roledescription=title]")) {
    for (const name of ["role", "aria-roledescription", "aria-label"]) part.removeAttribute(name);
  }
  // Their texts are said by the marks.
  for (const part of root.querySelectorAll("text")) part.setAttribute("aria-hidden", "true");
  for (const mark of marks) {
    mark.setAttribute("role", "img");
    mark.removeAttribute("aria-roledescription");
  }
  return marks;
};

const bindFigure = (figure) => {
  const picture = figure.querySelector("picture");
  if (!picture) return;
  const tip = newTip(figure);
  const isGrid = ["groups", "approaches"].includes(figure.dataset.chart);
  let shown = "";
  let drawing = null;
  const draw = async () => {
    const address = addressOf(picture);
    if (address === shown) return;
    shown = address;
    try {
      const answer = await fetch(address, { credentials: "same-origin" });
      const root = answer.ok ? readDrawing(await answer.text()) : null;
      // Another may have been asked for meanwhile.
      if (address !== shown) return;
      if (!root) throw new Error("not a drawing");
      const marks = dress(root, picture, figure.dataset.hint);
      // The figures are the same in the other scheme: the reader stays where they were.
      const focused = drawing ? marksOf(drawing, "img").indexOf(document.activeElement) : -1;
      tip.hidden = true;
      if (drawing) drawing.replaceWith(root);
      else picture.before(root);
      drawing = root;
      picture.hidden = true;
      if (!marks.length) return;
      bindKeys(root, marks, tip, isGrid);
      bindPointer(root, marks, tip);
      if (focused >= 0) (marks[focused] ?? marks[0]).focus();
    } catch {
      drawing?.remove();
      drawing = null;
      picture.hidden = false;
    }
  };
  for (const source of picture.querySelectorAll("source")) matchMedia(source.media).addEventListener("change", draw);
  document.addEventListener("pointerdown", (event) => {
    if (!figure.contains(event.target)) tip.hidden = true;
  });
  draw();
};

const bindAll = (root) => {
  for (const figure of root.querySelectorAll("figure[data-chart]:not([data-bound])")) {
    figure.dataset.bound = "";
    bindFigure(figure);
  }
};

bindAll(document);
// Parts of a page that came later, by htmx.
document.addEventListener("htmx:load", (event) => bindAll(event.target.parentNode ?? document));
