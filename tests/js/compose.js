// Lays the layers on the standard input over each other, as the page does.
import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";

import { composed } from "../../explorable/panels/js/pack.js";

stdout.write(JSON.stringify(JSON.parse(await text(stdin)).map(composed)));
