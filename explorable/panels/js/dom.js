// Making elements, and giving the reader a file.

/**
 * An element with its attributes, listeners and children.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} attributes
 *   `onclick` and the like are listeners; false, null and undefined leave an attribute out
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  // JupyterLab would take the arrow keys for its own shortcuts.
  const takesKeys = ["input", "button", "select"].includes(tag);
  if (takesKeys) node.setAttribute("data-lm-suppress-shortcuts", "true");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

/**
 * A button of the panel's own kind.
 * @param {string} text
 * @param {(event: Event) => void} action
 */
export function tool(text, action) {
  const attributes = { type: "button", class: "mb-tool", "data-tool": text, onclick: action };
  return element("button", attributes, text);
}

/**
 * What an address says, without its %; what nobody can read, as it stands.
 * @param {string} text
 */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let serial = 0;

/** An id that no other element has. */
export function newId() {
  serial += 1;
  return `mb-${serial}`;
}

/**
 * @param {string} name
 * @param {Blob} blob
 */
export function download(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Whether a text could be copied: a browser may let no page. @param {string} text */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/**
 * What a caught problem says; only errors are thrown here.
 * @param {unknown} problem
 */
export function messageOf(problem) {
  return problem instanceof Error ? problem.message : String(problem);
}
