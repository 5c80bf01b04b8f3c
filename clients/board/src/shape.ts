/** What shall be on the screen, as plain data: the layout makes it, `patch.ts` puts it into the page. */

export type Attrs = Readonly<Record<string, string | number | undefined>>;

/** An element to be. Siblings are told apart by their keys. */
export interface Shape {
  readonly key: string;
  readonly tag: string;
  readonly attrs: Attrs;
  readonly text?: string;
  readonly children?: readonly Shape[];
}

export function shape(key: string, tag: string, attrs: Attrs, inside?: string | readonly Shape[]): Shape {
  if (inside === undefined) {
    return { key, tag, attrs };
  }
  return typeof inside === 'string' ? { key, tag, attrs, text: inside } : { key, tag, attrs, children: inside };
}

/** A layer of a drawing: a group that carries its name as class, and is nothing to a screen reader. */
export function layer(name: string, children: readonly Shape[]): Shape {
  return shape(name, 'g', { class: `kb-layer-${name}`, 'aria-hidden': 'true' }, children);
}

/** Hundredths of a pixel are enough for everyone. */
export function px(value: number): number {
  return Math.round(value * 100) / 100;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no form at all for most control characters; they are left out. Half a surrogate pair is no character. */
function escape(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);
}

/** The text of an SVG element, for files. */
export function toText(root: Shape): string {
  const attrs = Object.entries(root.attrs)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join('');
  const inside = root.text !== undefined ? escape(root.text) : (root.children ?? []).map(toText).join('');
  return inside ? `<${root.tag}${attrs}>${inside}</${root.tag}>` : `<${root.tag}${attrs}/>`;
}
