"use strict";
// Shows what the screen shows, row by row, and sends answers.
const find = id => document.getElementById(id);
const words = document.body.dataset;
const drawn = /[\s\u2500-\u25ff\u2800-\u28ff]+/g; // lines, bars and plots
let rows = [], changed = new Set(), rest, page, given = "", mine = "", stream;

function element(name, text, ...more) {
  const made = document.createElement(name);
  made.textContent = text;
  return Object.assign(made, ...more);
}

const said = row => [...row.querySelectorAll("text")]
  .map(text => text.textContent.replace(drawn, " ")).join(" ").trim();

// What a screen reader reads, once the picture is at rest; it says what has
// changed, or, in a lesson, the page.
function settle() {
  find("words").textContent = rows.map(said).filter(String).join("\n");
  if (!page)
    find("said").textContent =
      [...changed].map(y => said(rows[y])).filter(String).join("\n");
  changed.clear();
}

function show(e) {
  for (const line of e.data.split("\n")) {
    const at = line.indexOf(" "), y = Number(line.slice(0, at));
    rows[y].innerHTML = line.slice(at + 1);
    changed.add(y);
  }
  clearTimeout(rest);
  rest = setTimeout(settle, 800);
}

function state(text) {
  find("state").textContent = text || "";
}

async function send(answer, text) {
  const asked = page.question.id;
  const reply = await fetch("/vote?" + new URLSearchParams(
    {question: asked, answer}), {method: "POST"}).catch(() => null);
  if (!page || !page.question || page.question.id !== asked)
    return;
  if (reply && reply.ok) {
    const own = mine = text || await reply.text();
    for (const button of find("question").querySelectorAll("button[value]"))
      button.setAttribute("aria-pressed", button.value === answer);
    state(given = words.given.replace("%s", () => own));
  } else {
    state(reply && reply.status === 409 ? words.closed
          : reply && await reply.text() || words.lost);
  }
}

function choice(answer, text) {
  const button = element("button", text, {type: "button", value: answer});
  button.addEventListener("click", () => send(answer, text));
  return button;
}

// The form to answer with.
function ask(q) {
  const form = find("question");
  form.replaceChildren();
  if (!q)
    return;
  q.items.forEach((item, i) => form.append(choice(
    String(i + 1), `${String.fromCharCode(97 + i)})  ${item}`)));
  for (let r = 0; q.kind === "rank" && q.ranks <= 16 && r < q.ranks; r++)
    form.append(choice(String(r), words.gpu.replace("%d", r)));
  if (form.children.length)
    return;
  const hint = words[q.kind] || words.gpu.replace("%d", `0-${q.ranks - 1}`);
  const input = element("input", "", {placeholder: hint, maxLength: 150,
    autocomplete: "off", autocapitalize: "characters", spellcheck: false,
    inputMode: q.kind === "rank" ? "numeric" : "text"});
  input.setAttribute("aria-label", hint);
  form.append(input, element("button", words.answer));
}

// What came of a question: each answer with its votes, which is right, and
// which one of this browser is wrong.
function poll(all) {
  const list = element("ol", "", {className: "poll"});
  const judged = all.rows.some(row => row.right);
  all.rows.forEach(row => {
    const line = element("li", ""), bar = element("i", "");
    const wrong = judged && !row.right && row.text === mine;
    line.className = row.right ? "right" : wrong ? "wrong" : "";
    line.append(element("b", row.right ? "\u2713" : wrong ? "\u2717" : ""),
      element("span", row.text));
    if (all.voters) {
      bar.style.width = `${100 * row.votes / all.voters}%`;
      line.append(element("u", ""), element("b", String(row.votes)));
      line.querySelector("u").append(bar);
    }
    list.append(line);
  });
  return list;
}

function turn(e) {
  const before = page && page.question;
  page = JSON.parse(e.data);
  find("title").textContent = page ? page.title : "";
  find("text").textContent = page ? page.text : "";
  find("said").textContent = page ? page.text : "";
  const q = page && page.question;
  if (before && q && before.id === q.id)
    return; // the stream was interrupted
  if (page && page.poll)
    find("text").append(poll(page.poll));
  mine = q ? "" : mine;
  state(given = "");
  ask(document.body.className === "speaks" ? null : q);
}

function note(e) {
  const notes = JSON.parse(e.data) || {};
  const parts = {clock: "p", head: "h2", poll: "", notes: "p", next: "h2"};
  find("notes").replaceChildren(...Object.entries(parts)
    .filter(([name]) => notes[name])
    .map(([name, kind]) => kind ? element(kind, notes[name], {className: name})
                                : poll(notes[name])));
}

function follow() {
  stream = new EventSource(location.pathname.replace(/\/?$/, "/events"));
  stream.addEventListener("open", () => state(given));
  stream.addEventListener("picture", e => {
    find("figure").innerHTML = e.data;
    find("figure").firstChild.setAttribute("aria-describedby", "words");
    rows = [...find("figure").querySelectorAll("g")];
    changed.clear();
  });
  stream.addEventListener("rows", show);
  stream.addEventListener("page", turn);
  stream.addEventListener("notes", note);
  stream.addEventListener("error", () => {
    state(words.lost);
    if (stream.readyState === EventSource.CLOSED) // there is another code
      setTimeout(() => location.reload(), 3000);
  });
  find("question").addEventListener("submit", e => {
    e.preventDefault();
    send(e.target.querySelector("input").value);
  });
  find("figure").addEventListener("click",
    () => document.body.classList.toggle("large"));
}

if (find("join"))
  find("join").addEventListener("submit", async e => {
    e.preventDefault();
    const reply = await fetch("/join?" + new URLSearchParams(
      {code: find("code").value.trim()}), {method: "POST"}).catch(() => null);
    if (reply && reply.ok)
      location.reload();
    else
      state(reply ? await reply.text() : words.lost);
  });
else
  follow();
