/** The comment of a node, to be read and written. */
import type { Theme } from './board';
import type { View } from './state';
import { dress } from './style';
import { words } from './words';

export interface CommentState {
  /** Names the node. A text that is being written belongs to the node that it was begun at. */
  readonly node: string | number;
  readonly text: string;
  readonly editable?: boolean;
}

export interface CommentOptions {
  readonly theme?: Theme;
  readonly language?: View['language'];
  /** A comment was changed and left, or Ctrl+Enter pressed. Escape takes the changes back. */
  onChange?(text: string, node: string | number): void;
}

export interface Comments {
  update(state: CommentState): void;
  setTheme(theme: Theme): void;
  destroy(): void;
}

export function createComments(host: HTMLElement, options: CommentOptions = {}): Comments {
  const area = document.createElement('textarea');
  const ends = new AbortController();
  let state: CommentState = { node: '', text: '' };

  const commit = () => {
    // Browsers turn CRLF into LF; a text that differs in nothing else was not changed.
    if (area.value !== state.text.replace(/\r\n?/g, '\n')) {
      state = { ...state, text: area.value };
      options.onChange?.(area.value, state.node);
    }
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      commit();
      event.preventDefault();
    } else if (event.key === 'Escape') {
      area.value = state.text;
    }
    // What is typed here moves nothing on the board.
    event.stopPropagation();
  };

  dress(host);
  host.classList.add('kifud', 'kifud-comments');
  host.dataset.theme = options.theme ?? 'auto';
  area.setAttribute('aria-label', words(options.language ?? 'en').comments);
  area.spellcheck = false;
  area.readOnly = true;
  area.addEventListener('blur', commit, { signal: ends.signal });
  area.addEventListener('keydown', key, { signal: ends.signal });
  host.append(area);

  return {
    update(next) {
      const elsewhere = next.node !== state.node;
      const writing = document.activeElement === area && area.value !== state.text.replace(/\r\n?/g, '\n');
      if (elsewhere) {
        commit();
      }
      if (elsewhere || !writing) {
        area.value = next.text;
      }
      state = next;
      area.readOnly = next.editable === false;
    },
    setTheme(theme) {
      host.dataset.theme = theme;
    },
    destroy() {
      commit();
      ends.abort();
      area.remove();
      host.classList.remove('kifud', 'kifud-comments');
    },
  };
}
