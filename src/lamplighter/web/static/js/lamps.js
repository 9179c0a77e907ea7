/* Lamps change as runs begin and end: with each news those that changed since the last time are asked for. */

let asked = Date.now();
let isAsking = false;

async function renew() {
  if (isAsking) return;
  isAsking = true;
  const since = asked;
  asked = Date.now();
  try {
    const seconds = Math.min(3600, Math.ceil((asked - since) / 1000));
    const answer = await fetch(`/lamps/changed?seconds=${seconds}`, { headers: { Accept: "application/json" } });
    if (answer.ok) show(await answer.json());
    else asked = since;
  } catch {
    asked = since;
  }
  isAsking = false;
}

function show(lamps) {
  for (const [number, state] of lamps) {
    for (const lamp of document.querySelectorAll(`.street a[href="/lamps/${number}"]`)) {
      lamp.className = state;
      lamp.title = `${lamp.title.slice(0, lamp.title.lastIndexOf(": "))}: ${state}`;
    }
  }
}

document.body.addEventListener("lamp:runs", renew);
