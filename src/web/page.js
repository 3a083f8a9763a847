"use strict";
// Shows one section of the page at a time, and moves what is in flight.
const find = id => document.getElementById(id);
const sections = [...document.querySelectorAll("section")];
const rows = [...document.querySelectorAll("#rows g")];
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let here = 0, timer, playing = false;

for (const s of sections) {
  s.rows = [...s.querySelectorAll("figure g")];
  s.rest = s.rows.map(row => [...row.childNodes]);
  s.frames = (s.dataset.frames || "").split(";").filter(String)
    .map(frame => frame.split(" ").map(Number));
}

// Draws a frame: [ms, row, its number in #rows, row, number, ...].
function draw(section, frame) {
  const shown = section.rest.slice();
  for (let i = 1; i < frame.length; i += 2)
    shown[frame[i]] = rows[frame[i + 1]].cloneNode(true).childNodes;
  section.rows.forEach((row, y) => row.replaceChildren(...shown[y]));
}

function fly(k) {
  const s = sections[here], frame = s.frames[k];
  draw(s, frame || []);
  if (frame)
    timer = setTimeout(fly, frame[0], k + 1);
  else if (playing && here + 1 < sections.length)
    timer = setTimeout(show, s.dataset.ms, here + 1, true);
  else
    play(false);
}

function show(to, moves) {
  clearTimeout(timer);
  here = Math.max(0, Math.min(to, sections.length - 1));
  sections.forEach((s, i) => { s.hidden = i !== here; });
  const s = sections[here], head = s.querySelector("h2").textContent;
  find("slider").value = here;
  find("slider").setAttribute("aria-valuetext", `${here}: ${head}`);
  find("said").textContent = [head, ...[...s.querySelectorAll("p")]
    .filter(p => !p.closest("details")).map(p => p.textContent)].join(". ");
  history.replaceState(null, "", "#" + s.id);
  fly(moves && !calm.matches ? 0 : s.frames.length);
}

function play(on) {
  const button = find("play");
  playing = on;
  if (button)
    button.setAttribute("aria-pressed", on);
  if (on)
    show(here + 1 < sections.length ? here + 1 : 0, true);
}

const acts = {
  first: () => show(0),
  back: () => show(here - 1),
  next: () => show(here + 1, here + 1 < sections.length),
  last: () => show(sections.length - 1),
  play() {
    if (playing || !find("play"))
      clearTimeout(timer);
    find("play") ? play(!playing) : acts.next();
  },
  answer() {
    const closed = sections[here].querySelector("details:not([open])");
    if (closed)
      closed.open = true;
  },
};
const keys = {Home: "first", ArrowLeft: "back", PageUp: "back",
  ArrowRight: "next", PageDown: "next", End: "last", " ": "play",
  a: "answer"};

addEventListener("keydown", e => {
  const presses = e.target.closest && e.target.closest("button, summary");
  if (e.ctrlKey || e.altKey || e.metaKey || !keys[e.key] ||
      (presses && e.key === " "))
    return;
  e.preventDefault();
  if (playing && e.key !== " ")
    play(false);
  acts[keys[e.key]]();
});
document.querySelector("nav").addEventListener("click", e => {
  if (playing && e.target.id !== "play")
    play(false);
  if (acts[e.target.id])
    acts[e.target.id]();
});
find("slider").addEventListener("input", e => show(Number(e.target.value)));
addEventListener("hashchange", () => show(asked()));

function asked() {
  return sections.findIndex(s => "#" + s.id === location.hash);
}

document.body.classList.add("steps");
document.querySelector("nav").hidden = false;
show(asked());
