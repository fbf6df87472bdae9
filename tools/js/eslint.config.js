import js from "@eslint/js";
import globals from "globals";

const rules = {
  ...js.configs.recommended.rules,
  curly: ["error", "multi-line"],
  eqeqeq: "error",
  "max-len": ["error", 100],
  "max-lines": ["error", 300],
  "no-implicit-globals": "error",
  "no-shadow": "error",
  "no-use-before-define": ["error", { functions: false, variables: false }],
  "no-var": "error",
  "prefer-const": ["error", { destructuring: "all" }],
};

export default [
  {
    files: ["explorable/panels/js/**/*.js"],
    languageOptions: { globals: { ...globals.browser, SANS: "readonly", TONES: "readonly" } },
    rules,
  },
  { ignores: ["explorable/panels/first/linkedom.mjs"] },
  {
    files: ["explorable/panels/first/*.mjs"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
    rules,
  },
  { files: ["tests/js/*.js", "tools/js/*.js"], languageOptions: { globals: globals.node }, rules },
];
