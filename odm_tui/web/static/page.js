"use strict";
// Runs before the terminal of textual-serve: gives it a connection that survives short network losses, keeps the
// keyboard's focus on it, and shows what the screen tells the page: its title and its keys.
(() => {
  const MINIMUM_COLUMNS = 60, LARGEST_FONT = 16, SMALLEST_FONT = 8, CELL_WIDTH = 0.6;
  const RETRY_FIRST = 250, RETRY_LAST = 3000, FOCUSING_CLICK = 150;
  const ASK_EVERY = 4000, SILENCE_LONGEST = 12000; // a network may vanish without closing the connection
  const SHOWN_COMMANDS = 3;
  const TOUCH = matchMedia("(pointer: coarse)").matches;
  const SENTENCES = {
    4000: ["You have left odm-tui. Everything is saved.", "Start again"],
    4001: ["This interview goes on in another tab.", "Continue here"],
    4002: ["Closed, because nothing was typed for a long time. Everything is saved.", "Continue"],
    4003: ["All places on this server are taken. Try again when somebody has finished.", "Try again"],
    4004: ["The connection was away for too long. Everything is saved: the interview is among the unfinished ones.", "Continue"],
    4005: ["The server was stopped. Everything is saved.", "Try again"],
  };
  const terminal = document.getElementById("terminal");
  const bar = document.getElementById("keys");
  const notice = document.getElementById("notice");
  let connection = null;
  let lastWords = "";
  let shownKeys = [];

  function show(text, action, run) {
    notice.querySelector("p").textContent = text;
    const button = notice.querySelector("button");
    button.hidden = !action;
    button.textContent = action || "";
    button.onclick = run;
    notice.hidden = false;
    if (action) button.focus();
  }

  function tabName() {
    let name = sessionStorage.getItem("odm-tui-tab");
    // A link to another bank or case opens a screen of its own; a reload of the same one finds its screen again.
    if (!name || sessionStorage.getItem("odm-tui-link") !== document.body.dataset.query) {
      name = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
      sessionStorage.setItem("odm-tui-tab", name);
      sessionStorage.setItem("odm-tui-link", document.body.dataset.query);
    }
    return name;
  }

  function restart() {
    sessionStorage.removeItem("odm-tui-tab");
    location.replace("/?inbox=1");
  }

  // What the terminal of textual-serve takes for its WebSocket.
  class Connection extends EventTarget {
    constructor(url) {
      super();
      connection = this;
      this.url = new URL(url, location.href);
      this.binaryType = "arraybuffer";
      this.queue = [];
      this.wait = RETRY_FIRST;
      this.opened = false;
      this.connect();
      setInterval(() => this.listen(), ASK_EVERY);
    }

    connect() {
      const url = new URL("/ws", location.href);
      url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
      url.search = this.url.search;
      url.searchParams.set("tab", tabName());
      if (this.opened) url.searchParams.set("again", "1");
      if (this.size) {
        url.searchParams.set("width", this.size.width);
        url.searchParams.set("height", this.size.height);
      }
      for (const [key, value] of new URLSearchParams(document.body.dataset.query)) url.searchParams.set(key, value);
      const socket = (this.socket = new RealWebSocket(url));
      socket.binaryType = "arraybuffer";
      this.heard = performance.now();
      socket.onopen = () => this.onOpen();
      socket.onmessage = (event) => this.onMessage(event);
      socket.onclose = (event) => this.onClose(event);
    }

    // Ask the server for a sign of life; give up a connection that has brought none for too long.
    listen() {
      const { socket } = this;
      if (!socket || socket.readyState > RealWebSocket.OPEN) return;
      if (performance.now() - this.heard > SILENCE_LONGEST) {
        socket.onopen = socket.onmessage = socket.onclose = null;
        socket.close();
        this.onClose({ code: 1006 });
      } else if (socket.readyState === RealWebSocket.OPEN) {
        socket.send(JSON.stringify(["ping", ""]));
      }
    }

    onOpen() {
      this.heard = performance.now();
      notice.hidden = true;
      this.wait = RETRY_FIRST;
      const first = !this.opened;
      this.opened = true;
      if (first) this.dispatchEvent(new Event("open"));
      for (const message of this.queue.splice(0)) this.socket.send(message);
      takeFocus();
    }

    onMessage(event) {
      this.heard = performance.now();
      if (typeof event.data === "string") {
        const [kind, value] = JSON.parse(event.data);
        if (kind === "title") document.title = value;
        else if (kind === "keys") showKeys(value);
        else if (kind === "last-words") lastWords = value;
        return;
      }
      this.dispatchEvent(new MessageEvent("message", { data: event.data }));
    }

    async onClose(event) {
      if (event.code in SENTENCES) {
        const [text, action] = SENTENCES[event.code];
        bar.hidden = true;
        if (event.code === 4001 || event.code === 4003) show(text, action, () => location.reload());
        else show(lastWords || text, action, () => restart());
        return;
      }
      if (await isSignedOut()) {
        show("This page is signed out. Open the address that odm-tui serve printed.", "", null);
        return;
      }
      show("The connection is lost. Trying again… All answers are saved.", "", null);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, RETRY_LAST);
    }

    send(message) {
      const [kind, value] = JSON.parse(message);
      if (kind === "resize") this.size = value;
      if (kind === "ping") return;
      if (this.socket.readyState === RealWebSocket.OPEN) this.socket.send(message);
      // Keys before the first screen are kept. Later ones were typed without seeing what they answer.
      else if (kind === "stdin" && !this.opened && this.queue.length < 50) this.queue.push(message);
    }
  }

  async function isSignedOut() {
    try {
      const signal = AbortSignal.timeout(RETRY_LAST);
      return (await fetch("/alive", { cache: "no-store", signal })).status === 403;
    } catch {
      return false;
    }
  }

  function type(text) {
    if (connection) connection.send(JSON.stringify(["stdin", text]));
  }

  function area() {
    return terminal.querySelector(".xterm-helper-textarea");
  }

  function takeFocus() {
    const target = area();
    if (!target || !notice.hidden) return;
    if (TOUCH && !bar.dataset.keyboard) target.inputMode = "none";
    target.focus({ preventScroll: true });
  }

  function makeButton(label, kind, run) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.className = kind;
    button.onclick = run;
    return button;
  }

  // Large buttons below the terminal: the answers, and one row with the commands that are used most. "More" shows all
  // commands in place of the answers, so that nothing needs scrolling.
  function showKeys(keys) {
    if (!TOUCH || !Array.isArray(keys)) return;
    shownKeys = keys;
    const commands = keys.filter((key) => key.kind === "command");
    const others = keys.filter((key) => key.kind !== "command");
    const isLong = commands.length > SHOWN_COMMANDS + 1;
    const showsAll = bar.dataset.all === "yes" && isLong;
    const makeKey = ({ label, sends, kind }) => makeButton(label, kind, () => { showAllCommands(false); type(sends); });
    const keyboard = makeButton("⌨", "command", () => {
      bar.dataset.keyboard = "yes";
      area().inputMode = "text";
      area().blur();
      area().focus();
    });
    keyboard.setAttribute("aria-label", "Keyboard");
    const rows = [document.createElement("div"), document.createElement("div")];
    rows[0].className = "answers";
    rows[0].append(...(showsAll ? commands : others).map(makeKey));
    rows[1].className = "commands";
    if (!showsAll) rows[1].append(...(isLong ? commands.slice(0, SHOWN_COMMANDS) : commands).map(makeKey));
    rows[1].append(keyboard);
    if (isLong) {
      const more = makeButton(showsAll ? "Less" : "More", "command", () => showAllCommands(!showsAll));
      more.setAttribute("aria-expanded", String(showsAll));
      rows[1].append(more);
    }
    bar.replaceChildren(...rows);
    bar.hidden = false;
    window.dispatchEvent(new Event("resize"));
  }

  function showAllCommands(all) {
    if ((bar.dataset.all === "yes") === all) return;
    bar.dataset.all = all ? "yes" : "";
    showKeys(shownKeys);
  }

  const RealWebSocket = window.WebSocket;
  window.WebSocket = Connection;
  window.open = () => null; // text on the screen never opens a page

  let focused = 0;
  window.addEventListener("focus", () => { focused = performance.now(); takeFocus(); });
  for (const kind of ["pointerdown", "mousedown", "mouseup", "click"]) {
    // The click that brings the window to the front is not meant for the screen.
    window.addEventListener(kind, (event) => {
      if (performance.now() - focused < FOCUSING_CLICK && terminal.contains(event.target) && !TOUCH) {
        event.stopImmediatePropagation();
        event.preventDefault();
      }
    }, true);
  }
  window.addEventListener("keydown", (event) => {
    if (notice.hidden && event.target !== area()) takeFocus();
  }, true);
  // A page from the browser's memory has lost its connection.
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  window.addEventListener("orientationchange", () => location.reload());

  async function start() {
    const columns = Math.floor(innerWidth / MINIMUM_COLUMNS / CELL_WIDTH);
    terminal.dataset.fontSize = String(Math.max(SMALLEST_FONT, Math.min(LARGEST_FONT, columns)));
    terminal.dataset.sessionWebsocketUrl = "/ws";
    try {
      await document.fonts.load(`${terminal.dataset.fontSize}px "Roboto Mono"`);
    } catch {
      // another monospaced font does as well
    }
    const script = document.createElement("script");
    script.src = "/static/textual.js";
    script.onload = () => {
      const open = window.onload;
      window.onload = null; // a page from the cache may not be loaded yet, and would open a second terminal
      open(new Event("load"));
      takeFocus();
    };
    document.head.append(script);
  }
  start();
})();
