// Asks the browser for a security key, and sends what it says with the form. A browser that cannot says so by the page.
(() => {
  const form = document.querySelector("form[data-options]");
  if (form === null || !isSecureContext || !("PublicKeyCredential" in window)) return;
  const [press, cannot, stopped] = ["press", "cannot", "stopped"].map((id) => document.getElementById(id));

  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  const written = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const known = (list) => list.map((one) => ({ ...one, id: bytes(one.id) }));

  const ask = async () => {
    const given = JSON.parse(form.dataset.options);
    const challenge = bytes(given.challenge);
    if (form.dataset.ask === "get") {
      const publicKey = { ...given, challenge, allowCredentials: known(given.allowCredentials) };
      return navigator.credentials.get({ publicKey });
    }
    const user = { ...given.user, id: bytes(given.user.id) };
    const publicKey = { ...given, challenge, user, excludeCredentials: known(given.excludeCredentials) };
    return navigator.credentials.create({ publicKey });
  };

  const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature"];
  const documentOf = (credential) => ({
    id: credential.id,
    rawId: written(credential.rawId),
    type: credential.type,
    response: Object.fromEntries(
      parts.filter((part) => part in credential.response).map((part) => [part, written(credential.response[part])]),
    ),
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    stopped.hidden = true;
    press.disabled = true;
    try {
      form.elements.answer.value = JSON.stringify(documentOf(await ask()));
      form.submit();
    } catch {
      stopped.hidden = false;
      press.disabled = false;
      press.focus();
    }
  });
  cannot.hidden = true;
  press.hidden = false;
})();
