/* <time data-ago> says how long ago, <time data-clock> the date and time in the viewer's zone, <time data-second> the
   time of day to the second; the exact UTC stays on hover. */

const UNITS = [[86400, "d"], [3600, "h"], [60, "min"]];
const CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const SECOND = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

export function showTimes(root) {
  const now = Date.now();
  for (const time of root.querySelectorAll("time[data-ago]")) write(time, away((Date.parse(time.dateTime) - now) / 1000));
  for (const time of root.querySelectorAll("time[data-clock]")) write(time, CLOCK.format(Date.parse(time.dateTime)));
  for (const time of root.querySelectorAll("time[data-second]")) write(time, SECOND.format(Date.parse(time.dateTime)));
}

function write(time, text) {
  if (time.textContent !== text) time.textContent = text;
}

function away(seconds) {
  const size = Math.floor(Math.abs(seconds));
  if (size === 0) return "now";
  const unit = UNITS.find(([length]) => size >= 2 * length);
  const words = unit ? `${Math.floor(size / unit[0])} ${unit[1]}` : `${size} s`;
  return seconds > 0 ? `in ${words}` : `${words} ago`;
}
