// Examples to choose from and, where a kernel listens, a file of the reader's own.
/** @import { Columns, Control, Host, OwnFile, Row } from "./types" */
import { addressIsOurs } from "./address.js";
import { columnLists } from "./control-columns.js";
import { buttonsRow } from "./control-choice.js";
import { element, newId } from "./dom.js";
import { keptFile } from "./restart.js";

const LOCAL = ["localhost", "127.0.0.1", "[::1]", ""];
const NO_KERNEL = "Your own file: in the app or a notebook.";
const STAYS_HERE =
  "Your file is read by the program on this computer that serves this page; " +
  "it is sent to no other.";
const NEVER_LEAVES =
  "Your file never leaves this computer: Python, loaded into this page, reads it here.";

/**
 * Where a file goes, said before it is chosen.
 * @param {Host} panel
 */
function whereTo({ source, spec }) {
  if (source.here) return NEVER_LEAVES;
  if (LOCAL.includes(location.hostname)) return STAYS_HERE;
  const plainly = location.protocol === "https:" ? "" : ", unencrypted,";
  const until = addressIsOurs()
    ? "until you leave this page, or do nothing for 30 minutes"
    : "until its kernel is shut down";
  const server = `the server ${location.host}`;
  if (spec.face === "http") {
    const read = "read by a process that ends with its answer; it is not stored";
    return `Your file is sent${plainly} to ${server} with each move, and ${read}.`;
  }
  const kept = `kept in its memory ${until}; it is not stored`;
  return `Your file is sent${plainly} to ${server} and ${kept}.`;
}

/**
 * @param {File} file
 * @param {number} limit
 */
function tooLarge(file, limit) {
  const [size, most] = [file.size, limit].map((n) => n.toLocaleString("en"));
  const name = file.name.slice(0, 60);
  const words = `${name} has ${size} bytes, more than the ${most} that fit.`;
  return `${words} What is shown has not changed.`;
}

// How files begin that NumPy and Python's pickle wrote, and archives; as text they would be lost.
const BINARY = [[0x93, 0x4e, 0x55, 0x4d], [0x50, 0x4b], [0x80]];

/**
 * A file's content: text, or all of its bytes as a data URL.
 * @param {File} file
 * @returns {Promise<string>}
 */
async function contentOf(file) {
  const first = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (!BINARY.some((mark) => mark.every((byte, at) => first[at] === byte))) return file.text();
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    // Without a type of its own, so that its beginning is the same everywhere.
    reader.readAsDataURL(new Blob([file], { type: "application/octet-stream" }));
  });
}

/**
 * @param {Control} control
 * @param {Host} panel
 * @returns {Row}
 */
export function fileRow(control, panel) {
  // Also of many examples: a file of the reader's own is one more button.
  const examples = buttonsRow(control, panel);
  const { row, remark } = examples;
  const options = /** @type {HTMLElement} */ (row.querySelector(".mb-options"));
  const upload = panel.source.upload?.bind(panel.source);
  if (!upload) {
    options.append(element("span", { class: "mb-note" }, NO_KERNEL));
    return examples;
  }
  const id = newId();
  const accept = ".csv,.tsv,.txt,.json,.npz,.npy,text/csv,text/plain,application/json";
  const input = element("input", { type: "file", id, accept, class: "mb-file" });
  const note = element("span", { class: "mb-invalid", role: "alert", hidden: true });
  const state = element("span", { class: "mb-file-name", role: "status" });
  const lists = columnLists(control, panel);

  /** @param {string} message */
  function complain(message) {
    note.textContent = message;
    note.hidden = !message;
  }

  /** The reader's file, where it is what the panel shows. */
  function own() {
    const value = panel.values[control.name];
    return typeof value === "object" ? value : null;
  }

  /**
   * @param {string} name
   * @param {string} text
   * @param {Columns} [columns]
   */
  function send(name, text, columns) {
    complain("");
    const value = /** @type {OwnFile} */ (upload?.(name, text));
    panel.set(control.name, columns ? { ...value, columns } : value);
  }

  input.addEventListener("change", async () => {
    const file = input.files?.[0];
    if (!file) return;
    // The same file may be chosen again after it has been mended.
    input.value = "";
    if (control.limit !== null && file.size > control.limit) {
      complain(tooLarge(file, control.limit));
      return;
    }
    send(file.name, await contentOf(file));
  });

  // Columns copied from a spreadsheet, pasted where no text is written; the first panel takes them.
  document.addEventListener("paste", (event) => {
    // Nothing is loaded into a page because somebody pasted.
    if (panel.source.here?.on === false) return;
    const written = event.target instanceof Element && event.target.closest("input, textarea");
    if ((written && written !== input) || document.querySelector(".mb-file") !== input) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/\n./.test(text)) return;
    event.preventDefault();
    if (control.limit !== null && text.length > control.limit) {
      const most = control.limit.toLocaleString("en");
      complain(`What was pasted has more than the ${most} bytes that fit.`);
    } else send("pasted.csv", text);
  });

  const words = panel.source.here ? "Open a file here" : "or a file of your own";
  const label = element("label", { for: id }, words);
  options.append(element("span", { class: "mb-option mb-own" }, label, input), state);
  row.append(element("span", { class: "mb-note mb-where" }, whereTo(panel)), lists.node, note);
  const kept = keptFile(panel, control);
  if (kept) panel.afterStart = () => send(kept.name, kept.text, kept.columns);

  return {
    row,
    remark,
    show(value) {
      const file = own();
      if (file) {
        row.querySelectorAll("input").forEach((box) => {
          if (box.type === "radio") box.checked = false;
        });
      } else {
        examples.show(value);
        complain("");
        lists.offer(null);
      }
      state.textContent = file ? `reading ${file.name} …` : "";
    },
    // Also after a failure: what was read helps to mend it.
    drawn(figure, found) {
      const file = own();
      if (!file) return;
      const read = figure?.layout?.meta?.read ?? found?.read ?? "";
      state.textContent = figure
        ? `${file.name}. ${read}`
        : `${file.name} could not be used. ${read}`;
      lists.offer(found);
    },
    reset: () => complain(""),
  };
}
