// The page of the API: on demand it shows the OpenAPI document in Swagger UI, which sends requests with the reader's
// session. Swagger UI weighs ten times as much as the page, so nobody loads it who only reads.

// Swagger UI is dark where this class is set; it does not ask the browser by itself.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => {
  const { classList, dataset } = document.documentElement;
  classList.toggle("dark-mode", dataset.scheme ? dataset.scheme === "dark" : dark.matches);
};
dark.addEventListener("change", followScheme);
addEventListener("change", followScheme);

const page = document.querySelector("#swagger-ui");
const button = document.querySelector("[data-script]");

const add = (name, attributes) =>
  new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(name), attributes, { onload: resolve, onerror: reject });
    document.head.append(element);
  });

const show = async () => {
  button.disabled = true;
  const { style, script } = button.dataset;
  await Promise.all([add("link", { rel: "stylesheet", href: style }), add("script", { src: script })]);
  followScheme();
  button.parentElement.remove();
  page.tabIndex = -1;
  page.focus({ preventScroll: true });
  const cookies = new URLSearchParams(document.cookie.replaceAll("; ", "&"));
  SwaggerUIBundle({
    url: page.dataset.document,
    dom_id: "#swagger-ui",
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    deepLinking: true,
    // The default is a validator on another host.
    validatorUrl: null,
    requestInterceptor: (request) => {
      if (!["GET", undefined].includes(request.method) && request.credentials === "same-origin") {
        request.headers["X-CSRFToken"] = cookies.get("csrftoken") ?? "";
      }
      return request;
    },
  });
};
const ask = () => show().catch(() => (button.disabled = false));
button.addEventListener("click", ask);
// A link to one operation, as Swagger UI writes it.
const askForLink = () => {
  if (location.hash.startsWith("#/") && button.isConnected) ask();
};
addEventListener("hashchange", askForLink);
askForLink();
