// Swagger UI is dark where this class is set; it does not ask the browser by itself.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => {
  const { classList, dataset } = document.documentElement;
  classList.toggle("dark-mode", dataset.scheme ? dataset.scheme === "dark" : dark.matches);
};
dark.addEventListener("change", followScheme);
followScheme();

// The page of the API: shows the OpenAPI document and sends requests with the reader's session.

const page = document.querySelector("#swagger-ui");
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
