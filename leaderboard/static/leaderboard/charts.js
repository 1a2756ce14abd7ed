// Interactive charts: the same drawing replaces the picture as part of the page, and its marks show their figures
// to a pointer, a finger or the arrow keys. If anything is not as expected, the picture stays.

const SVG = "http://www.w3.org/2000/svg";
// The elements of our drawings: none of them runs a script, fetches a file or sets a style.
const ELEMENTS = new Set(["svg", "g", "path", "rect", "line", "circle", "text", "tspan", "defs", "clipPath"]);
const REACH = 18; // pixels: how far from a mark a pointer may be to choose it

const isHarmless = (element) =>
  element.namespaceURI === SVG &&
  ELEMENTS.has(element.localName) &&
  [...element.attributes].every(
    ({ name, value }) =>
      !/^on|^style$|href$/i.test(name) && !/url\((?!#)|javascript:|expression\(/i.test(value.replace(/\s/g, "")),
  );

// Return the drawing as an element of this page, or null if it is not one of ours.
const readDrawing = (text) => {
  if (!text.startsWith("<svg")) return null;
  // The page has the font that the file brings along.
  const drawn = text.replace(/<style>@font-face[^<]*<\/style>/, "");
  const root = new DOMParser().parseFromString(drawn, "image/svg+xml").documentElement;
  if (root.localName !== "svg" || ![root, ...root.querySelectorAll("*")].every(isHarmless)) return null;
  return document.importNode(root, true);
};

let drawingCount = 0;

// Two drawings on a page must not use the same ids.
const makeIdsUnique = (root) => {
  const prefix = `drawing-${++drawingCount}-`;
  for (const part of root.querySelectorAll("[id]")) part.id = prefix + part.id;
  for (const part of root.querySelectorAll("[clip-path]")) {
    part.setAttribute("clip-path", part.getAttribute("clip-path").replace("url(#", `url(#${prefix}`));
  }
};

const addressOf = (picture) => {
  const source = [...picture.querySelectorAll("source")].find(({ media }) => matchMedia(media).matches);
  return source ? source.srcset : picture.querySelector("img").src;
};

const newTip = (figure) => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  // Screen readers read the same text from the label of the mark.
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
  const box = mark.getBoundingClientRect();
  const centred = box.left + box.width / 2 - frame.left - tip.offsetWidth / 2;
  const left = Math.max(4, Math.min(centred, frame.width - tip.offsetWidth - 4));
  const above = box.top - frame.top - tip.offsetHeight - 8;
  const below = box.bottom - frame.top + 8;
  const fitsAbove = box.top - tip.offsetHeight - 8 > 0;
  tip.style.left = `${left}px`;
  tip.style.top = `${fitsAbove ? above : below}px`;
};

const distance = (mark, x, y) => {
  const { left, right, top, bottom } = mark.getBoundingClientRect();
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
};

const nearestMark = (marks, x, y) => {
  let nearest = null;
  let leastDistance = REACH;
  for (const mark of marks) {
    const markDistance = distance(mark, x, y);
    if (markDistance < leastDistance) [nearest, leastDistance] = [mark, markDistance];
  }
  return nearest;
};

const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

const centreOf = (mark) => {
  const { left, top, width, height } = mark.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
};

// In a grid, return the next mark in the direction of the arrow; elsewhere, the next in order.
const nextMark = (marks, mark, key, isGrid) => {
  const [across, down] = DIRECTIONS[key];
  if (!isGrid) return marks[marks.indexOf(mark) + across + down] ?? mark;
  const [x, y] = centreOf(mark);
  let next = mark;
  let leastCost = Infinity;
  for (const other of marks) {
    const [otherX, otherY] = centreOf(other);
    const [dx, dy] = [otherX - x, otherY - y];
    const ahead = dx * across + dy * down;
    const aside = Math.abs(dx * down + dy * across);
    const cost = ahead + 4 * aside;
    if (ahead > 1 && cost < leastCost) [next, leastCost] = [other, cost];
  }
  return next;
};

// A drawing has one tab stop; the arrow keys move it from mark to mark.
const bindKeys = (root, marks, tip, isGrid) => {
  const setTabStop = (mark) => {
    for (const other of marks) other.setAttribute("tabindex", other === mark ? "0" : "-1");
  };
  setTabStop(marks[0]);
  // On the marks and not on the drawing, which such a listener would make a tab stop too, in Chromium.
  for (const mark of marks) {
    mark.addEventListener("focus", () => {
      setTabStop(mark);
      showTip(tip, mark);
    });
    mark.addEventListener("blur", () => {
      tip.hidden = true;
    });
  }
  root.addEventListener("keydown", (event) => {
    const mark = event.target.closest("[tabindex]");
    if (event.key === "Escape") tip.hidden = true;
    if (!marks.includes(mark) || event.altKey || event.ctrlKey || event.metaKey) return;
    const ends = { Home: marks[0], End: marks.at(-1) };
    const next = event.key in DIRECTIONS ? nextMark(marks, mark, event.key, isGrid) : ends[event.key];
    if (!next) return;
    event.preventDefault();
    next.focus();
    showTip(tip, next);
  });
};

const bindPointer = (root, marks, tip) => {
  const showNearest = (event) => {
    const mark = nearestMark(marks, event.clientX, event.clientY);
    if (mark) showTip(tip, mark);
    else tip.hidden = true;
  };
  root.addEventListener("pointermove", showNearest);
  root.addEventListener("pointerdown", showNearest);
  root.addEventListener("pointerleave", (event) => {
    // Lifting a finger also fires this event, and the figures must stay.
    if (event.pointerType === "mouse") tip.hidden = true;
  });
};

const marksOf = (root, role) =>
  [...root.querySelectorAll(`[role=${role}][aria-label]`)].filter(
    (mark) => mark.getAttribute("aria-roledescription") !== "title",
  );

const makeAccessible = (root, picture, hint) => {
  const marks = marksOf(root, "graphics-symbol");
  const alternative = picture.querySelector("img").alt;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", marks.length ? `${alternative} ${hint}` : alternative);
  for (const part of root.querySelectorAll("[role=graphics-object], [aria-roledescription=title]")) {
    for (const name of ["role", "aria-roledescription", "aria-label"]) part.removeAttribute(name);
  }
  // The labels of the marks hold the same texts.
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
  let currentAddress = "";
  let drawing = null;
  const draw = async () => {
    const address = addressOf(picture);
    if (address === currentAddress) return;
    currentAddress = address;
    try {
      const response = await fetch(address, { credentials: "same-origin" });
      const root = response.ok ? readDrawing(await response.text()) : null;
      // The colour scheme may have changed while this drawing was fetched.
      if (address !== currentAddress) return;
      if (!root) throw new Error("not a drawing");
      makeIdsUnique(root);
      root.classList.toggle("dark", address.includes("scheme=dark"));
      const marks = makeAccessible(root, picture, figure.dataset.hint);
      // The drawing for the other colour scheme has the same marks: keep the focus.
      const focusedIndex = drawing ? marksOf(drawing, "img").indexOf(document.activeElement) : -1;
      tip.hidden = true;
      if (drawing) drawing.replaceWith(root);
      else picture.before(root);
      drawing = root;
      picture.hidden = true;
      if (!marks.length) return;
      bindKeys(root, marks, tip, isGrid);
      bindPointer(root, marks, tip);
      if (focusedIndex >= 0) (marks[focusedIndex] ?? marks[0]).focus();
    } catch {
      drawing?.remove();
      drawing = null;
      picture.hidden = false;
    }
  };
  for (const source of picture.querySelectorAll("source")) matchMedia(source.media).addEventListener("change", draw);
  // The reader may choose another colour scheme, which changes the sources.
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-scheme"] });
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
// Charts in parts of the page that htmx loads.
document.addEventListener("htmx:load", (event) => bindAll(event.target.parentNode ?? document));
