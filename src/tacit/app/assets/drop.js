// A file dropped on the page, or chosen, is copied into the project, of whatever size, with progress.
import { page } from "./swap.js";
import { chosen } from "./chosen.js";

const upload = file => {
  const bar = document.getElementById("upload"), zone = document.getElementById("drop");
  bar.hidden = false;
  zone.classList.add("busy");
  const request = new XMLHttpRequest();
  request.upload.onprogress = event => { if (event.lengthComputable) bar.value = event.loaded / event.total; };
  request.onloadend = () => { zone.classList.remove("busy"); bar.hidden = true; page(); };
  const keep = document.getElementById("keep")?.checked ? "?keep=on" : "";
  request.open("PUT", `/drop/${encodeURIComponent(file.name)}${keep}`);
  request.send(file);
};

export const drops = () => {
  const zone = event => event.target.closest?.("#drop");
  for (const kind of ["dragover", "dragenter"]) document.addEventListener(kind, event => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    zone(event)?.classList.add("over");
  });
  document.addEventListener("dragleave", event => zone(event)?.classList.remove("over"));
  document.addEventListener("drop", event => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    if (zone(event)) upload(event.dataTransfer.files[0]);
  });
  chosen("file", upload);
};
