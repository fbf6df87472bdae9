// Run Python from standard input in the browser's Python: `node pyodide.js FOLDER ROOT PACKAGE...`.
// The folder is the one that a site serves; the root is seen as /repo. It exits with `code`.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, root, ...packages] = process.argv.slice(2);
const engine = resolve(folder);
const { loadPyodide } = await import(pathToFileURL(join(engine, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${engine}/` });
await python.loadPackage(packages, { messageCallback: () => undefined });
python.mountNodeFS("/repo", resolve(root));
await python.runPythonAsync(readFileSync(0, "utf-8"));
process.exit(python.globals.get("code"));
