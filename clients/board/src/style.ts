/** The looks. Every colour is a variable, so that a page can have its own; themes only set variables. */

const LIGHT = `
  --kifud-wood-light: #efcb88; --kifud-wood-body: #e3b56b; --kifud-wood-edge: #d6a356;
  --kifud-wood: #e3b66e; --kifud-grain: rgb(140 84 28 / 0.13); --kifud-rim: rgb(92 54 14 / 0.45);
  --kifud-line: #3d2812; --kifud-outer: 1.6px; --kifud-coordinate: #5c3a10; --kifud-veil: rgb(240 222 184 / 0.55);
  --kifud-black-light: #77787e; --kifud-black-body: #2a2b2f; --kifud-black-edge: #08080a; --kifud-black-rim: #000;
  --kifud-white-light: #ffffff; --kifud-white-body: #f4f2ec; --kifud-white-edge: #c4bfb3; --kifud-white-rim: rgb(60 50 35 / 0.5);
  --kifud-shadow: rgb(40 20 0 / 0.3);
  --kifud-on-black: #ffffff; --kifud-on-white: #16130f; --kifud-on-board: #2b1708;
  --kifud-accent: #d3382c; --kifud-accent-on-black: #ff8d7d; --kifud-mark: #1457a8; --kifud-arrow: #1f5fae;
  --kifud-best: #ffffff;
  --kifud-heat-1: #5a4a80; --kifud-heat-2: #4f4f92; --kifud-heat-3: #415ca2; --kifud-heat-4: #356cab; --kifud-heat-5: #3690b8;
  --kifud-heat-6: #2d9dae; --kifud-heat-7: #2aa796; --kifud-heat-8: #2bac78; --kifud-heat-9: #35b356;
  --kifud-heat-faint: #fff; --kifud-heat-text: #04120c;
  --kifud-heat-opacity-1: 0.72; --kifud-heat-opacity-2: 0.8; --kifud-heat-opacity-3: 0.86; --kifud-heat-opacity-4: 0.92; --kifud-heat-opacity: 0.92;
  --kifud-good: #1d9a53; --kifud-interesting: #2f74d0; --kifud-doubtful: #b96bd6; --kifud-bad: #d3382c;
  --kifud-piece-light: #fff6df; --kifud-piece-body: #f5e2b5; --kifud-piece-edge: #d4b377; --kifud-piece-rim: #7c5420;
  --kifud-red: #b3130c; --kifud-dark: #14110d;
  --kifud-focus-outer: #ffffff; --kifud-focus-inner: #0a54c4; --kifud-last: #0a54c4; --kifud-ko: #c22a1f;
  --kifud-page: #ffffff; --kifud-text: #24201a; --kifud-faint: #6c6459; --kifud-border: #d9d2c5; --kifud-panel: #faf7f1;
  --kifud-graph-black: #3f4248; --kifud-graph-white: #f0ece3; --kifud-graph-score: #1d6fd1; --kifud-graph-middle: #a89f90;`;

const DARK = `
  --kifud-wood-light: #94693c; --kifud-wood-body: #7f562e; --kifud-wood-edge: #6b4725;
  --kifud-wood: #80572f; --kifud-grain: rgb(40 20 4 / 0.2); --kifud-rim: rgb(0 0 0 / 0.6);
  --kifud-line: #25160a; --kifud-coordinate: #f4dfbd; --kifud-veil: rgb(40 26 12 / 0.55);
  --kifud-black-light: #5d5e64; --kifud-black-body: #1b1c1f; --kifud-black-edge: #020203;
  --kifud-white-light: #f7f5f0; --kifud-white-body: #e2ded5; --kifud-white-edge: #a9a397;
  --kifud-shadow: rgb(0 0 0 / 0.45); --kifud-on-board: #fff3dd; --kifud-last: #a9d8ff; --kifud-ko: #ffb3a6; --kifud-mark: #a9d1ff; --kifud-arrow: #8fc3ff;
  --kifud-piece-light: #f3e3c0; --kifud-piece-body: #e0c690; --kifud-piece-edge: #b08d54; --kifud-piece-rim: #3a240b; --kifud-red: #9c0d07;
  --kifud-page: #1b1a18; --kifud-text: #ece7de; --kifud-faint: #a59d90; --kifud-border: #3c3832; --kifud-panel: #25231f;
  --kifud-graph-black: #101113; --kifud-graph-white: #8c8880; --kifud-graph-score: #6fb1ff; --kifud-graph-middle: #6a655c;`;

const CONTRAST = `
  --kifud-wood-light: #ffffff; --kifud-wood-body: #ffffff; --kifud-wood-edge: #ffffff; --kifud-wood: #ffffff;
  --kifud-grain: transparent; --kifud-rim: #000000; --kifud-line: #000000; --kifud-outer: 2.5px; --kifud-coordinate: #000000;
  --kifud-veil: rgb(255 255 255 / 0.7);
  --kifud-black-light: #000000; --kifud-black-body: #000000; --kifud-black-edge: #000000; --kifud-black-rim: #000000;
  --kifud-white-light: #ffffff; --kifud-white-body: #ffffff; --kifud-white-edge: #ffffff; --kifud-white-rim: #000000;
  --kifud-shadow: transparent; --kifud-on-board: #000000; --kifud-accent: #d00000; --kifud-accent-on-black: #ffdd00;
  --kifud-mark: #0000c8; --kifud-arrow: #0000c8; --kifud-best: #000000;
  --kifud-heat-1: #ffffff; --kifud-heat-2: #ffffff; --kifud-heat-3: #e6f2ff; --kifud-heat-4: #cfe6ff; --kifud-heat-5: #b5daff;
  --kifud-heat-6: #9fe8e8; --kifud-heat-7: #93f0c8; --kifud-heat-8: #8df59f; --kifud-heat-9: #7dff6b;
  --kifud-heat-faint: #000; --kifud-heat-text: #000000; --kifud-heat-rim: #000000;
  --kifud-heat-opacity-1: 1; --kifud-heat-opacity-2: 1; --kifud-heat-opacity-3: 1; --kifud-heat-opacity-4: 1; --kifud-heat-opacity: 1;
  --kifud-piece-light: #ffffff; --kifud-piece-body: #ffffff; --kifud-piece-edge: #ffffff; --kifud-piece-rim: #000000;
  --kifud-red: #c00000; --kifud-dark: #000000; --kifud-focus-outer: #ffff00; --kifud-focus-inner: #000000; --kifud-last: #0000c8; --kifud-ko: #c00000;
  --kifud-page: #000000; --kifud-text: #ffffff; --kifud-faint: #ffffff; --kifud-border: #ffffff; --kifud-panel: #000000;
  --kifud-graph-black: #000000; --kifud-graph-white: #ffffff; --kifud-graph-score: #00c8ff; --kifud-graph-middle: #ff9d00;`;

export const THEMES = { light: LIGHT, dark: LIGHT + DARK, contrast: LIGHT + CONTRAST };

/** Rules of the drawings; files that are exported carry them too. */
export const BOARD_STYLE = `
.kb-stop-wood-light { stop-color: var(--kifud-wood-light) } .kb-stop-wood-body { stop-color: var(--kifud-wood-body) } .kb-stop-wood-edge { stop-color: var(--kifud-wood-edge) }
.kb-stop-black-light { stop-color: var(--kifud-black-light) } .kb-stop-black-body { stop-color: var(--kifud-black-body) } .kb-stop-black-edge { stop-color: var(--kifud-black-edge) }
.kb-stop-white-light { stop-color: var(--kifud-white-light) } .kb-stop-white-body { stop-color: var(--kifud-white-body) } .kb-stop-white-edge { stop-color: var(--kifud-white-edge) }
.kb-stop-piece-light { stop-color: var(--kifud-piece-light) } .kb-stop-piece-body { stop-color: var(--kifud-piece-body) } .kb-stop-piece-edge { stop-color: var(--kifud-piece-edge) }
.kb-grain { fill: none; stroke: var(--kifud-grain); stroke-width: 1.5 }
.kb-rim { fill: none; stroke: var(--kifud-rim) }
.kb-lines { fill: none; stroke: var(--kifud-line); stroke-width: 1; shape-rendering: crispEdges }
.kb-lines-outer { stroke-width: var(--kifud-outer); shape-rendering: auto; stroke-linejoin: miter }
.kb-slanted { shape-rendering: auto }
.kb-stations { shape-rendering: crispEdges }
.kb-frame { fill: none; stroke: var(--kifud-line); stroke-width: 2; shape-rendering: crispEdges }
.kb-star { fill: var(--kifud-line) }
text { text-anchor: middle; font-family: system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif }
.kb-coordinate { fill: var(--kifud-coordinate); font-weight: 500 }
.kb-shadow { fill: var(--kifud-shadow) }
.kb-stone { stroke-width: 0.8 }
.kb-black { stroke: var(--kifud-black-rim) } .kb-white { stroke: var(--kifud-white-rim) }
.kb-dim { opacity: 0.35 }
.kb-veil { fill: var(--kifud-veil) }
.kb-ghost { opacity: 0.55 }
.kb-ghost-good, .kb-ghost-interesting, .kb-ghost-doubtful, .kb-ghost-bad { opacity: 0.75; stroke-width: 3 }
.kb-ghost-good { stroke: var(--kifud-good) } .kb-ghost-interesting { stroke: var(--kifud-interesting) }
.kb-ghost-doubtful { stroke: var(--kifud-doubtful) } .kb-ghost-bad { stroke: var(--kifud-bad) }
.kb-hover { opacity: 0.45 }
.kb-line-stone { opacity: 0.88 }
.kb-mark { fill: none; stroke-linejoin: round; stroke-linecap: round }
.kb-mark.kb-on-black { stroke: var(--kifud-on-black) } .kb-mark.kb-on-white { stroke: var(--kifud-on-white) } .kb-mark.kb-on-board { stroke: var(--kifud-mark) }
.kb-mark.kb-selected { fill: var(--kifud-mark); fill-opacity: 0.35; stroke: none }
.kb-label { font-weight: 600 }
.kb-label.kb-on-black { fill: var(--kifud-on-black) } .kb-label.kb-on-white { fill: var(--kifud-on-white) } .kb-label.kb-on-board { fill: var(--kifud-on-board) }
.kb-number-last.kb-on-black, .kb-line-first.kb-on-black { fill: var(--kifud-accent-on-black) }
.kb-number-last.kb-on-white, .kb-line-first.kb-on-white { fill: var(--kifud-accent) }
.kb-patch { fill: var(--kifud-wood) }
.kb-last { fill: none } .kb-last.kb-on-black { stroke: var(--kifud-accent-on-black) } .kb-last.kb-on-white { stroke: var(--kifud-accent) } 
.kb-ko { fill: none; stroke: var(--kifud-ko) }
.kb-territory-black, .kb-ownership-black { fill: var(--kifud-black-body) } .kb-territory-white, .kb-ownership-white { fill: var(--kifud-white-body) }
.kb-territory, .kb-ownership { stroke: var(--kifud-shadow); stroke-width: 0.5 }
.kb-ownership-black { stroke: var(--kifud-white-rim) } .kb-ownership-white { stroke: var(--kifud-black-rim) }
.kb-line { stroke: var(--kifud-arrow); stroke-linecap: round }
.kb-arrow { fill: var(--kifud-arrow); stroke: var(--kifud-wood); stroke-width: 1; stroke-linejoin: round }
.kb-arrow-best { fill: var(--kifud-good); fill-opacity: 0.9 } .kb-arrow-good { fill: var(--kifud-interesting) } .kb-arrow-bad { fill: var(--kifud-bad) }
.kb-badge { fill: var(--kifud-arrow); stroke: #fff; stroke-width: 1 } .kb-badge-best { fill: var(--kifud-good) } .kb-badge-good { fill: var(--kifud-interesting) } .kb-badge-bad { fill: var(--kifud-bad) }
.kb-badge-text { fill: #fff; font-weight: 700 }
.kb-variation { fill: none; stroke: var(--kifud-mark); stroke-dasharray: 3 2.2 } .kb-variation-sibling { stroke-opacity: 0.55; stroke-dasharray: 1.2 2.4; stroke-linecap: round }
.kb-variation-black { stroke: var(--kifud-black-body) } .kb-variation-white { stroke: var(--kifud-white-light) }
.kb-heat { stroke: var(--kifud-heat-rim, none); fill-opacity: var(--kifud-heat-opacity) }
.kb-heat-1 { fill: var(--kifud-heat-1); fill-opacity: var(--kifud-heat-opacity-1) } .kb-heat-2 { fill: var(--kifud-heat-2); fill-opacity: var(--kifud-heat-opacity-2) } .kb-heat-3 { fill: var(--kifud-heat-3); fill-opacity: var(--kifud-heat-opacity-3) }
.kb-heat-4 { fill: var(--kifud-heat-4); fill-opacity: var(--kifud-heat-opacity-4) } .kb-heat-5 { fill: var(--kifud-heat-5) } .kb-heat-6 { fill: var(--kifud-heat-6) }
.kb-heat-7 { fill: var(--kifud-heat-7) } .kb-heat-8 { fill: var(--kifud-heat-8) } .kb-heat-9 { fill: var(--kifud-heat-9) }
.kb-best { fill: none; stroke: var(--kifud-best); stroke-width: 2 }
.kb-heat-text, .kb-heat-visits { fill: var(--kifud-heat-text) }
.kb-heat-text { font-weight: 650 }
.kb-faint { fill: var(--kifud-heat-faint) }
.kb-focus-outer { fill: none; stroke: var(--kifud-focus-outer); stroke-width: 2 } .kb-focus-inner { fill: none; stroke: var(--kifud-focus-inner); stroke-width: 2 }
.kb-river { fill: var(--kifud-line); font-family: "Kaiti SC", STKaiti, KaiTi, "AR PL UKai CN", "AR PL UKai TW", "Noto Serif CJK SC", serif; opacity: 0.75 }
.kb-disc { stroke: var(--kifud-piece-rim); stroke-width: 1 }
.kb-ring { fill: none } .kb-piece-red .kb-ring { stroke: var(--kifud-red) } .kb-piece-black .kb-ring { stroke: var(--kifud-dark) }
.kb-face { font-weight: 700; font-family: "Kaiti SC", STKaiti, KaiTi, "AR PL UKai TW", "AR PL UKai CN", "Noto Serif CJK TC", "Noto Serif CJK SC", "Songti SC", SimSun, serif }
.kb-piece-red .kb-face { fill: var(--kifud-red) } .kb-piece-black .kb-face { fill: var(--kifud-dark) }
.kb-last-from, .kb-last-to { fill: none; stroke: var(--kifud-last) } .kb-last-from { stroke-opacity: 0.65 }
.kb-check-glow { fill: none; stroke: var(--kifud-accent); stroke-opacity: 0.3 } .kb-check-ring { fill: none; stroke: var(--kifud-accent) }
.kb-selected-piece { fill: none; stroke: var(--kifud-last) }
.kb-target { fill: var(--kifud-good); stroke: #fff; stroke-width: 1 } .kb-target-take { fill: none; stroke: var(--kifud-good) }
.kb-point { fill: none; pointer-events: all; outline: none }
`;

/** Rules of the panels around the board. */
const PANEL_STYLE = `
.kifud { color: var(--kifud-text); font: 13px/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif }
.kifud > svg { display: block; margin: 0 auto; touch-action: manipulation; user-select: none; -webkit-user-select: none }
.kifud-board > svg { border-radius: 4px; box-shadow: 0 1px 2px rgb(0 0 0 / 0.25), 0 3px 12px rgb(0 0 0 / 0.16) }
.kifud-said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.kifud-board { position: relative }
.kifud-graph { position: relative; background: var(--kifud-panel); border: 1px solid var(--kifud-border); border-radius: 4px; overflow: hidden; cursor: pointer }
.kifud-graph:focus-visible, .kifud-tree:focus-visible { outline: 2px solid var(--kifud-focus-inner); outline-offset: 1px }
.kg-white { fill: var(--kifud-graph-white) } .kg-black { fill: var(--kifud-graph-black) }
.kg-middle { stroke: var(--kifud-graph-middle); stroke-dasharray: 4 4 }
.kg-quarter { stroke: var(--kifud-graph-middle); stroke-opacity: 0.35 }
.kg-rate { fill: none; stroke: var(--kifud-good); stroke-width: 1.8; stroke-linejoin: round }
.kg-score { fill: none; stroke: var(--kifud-graph-score); stroke-width: 1.5; stroke-linejoin: round; stroke-dasharray: 5 2 }
.kg-now { stroke: var(--kifud-accent); stroke-width: 1.5 } .kg-now-dot { fill: var(--kifud-accent); stroke: #fff }
.kg-loss { stroke: #fff; stroke-width: 1 } .kg-loss-doubtful { fill: #e5a50a } .kg-loss-bad { fill: var(--kifud-bad) }
.kg-axis { fill: var(--kifud-text); font-size: 10px; paint-order: stroke; stroke: var(--kifud-panel); stroke-width: 2.5px; stroke-linejoin: round }
.kg-start { text-anchor: start } .kg-end { text-anchor: end }
.kg-axis-score { fill: var(--kifud-graph-score) }
.kifud-tree { position: relative; overflow: auto; background: var(--kifud-panel); border: 1px solid var(--kifud-border); border-radius: 4px }
.kifud-tree > .kifud-tree-room { position: relative; overflow: hidden }
.kifud-tree svg { position: absolute; display: block }
.kt-edge { fill: none; stroke: var(--kifud-faint); stroke-width: 1.5 }
.kt-node { stroke: var(--kifud-faint); stroke-width: 1.2; cursor: pointer }
.kt-black { fill: var(--kifud-graph-black) } .kt-white { fill: #fff } .kt-setup { fill: var(--kifud-faint) }
.kt-number { font-size: 8.5px; pointer-events: none } .kt-number-black { fill: #fff } .kt-number-white { fill: #16130f }
.kt-comment { fill: var(--kifud-interesting); stroke: var(--kifud-panel); pointer-events: none }
.kt-mark-bad { stroke: var(--kifud-bad); stroke-width: 2.6 } .kt-mark-doubtful { stroke: #e5a50a; stroke-width: 2.6 } .kt-mark-good { stroke: var(--kifud-good); stroke-width: 2.6 }
.kt-now { fill: none; stroke: var(--kifud-accent); stroke-width: 2.5 } .kt-way { stroke: var(--kifud-accent); stroke-width: 2.2 }
.kifud-players { display: grid; grid-template-columns: 1fr 1fr; gap: 6px }
.kifud-player { display: grid; grid-template-columns: auto 1fr auto; gap: 0 8px; align-items: center; padding: 6px 9px; background: var(--kifud-panel); border: 1px solid var(--kifud-border); border-radius: 4px; min-width: 0 }
.kifud-player[data-turn="true"] { border-color: var(--kifud-accent); box-shadow: inset 3px 0 var(--kifud-accent) }
.kifud-player-stone { width: 16px; height: 16px; border-radius: 50%; border: 1px solid var(--kifud-faint); grid-row: span 2; background: radial-gradient(circle at 33% 28%, var(--kifud-black-light), var(--kifud-black-body) 55%, var(--kifud-black-edge)) }
.kifud-player[data-side="W"] .kifud-player-stone { background: radial-gradient(circle at 33% 28%, var(--kifud-white-light), var(--kifud-white-body) 55%, var(--kifud-white-edge)) }
.kifud-player[data-side="r"] .kifud-player-stone { background: var(--kifud-red) }
.kifud-player-name { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.kifud-player-more { grid-column: 2 / span 2; color: var(--kifud-faint); font-size: 12px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.kifud-player-clock { grid-column: 3; grid-row: 1; font: 600 16px/1 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-variant-numeric: tabular-nums }
.kifud-player-clock[data-hurry="true"] { color: var(--kifud-accent) }
.kifud-comments textarea { box-sizing: border-box; width: 100%; min-height: 6em; resize: vertical; padding: 8px; font: inherit; color: var(--kifud-text); background: var(--kifud-panel); border: 1px solid var(--kifud-border); border-radius: 4px }
.kifud-comments textarea:focus-visible { outline: 2px solid var(--kifud-focus-inner) }
@container (max-width: 320px) { .kifud-players { grid-template-columns: 1fr } }
`;

const THEME_STYLE = `
.kifud { ${THEMES.light} }
.kifud[data-theme="dark"] { ${DARK} }
.kifud[data-theme="contrast"] { ${CONTRAST} }
@media (prefers-color-scheme: dark) { .kifud[data-theme="auto"] { ${DARK} } }
@media (prefers-contrast: more), (forced-colors: active) { .kifud[data-theme="auto"] { ${LIGHT} ${CONTRAST} } .kifud { forced-color-adjust: none } }
`;

/** The whole style sheet, for pages that want it as a file or in a style element of their own. It is a layer: whatever a
 * page says outside of layers wins. */
export const STYLE = `@layer kifud {${THEME_STYLE}${BOARD_STYLE.replace(/^text /m, ':where(.kifud svg) text ')}${PANEL_STYLE}}`;

const dressed = new WeakSet<Document | ShadowRoot>();

/** Gives the style to the document or shadow root of an element, once. Constructed sheets need no leave from a
 * content security policy. */
export function dress(element: Element): void {
  const root = element.getRootNode();
  const home = root instanceof ShadowRoot ? root : document;
  if (!dressed.has(home)) {
    dressed.add(home);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    home.adoptedStyleSheets = [...home.adoptedStyleSheets, sheet];
  }
}
