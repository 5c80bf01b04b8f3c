/** The board in a page: draws, listens to pointer and keyboard, says what happens. */
import { png, svgFile, themeOf } from './export';
import { goShapes, goSize, middle } from './go';
import { fit, type Grid, pointAt } from './grid';
import { goName, targetsOf, xiangqiName } from './names';
import { Canvas } from './patch';
import { type PlayOut, playOut } from './playout';
import type { Shape } from './shape';
import { type BoardState, type Candidate, candidateAt, goColor, type Touch, type View, VIEW } from './state';
import { dress } from './style';
import { type Point, squareName, vertexName } from './vertex';
import { words } from './words';
import { xiangqiShapes } from './xiangqi';

export type Theme = 'auto' | 'light' | 'dark' | 'contrast';

export interface BoardOptions {
  readonly view?: Partial<View>;
  readonly theme?: Theme;
  /** `width` (when absent): as wide as the element, the height follows. `box`: as large as fits the element. */
  readonly fit?: 'width' | 'box';
  /** A click on a point of a Go board, or Enter or space on it. `vertex` in GTP's spelling. */
  onPoint?(vertex: string, event: MouseEvent | KeyboardEvent): void;
  /** A xiangqi piece was put somewhere, in ICCS; always one of the state's `moves`, when those are given. */
  onMove?(iccs: string): void;
  /** The point under the pointer or the focus has changed; with the candidate move there. */
  onHover?(vertex: string | undefined, candidate: Candidate | undefined): void;
  /** How lines are played out, when the page knows better than liberties alone. */
  readonly playOut?: PlayOut;
}

export interface Board {
  /** Shows another state, at the next frame. Of several in one frame only the last is drawn. */
  update(state: BoardState): void;
  setView(view: Partial<View>): void;
  setTheme(theme: Theme): void;
  /** Draws what is waiting, now. */
  flush(): void;
  /** The board as an SVG file, without what pointer and keyboard are doing. */
  toSvg(width?: number): string;
  toPng(width?: number, scale?: number): Promise<Blob>;
  focus(): void;
  destroy(): void;
}

let boards = 0;

export function createBoard(host: HTMLElement, options: BoardOptions = {}): Board {
  return new BoardView(host, options);
}

const EMPTY: BoardState = { game: 'go', board: { stones: Array.from({ length: 19 }, () => '.'.repeat(19)) } };

class BoardView implements Board {
  private readonly id = `kifud-board-${(boards += 1)}`;
  private readonly svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  private readonly said = document.createElement('div');
  private readonly canvas = new Canvas(this.svg);
  private readonly watch = new ResizeObserver(() => this.measure());
  private readonly ends = new AbortController();
  private state = EMPTY;
  private view: View;
  private grid: Grid | undefined;
  /** The element's own size. It is not asked for at every drawing: that would make the browser lay out what the drawing
   * before has changed. */
  private room = { width: 0, height: 0 };
  private touch: Touch = {};
  private frame = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: BoardOptions,
  ) {
    this.view = { ...VIEW, ...(drawsChinese() ? {} : { pieces: 'letters' as const }), ...options.view };
    dress(host);
    host.classList.add('kifud', 'kifud-board');
    this.svg.setAttribute('role', 'grid');
    this.said.className = 'kifud-said';
    this.said.setAttribute('role', 'status');
    host.append(this.svg, this.said);
    this.setTheme(options.theme ?? 'auto');
    this.listen();
    this.watch.observe(host);
    this.measure();
  }

  update(state: BoardState): void {
    const before = this.state;
    this.state = state;
    if (before.game !== state.game || sizeOf(before).columns !== sizeOf(state).columns || sizeOf(before).rows !== sizeOf(state).rows) {
      this.touch = {};
    }
    if (state.game === 'xiangqi' && this.touch.selected && before.game === 'xiangqi' && before.position.board.join() !== state.position.board.join()) {
      this.touch = { ...this.touch, selected: undefined };
    }
    this.announce(before);
    this.soon();
  }

  setView(view: Partial<View>): void {
    this.view = { ...this.view, ...view };
    this.soon();
  }

  setTheme(theme: Theme): void {
    this.host.dataset.theme = theme;
  }

  flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.draw();
  }

  toSvg(width?: number): string {
    return this.file(width).text;
  }

  async toPng(width?: number, scale = 2): Promise<Blob> {
    const { text, grid } = this.file(width);
    return png(text, grid, scale);
  }

  focus(): void {
    this.flush();
    this.focusOn(this.touch.focus ?? this.home());
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.watch.disconnect();
    this.ends.abort();
    this.svg.remove();
    this.said.remove();
    this.host.classList.remove('kifud', 'kifud-board');
    delete this.host.dataset.theme;
  }

  private file(width?: number): { text: string; grid: Grid } {
    const { columns, rows } = sizeOf(this.state);
    const { coordinates, flipped } = this.view;
    const grid = fit(columns, rows, { width: width ?? Math.max(this.grid?.width ?? 0, 600), coordinates, flipped });
    const shapes = this.shapes(grid, {}, `${this.id}-file`);
    return { text: svgFile(shapes, grid, themeOf(this.host), this.name()), grid };
  }

  private shapes(grid: Grid, touch: Touch, id: string): Shape[] {
    const drawing = { grid, paints: { id } };
    return this.state.game === 'go'
      ? goShapes(this.state, this.view, touch, drawing, this.options.playOut ?? playOut)
      : xiangqiShapes(this.state, this.view, touch, drawing);
  }

  private name(): string {
    return this.state.game === 'go' ? goName(this.state, this.view) : xiangqiName(this.state, this.view);
  }

  private measure(): void {
    this.room = { width: this.host.clientWidth, height: this.host.clientHeight };
    this.soon();
  }

  private soon(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private draw(): void {
    const { columns, rows } = sizeOf(this.state);
    const { coordinates, flipped } = this.view;
    const { width, height } = this.room;
    const fresh = fit(columns, rows, { width, coordinates, flipped, ...(this.options.fit === 'box' && { height }) });
    // The very same object as long as nothing is different: layers that depend on it alone are kept.
    const grid = this.grid && same(this.grid, fresh) ? this.grid : fresh;
    if (grid !== this.grid) {
      this.grid = grid;
      this.svg.setAttribute('width', String(grid.width));
      this.svg.setAttribute('height', String(grid.height));
      this.svg.setAttribute('viewBox', `0 0 ${grid.width} ${grid.height}`);
      this.svg.setAttribute('aria-rowcount', String(rows));
      this.svg.setAttribute('aria-colcount', String(columns));
    }
    this.svg.setAttribute('aria-label', this.name());
    this.canvas.draw(this.shapes(grid, this.touch, this.id));
  }

  private home(): Point {
    return this.state.game === 'xiangqi' ? { x: 4, y: 9 } : middle(sizeOf(this.state));
  }

  private listen(): void {
    const { signal } = this.ends;
    this.svg.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && this.hover(this.under(event)), { signal });
    this.svg.addEventListener('pointerleave', () => this.hover(undefined), { signal });
    this.svg.addEventListener('click', (event) => this.press(this.under(event), event), { signal });
    this.svg.addEventListener('keydown', (event) => this.key(event), { signal });
    this.svg.addEventListener('focusin', (event) => this.focused(event.target as Element), { signal });
    this.svg.addEventListener('focusout', (event) => !this.svg.contains(event.relatedTarget as Node | null) && this.feel({ ...this.touch, focus: undefined }), { signal });
    // A pointer must not leave the keyboard's ring behind.
    this.svg.addEventListener('pointerdown', (event) => event.preventDefault(), { signal });
    this.svg.addEventListener('mousedown', (event) => event.preventDefault(), { signal });
  }

  private under(event: MouseEvent): Point | undefined {
    const { left, top, width } = this.svg.getBoundingClientRect();
    const scale = this.grid ? this.grid.width / width : 1;
    return this.grid && pointAt(this.grid, (event.clientX - left) * scale, (event.clientY - top) * scale);
  }

  private feel(touch: Touch): void {
    const before = this.touch.hover ?? this.touch.focus;
    this.touch = touch;
    const now = touch.hover ?? touch.focus;
    if (before?.x !== now?.x || before?.y !== now?.y) {
      const vertex = now && this.vertex(now);
      this.options.onHover?.(vertex, vertex !== undefined && this.state.game === 'go' ? candidateAt(this.state, vertex) : undefined);
    }
    this.soon();
  }

  private hover(point: Point | undefined): void {
    const { hover } = this.touch;
    if (point?.x !== hover?.x || point?.y !== hover?.y) {
      this.feel({ ...this.touch, hover: point });
    }
  }

  private vertex(point: Point): string {
    return this.state.game === 'go' ? vertexName(point, sizeOf(this.state).rows) : squareName(point);
  }

  private press(point: Point | undefined, event: MouseEvent | KeyboardEvent): void {
    if (!point) {
      return;
    }
    if (this.state.game === 'go') {
      this.options.onPoint?.(this.vertex(point), event);
    } else {
      this.pick(point);
    }
  }

  /** First the piece, then where it goes. Another piece that can move is picked up instead. */
  private pick(point: Point): void {
    if (this.state.game !== 'xiangqi') {
      return;
    }
    const { selected } = this.touch;
    const square = squareName(point);
    const canMove = this.state.moves?.some(({ iccs }) => iccs.startsWith(square)) ?? Boolean(this.state.position.board[point.y * 9 + point.x]);
    const goes = selected && (this.state.moves ? targetsOf(this.state, selected).some(({ to }) => to === square) : !canMove);
    if (selected && goes) {
      this.feel({ ...this.touch, selected: undefined });
      this.options.onMove?.(squareName(selected) + square);
    } else {
      const again = selected?.x === point.x && selected.y === point.y;
      this.feel({ ...this.touch, selected: canMove && !again ? point : undefined });
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const { columns, rows } = sizeOf(this.state);
    const at = this.touch.focus ?? this.home();
    const turn = this.view.flipped ? -1 : 1;
    const steps: Record<string, Point> = {
      ArrowLeft: { x: at.x - turn, y: at.y },
      ArrowRight: { x: at.x + turn, y: at.y },
      ArrowUp: { x: at.x, y: at.y - turn },
      ArrowDown: { x: at.x, y: at.y + turn },
      Home: { x: this.view.flipped ? columns - 1 : 0, y: at.y },
      End: { x: this.view.flipped ? 0 : columns - 1, y: at.y },
      PageUp: { x: at.x, y: this.view.flipped ? rows - 1 : 0 },
      PageDown: { x: at.x, y: this.view.flipped ? 0 : rows - 1 },
    };
    const step = steps[event.key];
    if (step) {
      this.focusOn({ x: Math.min(Math.max(step.x, 0), columns - 1), y: Math.min(Math.max(step.y, 0), rows - 1) });
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.press(at, event);
    } else if (event.key === 'Escape' && this.touch.selected) {
      this.feel({ ...this.touch, selected: undefined });
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private focusOn({ x, y }: Point): void {
    (this.svg.querySelector(`#${this.id}-${x}-${y}`) as SVGElement | null)?.focus({ preventScroll: true });
  }

  private focused(cell: Element): void {
    const [x, y] = cell.id.slice(this.id.length + 1).split('-').map(Number);
    if (x !== undefined && y !== undefined) {
      this.feel({ ...this.touch, focus: { x, y }, hover: undefined });
    }
  }

  /** Says a new last move to a screen reader. */
  private announce(before: BoardState): void {
    const { state } = this;
    if (state.game === 'go' && before.game === 'go') {
      const move = state.board.lastMove;
      const old = before.board.lastMove;
      const fresh = move?.vertex !== old?.vertex || move?.color !== old?.color || state.board.moveNumber !== before.board.moveNumber;
      const color = goColor(move?.color);
      if (move && color && fresh) {
        const say = words(this.view.language);
        this.said.textContent = `${say.played[color]} ${move.vertex === 'pass' ? say.pass : move.vertex}`;
      }
    } else if (state.game === 'xiangqi' && before.game === 'xiangqi' && state.lastMove !== before.lastMove) {
      this.said.textContent = [state.lastMove ?? '', ...(state.position.inCheck ? [words(this.view.language).check] : [])].join(' ');
    }
  }
}

let chinese: boolean | undefined;

/** Whether there is a font for the pieces' faces: without one, all characters look the same. */
function drawsChinese(): boolean {
  chinese ??= (() => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 24;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const picture = (sign: string) => {
      context!.clearRect(0, 0, 24, 24);
      context!.fillText(sign, 2, 20);
      return context!.getImageData(0, 0, 24, 24).data.join();
    };
    if (!context) {
      return true;
    }
    context.font = '20px serif';
    return picture('車') !== picture('砲');
  })();
  return chinese;
}

function sizeOf(state: BoardState): { columns: number; rows: number } {
  return state.game === 'go' ? goSize(state) : { columns: 9, rows: 10 };
}

function same(a: Grid, b: Grid): boolean {
  return (Object.keys(a) as (keyof Grid)[]).every((key) => a[key] === b[key]);
}
