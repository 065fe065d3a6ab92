// What is next depends on the status: where it was not known yet it is laid out again when it is, by itself, so that nothing
// else moves; once for each state of the project.
let version = "";

const laid = async () => {
  const now = document.documentElement.dataset.version;
  const ready = document.querySelector('[data-panel="status"].ready');
  if (version === now || !ready || !document.querySelector("#onward[data-waits]")) return;
  version = now;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer?.ok || document.documentElement.dataset.version !== now) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("onward");
  if (fresh) document.getElementById("onward")?.replaceWith(fresh);
};

export const onward = () => { document.addEventListener("swapped", laid); laid(); };
