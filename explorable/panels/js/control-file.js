// Examples to choose from and, where a kernel listens, a file of the reader's own.
/** @import { Columns, Control, Found, Host, OwnFile, Role, Row } from "./types" */
import { addressIsOurs, keptFile } from "./address.js";
import { buttonsRow } from "./control-choice.js";
import { element, newId } from "./dom.js";

const LOCAL = ["localhost", "127.0.0.1", "[::1]", ""];
const NO_KERNEL = "Your own file: in a notebook";
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
    const where = `${NO_KERNEL}${control.elsewhere ? ", or by the line below" : ""}.`;
    options.append(element("span", { class: "mb-note" }, where));
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

// Which columns of the reader's file play which role.

/**
 * One list a role. What the reader chose travels with the file's number; what he left alone stays
 * the kernel's to decide.
 * @param {Control} control
 * @param {Host} panel
 */
function columnLists(control, panel) {
  const node = element("div", {
    class: "mb-columns",
    role: "group",
    "aria-label": "Columns of your file",
    hidden: true,
  });
  const roles = control.roles ?? [];
  /** @type {Set<string>} the roles whose lists are open */
  const opened = new Set();

  /**
   * @param {Role} role
   * @param {string[]} names
   */
  function choose(role, names) {
    const value = /** @type {OwnFile} */ (panel.values[control.name]);
    /** @type {Columns} */
    const columns = {};
    for (const [key, list] of Object.entries(value.columns ?? {})) {
      if (key !== role.name) columns[key] = list.filter((name) => !names.includes(name));
    }
    panel.set(control.name, { ...value, columns: { ...columns, [role.name]: names } });
  }

  /**
   * @param {Role} role
   * @param {string[]} names
   * @param {string[]} chosen
   */
  function oneColumn(role, names, chosen) {
    const id = newId();
    const onchange = () => choose(role, select.value ? [select.value] : []);
    const none = element("option", { value: "" }, role.optional ? "none" : "choose");
    const select = element(
      "select",
      { id, "data-place": role.name, onchange },
      ...(role.optional || !chosen.length ? [none] : []),
      ...names.map((name) => element("option", { value: name }, name)),
    );
    select.value = chosen[0] ?? "";
    const label = element("label", { for: id }, role.label);
    return element("span", { class: "mb-option", "data-role": role.name }, label, select);
  }

  /**
   * @param {Role} role
   * @param {string[]} names
   * @param {string[]} chosen
   */
  function manyColumns(role, names, chosen) {
    const id = newId();
    const chosenNow = () => boxes.filter((box) => box.checked).map((box) => box.value);
    const boxes = names.map((value, i) => {
      const box = element("input", {
        type: "checkbox",
        id: `${id}-${i}`,
        value,
        "data-place": `${role.name} ${value}`,
        onchange: () => choose(role, chosenNow()),
      });
      box.checked = chosen.includes(value);
      return box;
    });
    const count = `${role.label}: ${chosen.length} of ${names.length} columns`;
    const details = element(
      "details",
      {
        "data-role": role.name,
        open: opened.has(role.name),
        ontoggle: () => opened[details.open ? "add" : "delete"](role.name),
      },
      element("summary", { "data-place": `${role.name} summary` }, count),
      ...boxes.map((box) => {
        const label = element("label", { for: box.id }, box.value);
        return element("span", { class: "mb-option" }, box, label);
      }),
    );
    return details;
  }

  /** @param {Found | null} found */
  function offer(found) {
    const names = found?.columns ?? [];
    node.hidden = !names.length || !roles.length;
    if (!found || node.hidden) {
      node.replaceChildren();
      return;
    }
    // Made anew at every answer, the lists must not lose the keyboard's place.
    const active = document.activeElement;
    const within = active instanceof HTMLElement && node.contains(active);
    const place = within ? active.dataset.place : null;
    node.replaceChildren(
      ...roles.map((role) => {
        const chosen = found.roles[role.name] ?? [];
        return (role.many ? manyColumns : oneColumn)(role, names, chosen);
      }),
    );
    if (!place) return;
    /** @type {NodeListOf<HTMLElement>} */
    const places = node.querySelectorAll("[data-place]");
    [...places].find((at) => at.dataset.place === place)?.focus({ preventScroll: true });
  }

  return { node, offer };
}
