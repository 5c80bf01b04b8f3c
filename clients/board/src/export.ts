/** Boards as files. */
import { BOARD_STYLE, THEMES } from './style';
import { shape, toText, type Shape } from './shape';

/** Values of the style's variables. */
export type Palette = Readonly<Record<string, string>>;

/** The style with values in place of its variables: few programs but browsers know what a variable is. */
export function resolved(style: string, palette: Palette): string {
  return style.replace(/var\((--[\w-]+)(?:, *([^()]*))?\)/g, (_, name: string, other?: string) => palette[name] ?? other ?? 'none');
}

/** The whole drawing as the text of an SVG file that needs nothing else. */
export function svgFile(shapes: readonly Shape[], size: { width: number; height: number }, palette: Palette, title: string): string {
  const drawn = shapes.filter(({ key }) => key !== 'points' && key !== 'focus');
  const attrs = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height, role: 'img' };
  return toText(shape('svg', 'svg', attrs, [shape('title', 'title', {}, title), shape('style', 'style', {}, resolved(BOARD_STYLE, palette)), ...drawn]));
}

/** The variables of a theme, as its rules say. */
export function paletteOf(theme: keyof typeof THEMES): Palette {
  return Object.fromEntries([...THEMES[theme].matchAll(/(--[\w-]+): *([^;]+);/g)].map(([, name, value]) => [name, value!]));
}

const VARIABLES = [...new Set(Object.values(THEMES).join('').match(/--kifud-[\w-]+(?=:)/g))];

/** The variables as an element has them, with whatever the page has changed. */
export function themeOf(element: Element): Palette {
  const computed = getComputedStyle(element);
  return Object.fromEntries(VARIABLES.map((name) => [name, computed.getPropertyValue(name).trim()] as const).filter(([, value]) => value));
}

/** An SVG file's text as PNG. Works where a page may load `data:` images. */
export async function png(svg: string, size: { width: number; height: number }, scale: number): Promise<Blob> {
  const image = new Image(size.width, size.height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(size.width * scale);
  canvas.height = Math.round(size.height * scale);
  const context = canvas.getContext('2d');
  if (!context) {
    throw new Error('This browser gives no canvas to draw the picture on.');
  }
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture is too large.'))), 'image/png');
  });
}
