// What a reader answered, kept in this browser and nowhere else.

const PREFIX = "mipbook:";

/**
 * A place for the answer to one question of this page; without storage it lasts as the page does.
 * @param {string} name
 */
export function kept(name) {
  const key = `${PREFIX}${location.pathname}:${name}`;
  /** @type {string | null} */
  let own = null;
  return {
    /** @returns {any} */
    load() {
      try {
        return JSON.parse(localStorage.getItem(key) ?? own ?? "null");
      } catch {
        return null;
      }
    },
    /** @param {unknown} value */
    save(value) {
      own = JSON.stringify(value);
      try {
        localStorage.setItem(key, own);
      } catch {
        // A browser that keeps nothing; the page does.
      }
    },
    clear() {
      own = null;
      try {
        localStorage.removeItem(key);
      } catch {
        // As above.
      }
    },
  };
}
