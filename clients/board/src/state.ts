/** What a board shows. Shapes of the wire are taken as kifud sends them. */
import type {
  AnalysisUpdate,
  BoardAnswer,
  BoardColor,
  Candidate,
  Color,
  Move,
  XiangqiMove,
  XiangqiPosition,
  XiangqiUpdate,
} from '../../../protocol/types';

/** `null` counts as absent everywhere, as on the wire. */
type Maybe<T> = T | null | undefined;

export interface GoState {
  readonly game: 'go';
  /** An answer of `record/board`; the rows of stones are enough. */
  readonly board: Pick<BoardAnswer, 'stones'> & Partial<Omit<BoardAnswer, 'stones' | 'game'>> & { readonly game?: string };
  /** An event of `analysis/update`. One that names another node than the board is not shown. */
  readonly analysis?: Maybe<AnalysisUpdate>;
  /** Moves that the record goes on with, or that stand beside the one it took. */
  readonly variations?: Maybe<readonly Variation[]>;
  /** Numbers on stones and points, by vertex. */
  readonly numbers?: Maybe<Readonly<Record<string, number>>>;
  readonly ghosts?: Maybe<readonly Ghost[]>;
  /** A line that is shown as played out. */
  readonly line?: Maybe<Line>;
}

export interface Variation {
  readonly vertex: string;
  readonly color?: Maybe<Color>;
  /** `child` (when absent) goes on from here, `sibling` would have been played instead. */
  readonly kind?: Maybe<'child' | 'sibling'>;
  readonly text?: Maybe<string>;
}

/** A stone that is not there. */
export interface Ghost {
  readonly vertex: string;
  readonly color: Color;
  readonly kind?: Maybe<'good' | 'interesting' | 'doubtful' | 'bad'>;
  readonly text?: Maybe<string>;
}

export interface Line {
  /** Who plays its first move. */
  readonly color: Color;
  /** Vertices, passes included. */
  readonly moves: readonly string[];
  /** Only so many of the moves. */
  readonly ply?: Maybe<number>;
}

export interface XiangqiState {
  readonly game: 'xiangqi';
  /** An answer of `xiangqi/position`; the 90 points are enough. */
  readonly position: Pick<XiangqiPosition, 'board'> & Partial<XiangqiPosition>;
  /** The legal moves, of `xiangqi/moves`: where pieces may be put. */
  readonly moves?: Maybe<readonly Pick<XiangqiMove, 'iccs' | 'captured'>[]>;
  /** In ICCS. */
  readonly lastMove?: Maybe<string>;
  readonly arrows?: Maybe<readonly Arrow[]>;
  /** An event of `xiangqi/update`: its line is drawn as arrows. */
  readonly analysis?: Maybe<XiangqiUpdate>;
  /** A line in ICCS that is shown as played out. */
  readonly line?: Maybe<{ readonly moves: readonly string[]; readonly ply?: Maybe<number> }>;
}

export interface Arrow {
  /** In ICCS. */
  readonly move: string;
  readonly kind?: Maybe<'best' | 'good' | 'bad' | 'plain'>;
  readonly text?: Maybe<string>;
}

export type BoardState = GoState | XiangqiState;

/** How it is shown. */
export interface View {
  readonly coordinates: boolean;
  readonly flipped: boolean;
  /** What candidate moves carry: the texts that kifud made, one number of theirs, or nothing. */
  readonly heat: 'text' | 'winrate' | 'score' | 'policy' | 'none';
  /** The visits below the number. */
  readonly visits: boolean;
  readonly ownership: boolean;
  readonly markup: boolean;
  readonly lastMove: boolean;
  /** The principal variation of a candidate appears on the board under the pointer or the focus. */
  readonly hoverLine: boolean;
  /** Arrows for so many plies of a xiangqi search's line. */
  readonly arrows: number;
  /** Xiangqi pieces: 帥 and 馬, 帅 and 马, or the letters of FEN. When absent, letters where no font has the others. */
  readonly pieces: 'traditional' | 'simplified' | 'letters';
  readonly language: 'en' | 'zh';
}

export const VIEW: View = {
  coordinates: true,
  flipped: false,
  heat: 'text',
  visits: true,
  ownership: true,
  markup: true,
  lastMove: true,
  hoverLine: true,
  arrows: 1,
  pieces: 'traditional',
  language: 'en',
};

/** What the person at the board is doing. */
export interface Touch {
  /** Under the pointer. */
  readonly hover?: { readonly x: number; readonly y: number } | undefined;
  /** Where the keyboard is; shown only while the board has the focus. */
  readonly focus?: { readonly x: number; readonly y: number } | undefined;
  /** The xiangqi piece that was picked up. */
  readonly selected?: { readonly x: number; readonly y: number } | undefined;
}

/** The analysis, if it is about the board that is shown. */
export function analysisOf(state: GoState): AnalysisUpdate | undefined {
  const { analysis, board } = state;
  if (!analysis || (analysis.node && board.node && !sameNode(analysis.node, board.node))) {
    return undefined;
  }
  return analysis;
}

/** Paths come run-compressed, so equal nodes are written alike. */
function sameNode(a: NonNullable<AnalysisUpdate['node']>, b: NonNullable<AnalysisUpdate['node']>): boolean {
  return a.game === b.game && a.path.join() === b.path.join();
}

/** A colour of Go; what speaks of xiangqi has none. */
export function goColor(color: Maybe<BoardColor>): Color | undefined {
  return color === 'B' || color === 'W' ? color : undefined;
}

export function candidateAt(state: GoState, vertex: string): Candidate | undefined {
  return analysisOf(state)?.moves?.find((candidate) => candidate.vertex === vertex);
}

export type { AnalysisUpdate, Candidate, Color, Move };
