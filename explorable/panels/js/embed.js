// A panel in another page: the lines that put it there, and its height, told to that page.
/** @import { Host } from "./types" */
import { addressOf } from "./address.js";
import { tool } from "./dom.js";
import { own } from "./plotly.js";

/**
 * The lines of HTML that show a panel, as it is now, in another page.
 * @param {Host} panel
 * @param {string} script the address of this script, beside which the book's panels lie
 * @param {number} height
 */
export function embedCode({ spec, values }, script, height) {
  const page = new URL(`../embed/${spec.id}.html`, script).href;
  const source = addressOf(spec, values, page).replaceAll("&", "&amp;");
  const title = spec.title.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const look = `width="100%" height="${height}" style="border: 0" loading="lazy"`;
  return `<iframe src="${source}" title="${title}" ${look}></iframe>
<script>
  addEventListener("message", ({ data, source }) => {
    for (const frame of document.querySelectorAll("iframe")) {
      if (data?.mipbook && frame.contentWindow === source) frame.height = data.height;
    }
  });
</script>
`;
}

/**
 * The button that copies them; none where the book is not, or the panel is already elsewhere.
 * @param {Host} panel
 * @param {HTMLElement} root
 */
export function embedButton(panel, root) {
  if (!own || panel.spec.face !== "static" || document.body.classList.contains("mb-embed")) {
    return null;
  }
  const button = tool("Embed", async () => {
    const code = embedCode(panel, own, root.offsetHeight);
    button.dataset.code = code;
    try {
      await navigator.clipboard.writeText(code);
      button.textContent = "Lines copied";
    } catch {
      prompt("These lines show the panel in another page:", code);
    }
    setTimeout(() => {
      button.textContent = "Embed";
    }, 2000);
  });
  button.title = "Copy the lines of HTML that show this panel in another page";
  return button;
}

/** Tell the page around how high this one is, now and whenever it changes. */
export function tellHeight() {
  if (!document.body.classList.contains("mb-embed") || parent === window) return;
  const tell = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    parent.postMessage({ mipbook: true, height }, "*");
  };
  new ResizeObserver(tell).observe(document.body);
}
