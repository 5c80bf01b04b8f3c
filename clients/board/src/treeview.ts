/** The game tree in a page. Only what is in sight exists as elements. */
import type { TreeNode } from '../../../protocol/types';
import type { Theme } from './board';
import { Canvas } from './patch';
import { shape, type Shape } from './shape';
import { dress } from './style';
import { type Edge, type Placed, TreeLayout, type Window } from './tree';
import type { View } from './state';
import { words } from './words';

export type NodeMark = 'good' | 'doubtful' | 'bad';

export interface TreeOptions {
  readonly theme?: Theme;
  readonly language?: View['language'];
  /** Moves go down (`vertical`, when absent) or to the right. */
  readonly orientation?: 'vertical' | 'horizontal';
  /** A node was clicked or reached by keys. */
  onSelect?(index: number): void;
}

export interface Tree {
  /** The next page of `record/tree`. */
  append(nodes: readonly TreeNode[]): void;
  /** Forgets everything: another record, or another version of it. */
  reset(): void;
  /** The node that is on the board; it comes into sight. */
  select(index: number): void;
  /** Rings round nodes, by index. */
  setMarks(marks: ReadonlyMap<number, NodeMark>): void;
  setTheme(theme: Theme): void;
  flush(): void;
  destroy(): void;
}

/** From node to node, in pixels. */
const STEP = 24;
const MARGIN = 16;
/** Nodes drawn beyond what is in sight. */
const BEYOND = 2;
const RADIUS = 8;

let trees = 0;

export function createTree(host: HTMLElement, options: TreeOptions = {}): Tree {
  return new TreeView(host, options);
}

class TreeView implements Tree {
  private readonly id = `kifud-tree-${(trees += 1)}`;
  private readonly room = document.createElement('div');
  private readonly svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  private readonly canvas = new Canvas(this.svg);
  private readonly ends = new AbortController();
  private readonly watch = new ResizeObserver(() => this.soon());
  private readonly vertical: boolean;
  private layout = new TreeLayout();
  private marks: ReadonlyMap<number, NodeMark> = new Map();
  private current: number | undefined;
  private way: readonly number[] = [];
  /** The child that was taken last at each node, so that going back and forth keeps to a line. */
  private readonly taken = new Map<number, number>();
  private frame = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: TreeOptions,
  ) {
    this.vertical = options.orientation !== 'horizontal';
    dress(host);
    host.classList.add('kifud', 'kifud-tree');
    host.dataset.theme = options.theme ?? 'auto';
    host.setAttribute('role', 'tree');
    host.setAttribute('aria-label', words(options.language ?? 'en').tree);
    host.tabIndex = 0;
    this.room.className = 'kifud-tree-room';
    this.room.setAttribute('role', 'none');
    this.svg.setAttribute('role', 'none');
    this.room.append(this.svg);
    host.append(this.room);
    const { signal } = this.ends;
    host.addEventListener('scroll', () => this.soon(), { signal, passive: true });
    host.addEventListener('click', (event) => this.click(event), { signal });
    host.addEventListener('keydown', (event) => this.key(event), { signal });
    this.watch.observe(host);
    this.soon();
  }

  append(nodes: readonly TreeNode[]): void {
    this.layout.append(nodes);
    if (this.current !== undefined && this.way.length === 0) {
      this.take(this.current);
    }
    this.soon();
  }

  reset(): void {
    this.layout = new TreeLayout();
    this.taken.clear();
    this.way = [];
    this.current = undefined;
    this.soon();
  }

  select(index: number): void {
    if (this.current !== index) {
      this.take(index);
      this.soon();
    }
  }

  private take(index: number): void {
    this.current = index;
    this.way = this.layout.wayTo(index);
    this.way.forEach((node, depth) => {
      const next = this.way[depth + 1];
      next !== undefined && this.taken.set(node, next);
    });
    this.resize();
    this.show(index);
  }

  setMarks(marks: ReadonlyMap<number, NodeMark>): void {
    this.marks = marks;
    this.soon();
  }

  setTheme(theme: Theme): void {
    this.host.dataset.theme = theme;
  }

  flush(): void {
    cancelAnimationFrame(this.frame);
    this.draw();
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.ends.abort();
    this.watch.disconnect();
    this.room.remove();
    this.host.classList.remove('kifud', 'kifud-tree');
  }

  private soon(): void {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  /** Pixels of a depth and a lane. */
  private place(depth: number, lane: number): [number, number] {
    const [along, across] = [MARGIN + depth * STEP, MARGIN + lane * STEP];
    return this.vertical ? [across, along] : [along, across];
  }

  private resize(): void {
    const [width, height] = this.place(Math.max(this.layout.depthsUsed - 1, 0), Math.max(this.layout.lanesUsed - 1, 0));
    this.room.style.width = `${width + MARGIN}px`;
    this.room.style.height = `${height + MARGIN}px`;
  }

  private show(index: number): void {
    const node = this.layout.at(index);
    if (!node) {
      return;
    }
    const { host } = this;
    const [x, y] = this.place(node.depth, node.lane);
    const into = (place: number, start: number, length: number) =>
      place < start + STEP || place > start + length - STEP ? Math.max(place - length / 2, 0) : start;
    const left = into(x, host.scrollLeft, host.clientWidth);
    const top = into(y, host.scrollTop, host.clientHeight);
    if (left !== host.scrollLeft || top !== host.scrollTop) {
      host.scrollTo({ left, top, behavior: 'instant' });
    }
  }

  private draw(): void {
    this.frame = 0;
    const { host, svg } = this;
    const from = (pixels: number) => Math.max(Math.floor((pixels - MARGIN) / STEP) - BEYOND, 0);
    const to = (pixels: number, length: number) => Math.ceil((pixels + length - MARGIN) / STEP) + BEYOND;
    const [x0, x1] = [from(host.scrollLeft), to(host.scrollLeft, host.clientWidth)];
    const [y0, y1] = [from(host.scrollTop), to(host.scrollTop, host.clientHeight)];
    const window: Window = this.vertical
      ? { fromDepth: y0, toDepth: y1, fromLane: x0, toLane: x1 }
      : { fromDepth: x0, toDepth: x1, fromLane: y0, toLane: y1 };
    const [left, top] = [x0 * STEP, y0 * STEP];
    const [width, height] = [(x1 - x0 + 2) * STEP, (y1 - y0 + 2) * STEP];
    // Everything has been read by now: what is written from here on is laid out once.
    this.resize();
    svg.setAttribute('width', String(width));
    svg.setAttribute('height', String(height));
    svg.setAttribute('viewBox', `${left} ${top} ${width} ${height}`);
    svg.style.left = `${left}px`;
    svg.style.top = `${top}px`;
    this.canvas.draw(this.shapes(window));
    this.current === undefined ? host.removeAttribute('aria-activedescendant') : host.setAttribute('aria-activedescendant', `${this.id}-${this.current}`);
  }

  private shapes(window: Window): Shape[] {
    const { nodes, edges } = this.layout.visible(window);
    const way = this.way.slice(Math.max(window.fromDepth - 1, 0), window.toDepth + 2);
    const travelled = way.slice(1).map((index, step) => {
      const [from, to] = [this.layout.at(way[step]!)!, this.layout.at(index)!];
      return this.path({ depth: from.depth, lane: from.lane, toLane: to.lane, trunk: false }, window, true);
    });
    return [
      shape('edges', 'path', { class: 'kt-edge', d: edges.map((edge) => this.path(edge, window, false)).join('') }),
      shape('way', 'path', { class: 'kt-edge kt-way', d: travelled.join('') }),
      shape('nodes', 'g', { role: 'none' }, nodes.map((node) => this.node(node))),
    ];
  }

  /** Along the lanes beside the parent, then over to the child's depth. Far ends are cut off: they are out of sight. */
  private path(edge: Edge, window: Window, whole: boolean): string {
    const { depth, lane, toLane, trunk } = edge;
    const move = ([x, y]: [number, number]) => `${x} ${y}`;
    const start = move(this.place(depth, Math.max(lane, window.fromLane - 1)));
    if (trunk) {
      return `M${start}L${move(this.place(depth, Math.min(toLane - 0.6, window.toLane + 1)))}`;
    }
    const end = move(this.place(depth + 1, toLane));
    if (lane === toLane) {
      return `M${move(this.place(depth, lane))}L${end}`;
    }
    const bend = `${move(this.place(depth, toLane - 0.6))}Q${move(this.place(depth, toLane))} ${end}`;
    return whole ? `M${start}L${bend}` : `M${bend}`;
  }

  private node(node: Placed): Shape {
    const { index, depth, lane, kind, moveNumber, comment } = node;
    const [x, y] = this.place(depth, lane);
    const mark = this.marks.get(index);
    const black = kind === 'B' ? 'kt-black' : kind === 'W' ? 'kt-white' : 'kt-setup';
    const body = `kt-node ${black}${mark ? ` kt-mark-${mark}` : ''}`;
    const stone =
      kind === 'B' || kind === 'W'
        ? shape('node', 'circle', { class: body, cx: x, cy: y, r: RADIUS })
        : shape('node', 'rect', { class: body, x: x - 5, y: y - 5, width: 10, height: 10, rx: 2 });
    const inside = [stone];
    if (kind === 'B' || kind === 'W') {
      inside.push(shape('number', 'text', { class: `kt-number kt-number-${kind === 'B' ? 'black' : 'white'}`, x, y: y + 3 }, moveNumber > 999 ? `${String(moveNumber).slice(-3)}` : String(moveNumber)));
    }
    if (comment) {
      inside.push(shape('comment', 'circle', { class: 'kt-comment', cx: x + 7, cy: y - 7, r: 3 }));
    }
    if (index === this.current) {
      inside.push(shape('now', 'circle', { class: 'kt-now', cx: x, cy: y, r: RADIUS + 2.5 }));
    }
    const attrs = {
      role: 'treeitem',
      id: `${this.id}-${index}`,
      'data-node': index,
      'aria-label': this.name(node),
      'aria-level': depth + 1,
      'aria-selected': index === this.current ? 'true' : 'false',
    };
    return shape(String(index), 'g', attrs, inside);
  }

  private name({ kind, moveNumber, move, comment, index }: Placed): string {
    const say = words(this.options.language ?? 'en');
    const count = this.layout.childrenOf(index).length;
    const what = kind === 'B' || kind === 'W' ? `${say.number(moveNumber)} ${say.played[kind]} ${move || say.pass}` : say.setup;
    return [what, ...(comment ? [say.comment] : []), ...(count > 1 ? [say.variations(count)] : [])].join(say.join);
  }

  private click(event: MouseEvent): void {
    const node = (event.target as Element).closest('[data-node]');
    if (node) {
      this.options.onSelect?.(Number(node.getAttribute('data-node')));
    }
  }

  private key(event: KeyboardEvent): void {
    if (this.current === undefined || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const [back, forth, before, after] = this.vertical ? ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'] : ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
    const go: Record<string, () => number | undefined> = {
      [back!]: () => this.layout.parentOf(this.current!),
      [forth!]: () => this.next(this.current!),
      [before!]: () => this.beside(this.current!, -1),
      [after!]: () => this.beside(this.current!, 1),
      Home: () => this.way[0],
      End: () => this.lineEnd(this.current!),
    };
    if (go[event.key]) {
      const index = go[event.key]!();
      index !== undefined && index !== this.current && this.options.onSelect?.(index);
      event.preventDefault();
      event.stopPropagation();
    }
  }

  private next(index: number): number | undefined {
    return this.taken.get(index) ?? this.layout.childrenOf(index)[0];
  }

  private lineEnd(index: number): number {
    let end = index;
    for (let next = this.next(end); next !== undefined; next = this.next(end)) {
      end = next;
    }
    return end;
  }

  /** The variation beside the nearest node, here or further back, that has one. */
  private beside(index: number, step: number): number | undefined {
    for (let node: number | undefined = index; node !== undefined; node = this.layout.parentOf(node)) {
      const parent = this.layout.parentOf(node);
      const siblings = parent === undefined ? [] : this.layout.childrenOf(parent);
      const other = siblings[siblings.indexOf(node) + step];
      if (other !== undefined) {
        return other;
      }
    }
    return undefined;
  }
}
