// The page: forms become changes, events become fresh parts of the page. All words and numbers come from the server.
import { forms } from "./forms.js";
import { listen } from "./events.js";
import { drops } from "./drop.js";
import { themes } from "./theme.js";
import { keys } from "./keys.js";
import { listKeys } from "./keyed.js";
import { hierarchies } from "./hierarchies.js";
import { mistakes } from "./mistakes.js";
import { looks } from "./look.js";
import { steps } from "./protect.js";
import { pictures } from "./map.js";
import { onward } from "./onward.js";
import { history } from "./history.js";
import { filters } from "./filter.js";

listKeys();
forms();
listen();
drops();
themes();
keys();
hierarchies();
mistakes();
looks();
steps();
pictures();
onward();
history();
filters();

const early = window.early;
window.early = null;
for (const { type, target, submitter } of early) if (target.isConnected)
  type === "submit" ? target.requestSubmit(submitter) : target.dispatchEvent(new Event("change", { bubbles: true }));
