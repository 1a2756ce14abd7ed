// Makes or uses a passkey, and sends what the browser says about it with the form.

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const failure = form.querySelector("[data-failure]");
  const ask = form.querySelector("[data-ask]");
  ask.addEventListener("click", async () => {
    failure.hidden = true;
    try {
      const options = JSON.parse(form.dataset.options);
      const credential =
        form.dataset.passkey === "create"
          ? await window.webauthnJSON.create(options)
          : await window.webauthnJSON.get(options);
      form.elements.credential.value = JSON.stringify(credential);
      form.submit();
    } catch (error) {
      // The person or the device refused, or the browser has no passkeys at this address.
      console.warn(error);
      failure.hidden = false;
    }
  });
  // A click before this script came would do nothing.
  ask.disabled = false;
}
