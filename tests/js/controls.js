// Controls as `Explorable.describe` writes them, for the tests.

/** What every control has. */
const PLAIN = { unit: "", low: null, high: null, whole: false, stepped: false, log: false };

export function slider(name, stops, more = {}) {
  const [low, high] = [stops[0], stops.at(-1)];
  const labels = stops.map(String);
  const own = { name, label: name, kind: "slider", stops, labels, start: 0, low, high };
  return { ...PLAIN, ...own, ...more };
}

export function choice(name, stops, kind = "choice") {
  const labels = stops.map((stop) => (stop === true ? "on" : stop === false ? "off" : `${stop}`));
  return { ...PLAIN, name, label: name, kind, stops, labels, start: 0 };
}

/** A kernel draws any value. */
export const KERNEL = { settle: (control, value) => value };
