/* The API reference: each call can be sent from its place, and the answer is shown below it. The fields come from
   /openapi.json. A call that changes something is sent only with a login, and after asking. */

const MOST_SHOWN = 200_000;
const READABLE = /^(text\/|application\/([\w.-]+\+)?(json|xml|x-ndjson))/;
const SAFE = "GET";

let described = null;

document.documentElement.classList.add("scripted");
for (const call of document.querySelectorAll("details.call[data-path]")) {
  call.addEventListener("toggle", () => offer(call).catch((error) => tell(call, String(error))), { once: true });
}
addEventListener("hashchange", openNamed);
openNamed();

/* An address that names a call opens it. */
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.matches("details.call")) named.open = true;
}

async function offer(call) {
  described ??= fetch("/openapi.json").then((answer) => answer.json());
  const { method, path } = call.dataset;
  const operation = (await described).paths[path][method.toLowerCase()];
  call.querySelector("form.try")?.remove();
  const form = element("form", { className: "try" });
  for (const parameter of operation.parameters ?? []) form.append(field(call.id, parameter));
  if (call.dataset.body) form.append(body(call));
  form.append(element("button", { textContent: `Send ${method}`, className: method === SAFE ? "" : "danger" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(call, form).catch((error) => tell(call, `The service does not answer: ${error.message}`));
  });
  call.querySelector("[data-try]").append(form, element("div", { className: "answer" }, { role: "status" }));
}

function element(name, properties = {}, attributes = {}) {
  const made = Object.assign(document.createElement(name), properties);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function field(id, { name, in: place, required, schema = {} }) {
  const label = element("label", { textContent: name, htmlFor: `${id}-${name}` });
  const kinds = [schema, ...(schema.anyOf ?? [])];
  const options = kinds.some((each) => each.type === "boolean")
    ? ["true", "false"]
    : kinds.flatMap((each) => each.enum ?? []);
  const input = options.length ? element("select") : element("input", { autocomplete: "off", placeholder: schema.default ?? "" });
  if (options.length) input.append(...["", ...options].map((text) => element("option", { value: text, textContent: text || "any" })));
  Object.assign(input, { id: label.htmlFor, name, required: Boolean(required) });
  input.dataset.place = place;
  if (required) label.append(element("strong", { textContent: " required" }));
  const line = element("p");
  line.append(label, input);
  return line;
}

function body(call) {
  const label = element("label", { textContent: "Body (JSON)", htmlFor: `${call.id}-body` });
  const text = element("textarea", { id: label.htmlFor, rows: 6, value: call.dataset.body, spellcheck: false });
  const line = element("p", { className: "body" });
  line.append(label, text);
  return line;
}

/* The address that the fields say; fields that are empty are left out. */
function addressOf(call, form) {
  const query = new URLSearchParams();
  let path = call.dataset.path;
  for (const input of form.querySelectorAll("[data-place]")) {
    if (input.dataset.place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value !== "") query.append(input.name, input.value);
  }
  return query.size ? `${path}?${query}` : path;
}

async function send(call, form) {
  const { method } = call.dataset;
  const address = addressOf(call, form);
  const request = { method, headers: { Accept: "application/json, */*" } };
  if (method !== SAFE) {
    const caller = await whoAsks();
    if (!caller) return tell(call, "Log in first: this call changes something.", "/login?next=/docs");
    if (!(await isMeant(`${method} ${address}`, caller))) return tell(call, "Not sent.");
    if (caller.token) request.headers["X-CSRF-Token"] = caller.token;
    const text = form.querySelector("textarea")?.value.trim();
    if (text) Object.assign(request, { body: text, headers: { ...request.headers, "Content-Type": "application/json" } });
  }
  tell(call, "…");
  const began = performance.now();
  const answer = await fetch(address, request);
  const content = await read(answer);
  show(call, `${method} ${address}`, answer, content, Math.round(performance.now() - began));
}

/* Who is logged in here, with what a session's changes must carry; null for nobody. */
async function whoAsks() {
  const answer = await fetch("/api/v1/me", { headers: { Accept: "application/json" } });
  return answer.ok ? { ...(await answer.json()), token: answer.headers.get("X-CSRF-Token") } : null;
}

function isMeant(what, { name, role }) {
  const dialog = element("dialog", {}, { "aria-label": "Send this call?" });
  const form = element("form", { method: "dialog", className: "acts" });
  form.append(
    element("button", { value: "send", textContent: "Send", className: "danger" }),
    element("button", { value: "", textContent: "Cancel", autofocus: true }),
  );
  const code = element("p");
  code.append(element("code", { textContent: what }));
  dialog.append(
    element("h2", { textContent: "Send this call?" }),
    code,
    element("p", { textContent: `It changes this installation, as ${name} (${role}).` }),
    form,
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((settle) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      settle(dialog.returnValue === "send");
    });
  });
}

/* The beginning of what came: an export may have no end. */
async function read(answer) {
  const type = answer.headers.get("Content-Type") ?? "";
  if (!answer.body || !READABLE.test(type)) {
    await answer.body?.cancel();
    return { type, text: answer.body && answer.status !== 204 ? `Not shown: ${type || "no type"}` : "" };
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done && text.length < MOST_SHOWN; part = await reader.read()) text += part.value;
  const isCut = text.length >= MOST_SHOWN;
  if (isCut) await reader.cancel();
  return { type, text: isCut ? `${text.slice(0, MOST_SHOWN)}\n… cut here` : indented(text, type) };
}

function indented(text, type) {
  if (!/json$/.test(type.split(";")[0])) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function show(call, sent, answer, { type, text }, took) {
  const place = call.querySelector(".answer");
  const badge = element("span", { className: `badge ${answer.ok ? "good" : "bad"}`, textContent: String(answer.status) });
  const line = element("p");
  line.append(badge, " ", element("code", { textContent: sent }), ` ${took} ms${type ? `, ${type}` : ""}`);
  place.replaceChildren(line);
  if (answer.status === 401) place.append(element("a", { href: "/login?next=/docs", textContent: "Log in" }));
  if (text) place.append(element("pre", { textContent: text, tabIndex: 0 }, { "aria-label": "The answer" }));
}

function tell(call, text, link) {
  const place = call.querySelector(".answer") ?? call.querySelector("[data-try]");
  place.replaceChildren(element("p", { textContent: text }));
  if (link) place.append(element("a", { href: link, textContent: "Log in" }));
}
