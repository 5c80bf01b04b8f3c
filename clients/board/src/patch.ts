/** Brings the page to a list of shapes with as few changes as possible. Elements live as long as their keys. */
import type { Attrs, Shape } from './shape';

const SVG = 'http://www.w3.org/2000/svg';

interface Mounted {
  shape: Shape;
  readonly element: Element;
  readonly children: Map<string, Mounted>;
}

/** The children of one element that are ours to draw. */
export class Canvas {
  private readonly mounted = new Map<string, Mounted>();

  /** @param parent has no other children. @param namespace of the new elements; SVG when absent. */
  constructor(
    private readonly parent: Element,
    private readonly namespace = SVG,
  ) {}

  draw(shapes: readonly Shape[]): void {
    drawChildren(this.parent, this.mounted, shapes, this.namespace);
  }
}

function drawChildren(parent: Element, mounted: Map<string, Mounted>, shapes: readonly Shape[], namespace: string): void {
  if (mounted.size > 0) {
    const wanted = new Map(shapes.map((shape) => [shape.key, shape.tag]));
    for (const [key, old] of mounted) {
      if (wanted.get(key) !== old.shape.tag) {
        old.element.remove();
        mounted.delete(key);
      }
    }
  }
  let place = parent.firstChild;
  for (const shape of shapes) {
    const known = mounted.get(shape.key);
    const { element } = known ? change(known, shape, namespace) : mount(shape, mounted, namespace);
    if (element === place) {
      place = place.nextSibling;
    } else {
      parent.insertBefore(element, place);
    }
  }
}

function mount(shape: Shape, siblings: Map<string, Mounted>, namespace: string): Mounted {
  const element = document.createElementNS(namespace, shape.tag);
  const mounted: Mounted = { shape, element, children: new Map() };
  setAttributes(element, {}, shape.attrs);
  fill(mounted, shape, namespace);
  siblings.set(shape.key, mounted);
  return mounted;
}

/** A shape that is the very same object is not looked into: layouts keep what does not change. */
function change(mounted: Mounted, shape: Shape, namespace: string): Mounted {
  const old = mounted.shape;
  if (old !== shape) {
    setAttributes(mounted.element, old.attrs, shape.attrs);
    fill(mounted, shape, namespace, old);
    mounted.shape = shape;
  }
  return mounted;
}

function fill(mounted: Mounted, shape: Shape, namespace: string, old?: Shape): void {
  if (shape.text !== undefined) {
    writeText(mounted, shape.text, old);
  } else if (shape.children !== old?.children) {
    if (old?.text !== undefined) {
      mounted.element.textContent = '';
    }
    drawChildren(mounted.element, mounted.children, shape.children ?? [], namespace);
  }
}

function writeText(mounted: Mounted, text: string, old?: Shape): void {
  if (old?.text === text) {
    return;
  }
  const node = mounted.element.firstChild;
  if (old?.text !== undefined && node instanceof Text) {
    node.data = text;
  } else {
    mounted.element.textContent = text;
    mounted.children.clear();
  }
}

function setAttributes(element: Element, old: Attrs, attrs: Attrs): void {
  if (old === attrs) {
    return;
  }
  for (const name in attrs) {
    const value = attrs[name];
    if (value !== old[name]) {
      value === undefined ? element.removeAttribute(name) : element.setAttribute(name, String(value));
    }
  }
  for (const name in old) {
    if (!(name in attrs)) {
      element.removeAttribute(name);
    }
  }
}
