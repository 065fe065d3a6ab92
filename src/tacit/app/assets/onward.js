// What is next depends on the status, and on the attacks: where one was not known yet it is laid out again when it is, by itself,
// so that nothing else moves; once for each of them and each state of the project.
let known = "";

const laid = async () => {
  const now = document.documentElement.dataset.version, waits = document.getElementById("onward")?.dataset.waits;
  if (!waits || known === `${now} ${waits}` || !document.querySelector(`[data-panel="${waits}"].ready`)) return;
  known = `${now} ${waits}`;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer?.ok || document.documentElement.dataset.version !== now) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("onward");
  if (fresh) document.getElementById("onward")?.replaceWith(fresh);
};

export const onward = () => { document.addEventListener("swapped", laid); laid(); };
