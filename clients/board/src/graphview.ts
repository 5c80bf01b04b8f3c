/** The graph in a page: a slider over the moves of a game. */
import { graphShapes, type GraphState, type GraphView, pointNear, pointText } from './graph';
import { Canvas } from './patch';
import { dress } from './style';
import type { Theme } from './board';
import { words } from './words';

export interface GraphOptions {
  readonly view?: Partial<GraphView>;
  readonly theme?: Theme;
  /** In pixels; 120 when absent. */
  readonly height?: number;
  /** A point was clicked, dragged to or reached by keys: its index in `points`. */
  onSelect?(index: number): void;
}

export interface Graph {
  update(state: GraphState): void;
  setView(view: Partial<GraphView>): void;
  setTheme(theme: Theme): void;
  flush(): void;
  destroy(): void;
}

export function createGraph(host: HTMLElement, options: GraphOptions = {}): Graph {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const canvas = new Canvas(svg);
  const ends = new AbortController();
  const height = options.height ?? 120;
  let view: GraphView = { winrate: true, score: true, language: 'en', ...options.view };
  let state: GraphState = { points: [] };
  let frame = 0;

  const draw = () => {
    frame = 0;
    const width = Math.max(host.clientWidth, 40);
    svg.setAttribute('width', String(width));
    svg.setAttribute('height', String(height));
    canvas.draw(graphShapes(state, { width, height }, view));
    host.setAttribute('aria-label', words(view.language).graph);
    host.setAttribute('aria-valuemin', '0');
    host.setAttribute('aria-valuemax', String(Math.max(state.points.length - 1, 0)));
    host.setAttribute('aria-valuenow', String(state.current ?? 0));
    host.setAttribute('aria-valuetext', pointText(state.points[state.current ?? 0], view.language));
  };
  const soon = () => (frame ||= requestAnimationFrame(draw));
  const watch = new ResizeObserver(soon);

  const select = (index: number | undefined) => index !== undefined && index !== state.current && options.onSelect?.(index);
  const at = (event: PointerEvent) => {
    const { left, width } = svg.getBoundingClientRect();
    return pointNear(state.points.length, event.clientX - left, width);
  };
  const pointer = (event: PointerEvent) => {
    if (event.buttons & 1) {
      select(at(event));
    }
  };
  const tell = (event: PointerEvent) => {
    const index = at(event);
    host.title = index === undefined ? '' : pointText(state.points[index], view.language);
  };
  const key = (event: KeyboardEvent) => {
    const last = state.points.length - 1;
    const here = state.current ?? 0;
    const steps: Record<string, number> = { ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1, PageUp: here + 10, PageDown: here - 10, Home: 0, End: last };
    const step = steps[event.key];
    if (step !== undefined && last >= 0 && !event.ctrlKey && !event.altKey && !event.metaKey) {
      select(Math.min(Math.max(step, 0), last));
      event.preventDefault();
      event.stopPropagation();
    }
  };

  dress(host);
  host.classList.add('kifud', 'kifud-graph');
  host.dataset.theme = options.theme ?? 'auto';
  host.setAttribute('role', 'slider');
  host.tabIndex = 0;
  svg.setAttribute('aria-hidden', 'true');
  host.append(svg);
  const { signal } = ends;
  host.addEventListener('pointerdown', pointer, { signal });
  host.addEventListener('pointermove', (event) => (pointer(event), tell(event)), { signal });
  host.addEventListener('keydown', key, { signal });
  watch.observe(host);
  soon();

  return {
    update(next) {
      state = next;
      soon();
    },
    setView(next) {
      view = { ...view, ...next };
      soon();
    },
    setTheme(theme) {
      host.dataset.theme = theme;
    },
    flush() {
      cancelAnimationFrame(frame);
      draw();
    },
    destroy() {
      cancelAnimationFrame(frame);
      ends.abort();
      watch.disconnect();
      svg.remove();
      host.classList.remove('kifud', 'kifud-graph');
    },
  };
}
