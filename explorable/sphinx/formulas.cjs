// A formula a line, as [LaTeX, whether it stands by itself]; its HTML a line, or what is wrong.
const katex = require(process.argv[2]);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [latex, displayMode] = JSON.parse(line);
  const options = { displayMode, throwOnError: true, strict: false };
  let told;
  try { told = { html: katex.renderToString(latex, options) }; }
  catch ({ message }) { told = { error: message }; }
  process.stdout.write(JSON.stringify(told) + "\n");
});
