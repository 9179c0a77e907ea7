/* The log of a run: filtered as one types, and followed while the run goes on. Everything that comes is shown as text.

   Whoever scrolls up reads, and is not pulled down again; whoever scrolls back to the end follows again. */

import { showTimes } from "./times.js";

const MOST = 3000;
const NEAR = 24;
const LEVELS = ["debug", "info", "warning", "error"];

class RunLog {
  constructor(root) {
    this.root = root;
    this.list = root.querySelector(".log-lines");
    this.level = root.querySelector("#log-level");
    this.category = root.querySelector("#log-category");
    this.action = root.querySelector("#log-action");
    this.text = root.querySelector("#log-text");
    this.follow = root.querySelector("#log-follow");
    this.state = root.querySelector("#log-state");
    this.isLive = Boolean(root.dataset.stream);
    this.last = Math.max(0, ...[...this.list.children].map((line) => Number(line.dataset.id)));
  }

  begin() {
    for (const part of this.root.querySelectorAll("[data-plain]")) part.hidden = true;
    for (const part of this.root.querySelectorAll("[data-scripted]")) part.hidden = !this.isLive;
    const form = this.root.querySelector("form");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => this.filter());
    this.list.addEventListener("scroll", () => (this.follow.checked = this.isAtEnd()));
    this.follow.addEventListener("change", () => this.toEnd());
    this.filter();
    if (!this.isLive) return;
    this.toEnd();
    this.listen();
  }

  listen() {
    const stream = new EventSource(this.root.dataset.stream);
    stream.addEventListener("log", (event) => this.add(JSON.parse(event.data)));
    stream.addEventListener("end", () => {
      stream.close();
      this.isLive = false;
      this.count();
    });
    addEventListener("pagehide", () => stream.close());
    // htmx may put another page in this one's place.
    document.body.addEventListener("htmx:afterSettle", () => this.root.isConnected || stream.close());
  }

  /* The stream begins with the latest lines, some of which are there already. */
  add(line) {
    if (line.id <= this.last) return;
    this.last = line.id;
    this.root.querySelector("[data-empty]")?.remove();
    const item = written(line);
    item.hidden = !this.isWanted(item);
    this.list.append(item);
    if (this.list.childElementCount > MOST) this.list.firstElementChild.remove();
    offer(this.category, line.category);
    if (line.action) offer(this.action, line.action);
    this.count();
    this.toEnd();
  }

  isWanted(item) {
    const text = this.text.value.trim().toLowerCase();
    return (
      (!this.level.value || LEVELS.indexOf(item.dataset.level) >= LEVELS.indexOf(this.level.value)) &&
      (!this.category.value || item.dataset.category === this.category.value) &&
      (!this.action.value || item.dataset.action === this.action.value) &&
      (!text || item.textContent.toLowerCase().includes(text))
    );
  }

  filter() {
    for (const item of this.list.children) item.hidden = !this.isWanted(item);
    this.count();
    this.toEnd();
  }

  count() {
    const all = this.list.childElementCount;
    const shown = this.list.querySelectorAll(":scope > :not([hidden])").length;
    const word = all === 1 ? "line" : "lines";
    const lines = shown === all ? `${all} ${word}` : `${shown} of ${all} ${word}`;
    this.state.textContent = this.isLive ? `${lines}, live` : lines;
  }

  isAtEnd() {
    return this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - NEAR;
  }

  toEnd() {
    if (this.isLive && this.follow.checked) this.list.scrollTop = this.list.scrollHeight;
  }
}

function offer(select, word) {
  if ([...select.options].some((option) => option.value === word)) return;
  select.add(new Option(word, word));
}

function written(line) {
  const item = document.createElement("li");
  item.className = line.level;
  Object.assign(item.dataset, { id: line.id, level: line.level, category: line.category, action: line.action ?? "" });
  const time = part("time", "");
  time.dateTime = line.timestamp;
  time.dataset.second = "";
  time.title = `${line.timestamp.slice(0, 19).replace("T", " ")} UTC`;
  const category = part("i", line.category);
  if (line.action) category.title = line.action;
  item.append(time, " ", part("b", line.level), " ", category, " ", part("span", line.message));
  if (line.url) item.append(" ", address(line.url));
  showTimes(item);
  return item;
}

function address(url) {
  if (!/^https?:\/\//.test(url)) return part("span", url);
  const link = part("a", url);
  link.className = "outside";
  link.href = url;
  link.rel = "noopener noreferrer nofollow ugc";
  link.target = "_blank";
  return link;
}

function part(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

const begun = new WeakSet();

function beginAll() {
  for (const root of document.querySelectorAll("#run-log")) {
    if (begun.has(root)) continue;
    begun.add(root);
    new RunLog(root).begin();
  }
}

beginAll();
document.body.addEventListener("htmx:afterSettle", beginAll);
