// Written by `kifud schema`. Do not edit.

export const protocol = "1.0";

/** What a layer says of it. */
export type AheadSettings = {
  /** At how many nodes an idle engine looks ahead; 0: none. */
  nodes?: number | null;
  /** Visits of each. */
  visits?: number | null;
};

/** What heat map texts show. */
export type AnalysisType = "winrate" | "scoreLead";

/** One report, or the start or the end of the stream. */
export type AnalysisUpdate = {
  state: StreamState;
  /** With `ended`: `stopped`, `limit`, `finished`, `superseded`, `nodeRemoved`, `engineExited`, `refused`, `cancelled`, `shutdown` or `panic`. */
  reason?: string | null;
  /** With `started`: how the engine was brought there. */
  sync?: SyncResult | null;
  game: Game;
  engineId?: string | null;
  /** The node, when the position came from a record. */
  node?: Node | null;
  /** The side whose chances the numbers are. */
  color?: Color | null;
  /** The engine's board that this is about. */
  revision?: number | null;
  /** Whether this was found earlier: shown until more is found. */
  cached?: boolean | null;
  visits?: number | null;
  /** Percent. */
  winrate?: number | null;
  /** Points. */
  scoreLead?: number | null;
  /** The same from Black's side. */
  black?: BlackValue | null;
  /** The greatest win rate of all moves, however few its visits. */
  maxWinrate?: number | null;
  /** Candidates, best first as the engine orders them. */
  moves?: Candidate[] | null;
  /** Row by row from the top left, +1 = Black. */
  ownership?: number[] | null;
  heatmap?: HeatmapCell[] | null;
  /** Records and numbers of the engine that could not be read, since the start. */
  skipped?: number | null;
  /** With `ended`: the change that writes the values into the record. */
  edit?: Edit | null;
  /** With `ended`: what went wrong, as the error of a request. */
  error?: unknown;
};

/** How heat map texts show it. */
export type AnalysisValueType = "absolute" | "relative";

/** What shall be analysed, and how. */
export type Analyze = {
  /** The first attached engine that can analyse when absent. */
  engineId?: string | null;
  /** The engine's own board when absent. */
  position?: Position | null;
  /** For whom; the side to move when absent. */
  color?: Color | null;
  /** Centiseconds between reports; as the settings say (50) when absent. */
  interval?: number | null;
  /** When to stop by itself; never when absent. */
  limit?: Limit | null;
  /** Only these moves. */
  allow?: string[] | null;
  /** Not these moves. */
  avoid?: string[] | null;
  /** At most so many moves a report. */
  maxMoves?: number | null;
  /** Who owns which point. */
  ownership?: boolean | null;
  /** The engine's value of the position itself, where it gives one; true when absent. */
  rootInfo?: boolean | null;
  /** A heat map beside the moves. */
  heatmap?: boolean | null;
  /** What the heat map's texts show; as the settings say (`winrate`) when absent. */
  analysisType?: AnalysisType | null;
  /** How they show it; as the settings say (`absolute`) when absent. */
  analysisValueType?: AnalysisValueType | null;
  /** `end`: SBKV, SBKS and KFCA go into the node when the analysis ends or leaves it. */
  writeBack?: WriteBackWhen | null;
  /** Refuse when the engine's board is at another revision. */
  ifRevision?: number | null;
};

/** A list of arguments, or one string that is split like a shell does. */
export type Args = string[] | string;

/** Which engine: by its name in the settings, or spelled out (trusted sessions only). */
export type Attach = {
  /** A configured engine. */
  name?: string | null;
  /** An engine that the settings do not know. */
  engine?: EngineSettings | null;
};

/** The engine, through its handshake. */
export type AttachedEngine = {
  engine: EngineInfo;
};

/** A value from Black's side. */
export type BlackValue = {
  /** Percent. */
  winrate: number;
  /** Points. */
  scoreLead?: number | null;
};

/** What a layer says of them. */
export type BlunderSettings = {
  /** Whether moves that lose much are told as findings after a review. */
  show?: boolean | null;
  /** Points that make an inaccuracy, a mistake, a blunder; each at least the one before. */
  points?: number[] | null;
  /** Percent of win rate that do, where there are no points. */
  percent?: number[] | null;
  /** Whose moves: `black`, `white`, or a name as in PB or PW; empty: of both. */
  player?: string | null;
  /** At most so many in a game, the worst. */
  limit?: number | null;
};

/** The board at a node. */
export type BoardAnswer = {
  game: Game;
  node: Node;
  size: BoardSize;
  /** A string a row, top first: `.` empty, `X` Black, `O` White; xiangqi: the letters of FEN. */
  stones: string[];
  /** Who moves next. */
  toPlay: BoardColor;
  /** Why. */
  toPlayReason: TurnReason;
  moveNumber: number;
  lastMove?: LastMove | null;
  /** The point where simple ko forbids the next stone. */
  ko?: string | null;
  captures: Captures;
  /** Effective komi; absent when the record does not tell. */
  komi?: number | null;
  comment?: string | null;
  /** What an engine thought of the node, as stored in the record: SBKV, SBKS and KFCA, or what other programs store. */
  analysis?: StoredAnalysis | null;
  markup: Markup;
  /** Moves and stones that are not on the board, or not readable. */
  skipped: TextRange[];
  /** Xiangqi: the position. */
  fen?: string | null;
  /** Xiangqi: whether the side to move is in check. */
  inCheck?: boolean | null;
};

/** Who plays: `"B"` or `"W"`, in xiangqi `"r"` or `"b"`. */
export type BoardColor = "B" | "W" | "r" | "b";

/** Which node. */
export type BoardParams = {
  document: DocumentRef;
  /** The root of the first game when absent. */
  node?: NodeRef | null;
};

/** One number for a square board, or [width, height]. */
export type BoardSize = number | number[];

/** Byoyomi. */
export type Byoyomi = {
  /** One period. */
  seconds: number;
  /** How many. */
  periods: number;
};

/** What a layer says of it. */
export type CacheSettings = {
  /** Whether results are kept, to be shown when a position is looked at again. */
  enabled?: boolean | null;
  /** Whether they are kept on disk as well. */
  onDisk?: boolean | null;
  /** The most room that they take there, in bytes, at least 1 MiB. */
  maxBytes?: number | null;
};

/** Canadian overtime. */
export type Canadian = {
  /** The stretch. */
  seconds: number;
  /** Moves in it. */
  stones: number;
};

/** Which request. */
export type Cancel = {
  /** The id of the request: a number or a string. */
  id: unknown;
};

/** Whether it was still running. */
export type Cancelled = {
  cancelled: boolean;
};

/** One candidate move. */
export type Candidate = {
  vertex: string;
  /** The engine's rank, 0 = best. */
  order: number;
  visits: number;
  /** Percent. */
  winrate: number;
  /** Points. */
  scoreLead?: number | null;
  /** Lower confidence bound of the win rate, percent; may be negative. */
  lcb?: number | null;
  /** Policy, percent. */
  prior?: number | null;
  /** Principal variation, passes included. */
  pv: string[];
  /** The move that this one mirrors. */
  isSymmetryOf?: string | null;
  /** What else the engine said, as it said it. */
  extra?: Record<string, string> | null;
};

/** Stones taken. */
export type Captures = {
  /** White stones that Black has taken; xiangqi: Red's pieces that Black has taken. */
  B: number;
  /** Black stones that White has taken. */
  W: number;
  /** Xiangqi: Black's pieces that Red has taken. */
  r?: number | null;
};

/** One change; without a range the whole text is new. */
export type Change = {
  range?: TextRange | null;
  text: string;
};

/** What a part of an edit is, for whoever looks it over. */
export type ChangeAnnotation = {
  /** For people. */
  label: string;
  /** The editor asks before it applies this part. */
  needsConfirmation: boolean;
};

/** What changed. */
export type ChangeDocument = {
  uri: string;
  version: number;
  /** Applied one after the other. */
  changes: Change[];
};

/** What an inaccuracy, a mistake and a blunder lose. */
export type ClassSteps = {
  /** Where the score is known. */
  points: number[];
  /** Elsewhere. */
  percent: number[];
};

/** The time of one side. */
export type ClockInfo = {
  /** Main time left. */
  mainMs: number;
  /** Left of the period or of the stretch. */
  overtimeMs: number;
  /** Periods left, or moves to make in the stretch. */
  count: number;
};

/** Which document. */
export type Close = {
  uri: string;
};

/** A colour on the wire. */
export type Color = "B" | "W";

/** What shall be different; nothing: only the settings are wanted. One of the fields at most. */
export type Configure = {
  /** Only these settings are answered; all when absent. */
  get?: string[] | null;
  /** Settings for this session alone, on top of all others. `initializationOptions` and `workspace/didChangeConfiguration` say the same, but replace what was set so before. */
  set?: Settings | null;
  /** One engine more in the user's settings file. */
  addEngine?: EngineSettings | null;
  /** Another engine in place of one in the user's settings file. */
  editEngine?: EditEngine | null;
  /** One engine less in the user's settings file. */
  removeEngine?: RemoveEngine | null;
};

/** A configured engine; its arguments stay private. */
export type Configured = {
  name: string;
  /** Empty for untrusted sessions. */
  path: string;
  protocol: string;
};

/** How far a pass is. */
export type Count = {
  /** Nodes that it is done with. */
  done: number;
  /** Nodes that it has to look at. */
  total: number;
};

/** The second pass: which nodes, how deep.
 * 
 * A move is looked at again, with the node before it, when it loses much or its values swing. */
export type Deeper = {
  /** Visits for each of its nodes. When neither this nor `seconds` is given: what is left of `budgetSeconds`, shared out evenly, else eight times `limit`. */
  visits?: number | null;
  /** Seconds for each of its nodes. */
  seconds?: number | null;
  /** A move that loses at least so much, in the unit of the row's loss; 2 points or 5 percent. */
  lossThreshold?: number | null;
  /** A move that changes the win rate, in either direction, by at least so many percent; 10. */
  swing?: number | null;
  /** At most this share of the nodes, those that matter most; 0.25. */
  share?: number | null;
};

/** Which engine, and how patient. */
export type Detach = {
  engineId: string;
  /** How long the engine may take to quit; as the settings say (3000) when absent. */
  timeoutMs?: number | null;
};

/** Which way a line went. */
export type Direction = "in" | "out" | "err" | "meta";

/** A document and its version. */
export type DocumentChange = {
  /** Its uri, as the client wrote it. */
  uri: string;
  /** Its version; absent when it was closed. */
  version?: number | null;
};

/** The changes of one document. */
export type DocumentEdit = {
  /** Which, at which version. */
  textDocument: VersionedDocument;
  /** In its coordinates. */
  edits: TextEdit[];
};

/** Which document: `{uri, version?}` (the session's open document; else, if trusted, the file on
 * disk) or `{text, languageId?}`. */
export type DocumentRef = {
  /** An open document, or a file. */
  uri?: string | null;
  /** Refuse with `StaleDocument` when the open document has another version. */
  version?: number | null;
  /** The text itself. */
  text?: string | null;
  /** `sgf` (default), `xiangqi-pgn` or `dhtmlxq`; only with `text`. */
  languageId?: string | null;
};

/** A text as the daemon has it. */
export type DocumentText = {
  text: string;
  /** The client's version; 0 for a file that is not open. */
  version: number;
  languageId: string;
};

/** An empty answer: done. */
export type Done = Record<string, never>;

/** The smallest change of a document: a `WorkspaceEdit` for editors, ranges for plain clients,
 * the new text for a text that came with the request. */
export type Edit = {
  /** LSP's form, made for a version. */
  documentChanges?: DocumentEdit[] | null;
  /** What its annotated parts are, by their ids; for editors that know annotations. */
  changeAnnotations?: Record<string, ChangeAnnotation> | null;
  /** For plain clients. */
  edits?: TextEdit[] | null;
  /** For `{text}` documents. */
  text?: string | null;
  /** Whether it is in the document already: the editor applied it, or the file was written. */
  applied?: boolean | null;
};

/** Which engine becomes which. */
export type EditEngine = {
  /** Its name now. */
  name: string;
  /** What it shall be, whole: fields that are absent are removed. */
  engine: EngineSettings;
};

/** Whether it was still running. */
export type Ended = {
  ended: boolean;
};

/** An engine and its state. */
export type EngineChange = {
  /** Its name in the session. */
  name: string;
  /** What it is doing now. */
  state: EngineState;
};

/** An engine as clients see it. */
export type EngineInfo = {
  /** The session's handle. */
  id: string;
  /** Unique in the session. */
  name: string;
  /** What the program calls itself. */
  program: string;
  /** Its version, as it says. */
  version: string;
  /** The version of GTP that it says it speaks, or `katago-json`. */
  protocol: string;
  /** The commands it lists. */
  commands: string[];
  /** Whether its program may be used by other clients as well, in turn. */
  shared: boolean;
  /** Whether it is there for demos only: say so wherever its numbers are shown. */
  demo: boolean;
  /** How many searches it takes at once; 1 for a GTP engine. */
  capacity: number;
  /** What it is doing. */
  state: EngineState;
  /** What it can do. */
  supports: Supports;
  /** Initial commands that it refused; for trusted sessions. */
  refused: RefusedCommand[];
};

/** One engine. Whatever is absent comes from the layer below, at last from its profile. */
export type EngineSettings = {
  /** How people call it; unique. */
  name: string;
  /** The program: a path, or a bare name that is looked up in PATH. The profile's when absent. */
  path?: string;
  /** Arguments: a list, or one string that is split like a shell does. When absent, those that make a known program speak GTP. */
  args?: Args | null;
  /** Working folder; by default the program's folder, or the client's workspace for a bare name. */
  cwd?: string | null;
  /** More environment variables. */
  env?: Record<string, string> | null;
  /** Commands sent after the start, separated by `;`. */
  commands?: string | null;
  /** `gtp` (default), `katago-json` for KataGo's analysis engine (`katago analysis`), or `builtin` for kifud's own Go engine, which needs no path; its arguments are those of `kifud gtp`. */
  protocol?: string | null;
  /** How many searches a `katago-json` engine is given at once; by default twice the positions that it says it analyses in parallel. */
  capacity?: number | null;
  /** The known program that it is, such as `katago`; else it is recognised. */
  profile?: string | null;
  /** For whom its win rates and scores are; by default for the side to move. */
  perspective?: Perspective | null;
  /** Whether clients may share one process of it; false by default. */
  shared?: boolean | null;
  /** Where it needs another patience than all others. */
  timeouts?: EngineTimeouts | null;
};

/** What an engine is doing. */
export type EngineState = "starting" | "ready" | "thinking" | "analysing" | "restarting" | "failed" | "stopped";

/** How long to wait for one engine. */
export type EngineTimeouts = {
  /** Milliseconds for an answer while it starts, 60000; renewed by each line it prints. */
  handshakeMs?: number | null;
  /** Milliseconds for the answer to a command, 30000. Moves and scores have no limit. */
  commandMs?: number | null;
  /** Milliseconds to quit by itself; as `quitTimeoutMs` when absent. */
  quitMs?: number | null;
};

/** Something that happened in the session, or the start or end of the stream. The field named like the
 * topic says what. */
export type Event = {
  /** Where the stream is. */
  state: StreamState;
  /** With `ended`: `stopped`, `cancelled`, `shutdown` or `panic`. */
  reason?: string | null;
  /** Events left out just before this one, because the client did not take them in time. */
  missed?: number | null;
  topic?: Topic | null;
  /** The engine that it is about. */
  engineId?: string | null;
  /** When it happened, milliseconds since 1970. */
  at?: number | null;
  /** True for lines from before the subscription. */
  past?: boolean | null;
  engine?: EngineChange | null;
  output?: OutputLine | null;
  /** As in `analysis/update`. */
  analysis?: unknown;
  /** As in `game/update`. */
  game?: unknown;
  documents?: DocumentChange | null;
  /** As in `$/progress`. */
  progress?: unknown;
};

/** In what form a report is told. */
export type Format = "json" | "table" | "markdown";

/** How editors' records are laid out. */
export type FormatStyle = "canonical" | "compact";

/** Which game. */
export type Game = "go" | "xiangqi";

/** A game in the list. */
export type GameInfo = {
  /** Its handle; of an unfinished game, the name of its journal. */
  gameId: string;
  /** Where it is. */
  state: ListedState;
  /** Who plays, or played. */
  players: Sides;
  /** The moves of this game, passes included. */
  moves: number;
  /** Who is to move. */
  toPlay: Color;
  /** The document that it is written into; absent when it has a record of its own. */
  document?: string | null;
  /** The file that it is journalled in. */
  journal?: string | null;
};

/** A game in numbers. */
export type GameReport = {
  /** Which game of the collection. */
  game: number;
  /** Its board. */
  size: BoardSize;
  /** Where the values come from. */
  source: Source;
  /** What an inaccuracy, a mistake and a blunder lose. */
  classes: ClassSteps;
  /** The last moves of opening and middle game. */
  phaseEnds: number[];
  /** The players. */
  players: Players;
};

/** Where a game is. */
export type GameState = "started" | "running" | "waiting" | "ended";

/** One game. */
export type GameTree = {
  /** Its index in the collection. */
  game: number;
  /** Which game it is; absent for others than Go and xiangqi. */
  kind?: Game | null;
  size: BoardSize;
  info: Info;
  /** In the order of the text: parents before children. */
  nodes: TreeNode[];
};

/** Something that happened in a game, or its start or end. */
export type GameUpdate = {
  state: GameState;
  /** With `ended`: `finished` (the verdict says how), `stopped`, `engineExited`, `refused`, `cancelled`, `shutdown` or `panic`. */
  reason?: string | null;
  /** The session's handle of the game. */
  gameId: string;
  /** Who is to move. */
  toPlay?: Color | null;
  /** Who plays, with `started` and after `game/setPlayers`. */
  players?: Sides | null;
  /** The move that was made. */
  move?: Move | null;
  /** The moves of this game, passes included. */
  moves?: number | null;
  /** Stones that the move took. */
  captured?: number | null;
  /** What the engine that made the move thinks of it, as Black sees it. */
  black?: BlackValue | null;
  /** The time that the sides have left. */
  clocks?: Sides2 | null;
  /** The change that writes this into the record; for a game without an open document, the whole record. */
  edit?: Edit | null;
  /** The node of the last move, once the change is made. */
  node?: Node | null;
  /** With `ended`: the result as records write it, `B+3.5`, `W+Resign`. */
  result?: string | null;
  /** With `ended`: how the game came to its end. */
  verdict?: Verdict | null;
  /** With a result in points: who has counted. */
  score?: Score | null;
  /** With `started`: the file that the game is journalled in until it ends. */
  journal?: string | null;
  /** With `ended`: what went wrong, as the error of a request. */
  error?: unknown;
};

/** The engine's move. */
export type Generated = {
  /** Absent when it resigns. */
  move?: Move | null;
  /** Stones taken. */
  captured: number;
  resign: boolean;
  pass: boolean;
  /** What the engine thought last, where it says so; about the board before the move. */
  analysis?: AnalysisUpdate | null;
  /** The change that writes the move into the record, when the position was a node of one: a node with SBKV and SBKS, or for a resignation the result. */
  edit?: Edit | null;
  /** The move's node, once the change is made. */
  node?: Node | null;
  revision: number;
};

/** Which engine shall play, where, for whom. */
export type Genmove = {
  engineId: string;
  /** The engine's own board when absent. */
  position?: Position | null;
  /** The side to move of the position when absent. */
  color?: Color | null;
  /** Refuse when the engine's board is at another revision. */
  ifRevision?: number | null;
};

/** One point of a heat map. */
export type HeatmapCell = {
  vertex: string;
  /** 1 to 9. */
  strength: number;
  /** Empty under 10 visits. */
  text: string;
};

/** Why a move is not legal. */
export type IllegalMove = {
  /** A stable code, such as `horse-leg`. */
  code: string;
  /** A sentence. */
  reason: string;
  /** The sentence in Chinese. */
  reasonZh: string;
};

/** What a game says about itself. */
export type Info = {
  black?: string | null;
  white?: string | null;
  /** Xiangqi: who has Red. */
  red?: string | null;
  blackRank?: string | null;
  whiteRank?: string | null;
  /** Effective komi; absent when the record does not tell. */
  komi?: number | null;
  handicap?: number | null;
  rules?: string | null;
  result?: string | null;
  date?: string | null;
  event?: string | null;
  round?: string | null;
  place?: string | null;
  name?: string | null;
};

/** A text on a point. */
export type Label = {
  vertex: string;
  text: string;
};

/** A language for people. */
export type Language = "zh" | "en";

/** The move that led to a board. */
export type LastMove = {
  /** Whose. */
  color: BoardColor;
  /** GTP spelling: `"Q16"`, `"pass"`; xiangqi: ICCS. */
  vertex: string;
  /** Xiangqi: in Chinese. */
  zh?: string | null;
  /** Xiangqi: in WXF. */
  wxf?: string | null;
};

/** When an analysis stops by itself. */
export type Limit = {
  /** After so many visits of the position. */
  visits?: number | null;
  /** After so many seconds. */
  seconds?: number | null;
};

/** How much the daemon takes on. */
export type LimitSettings = {
  /** Engines at once. */
  engines?: number | null;
  /** Sessions at once. */
  sessions?: number | null;
  /** Requests at once in a session. */
  requests?: number | null;
  /** Streams at once in a session. */
  streams?: number | null;
  /** Bytes of one document. */
  documentBytes?: number | null;
  /** Bytes of one document whose findings are looked for; of longer ones only the structure. */
  findingsBytes?: number | null;
  /** Bytes of one message on stdio and Unix sockets. */
  messageBytes?: number | null;
  /** Bytes of one message from an untrusted client (TCP). */
  untrustedMessageBytes?: number | null;
  /** Bytes of answers that wait for one client to read. */
  waitingBytes?: number | null;
  /** Connections of one address at once. */
  connections?: number | null;
  /** Seconds in which the headers of a request have to come. */
  headerSeconds?: number | null;
  /** Seconds after which a client at an address is dropped that reads nothing of what waits for it. */
  stallSeconds?: number | null;
};

/** The engines there are. */
export type List = {
  /** From the settings. */
  configured: Configured[];
  /** Attached by this session. */
  attached: EngineInfo[];
};

/** The games there are. */
export type List2 = {
  /** Those of this session, and for trusted sessions those that were left, oldest first. */
  games: GameInfo[];
};

/** Where a game of the list is. */
export type ListedState = "running" | "waiting" | "unfinished";

/** The log of what engines say and are told. */
export type LogSettings = {
  /** Whether it is written. */
  enabled?: boolean | null;
  /** Where. */
  folder?: string | null;
  /** The size of a file, bytes. */
  maxBytes?: number | null;
  /** The most files of one attached engine. */
  maxFiles?: number | null;
};

/** What a loss counts. */
export type LossUnit = "points" | "percent";

/** Something that the engine could not be told. */
export type Lost = {
  /** `komi`, `rules`, `history`, `ko` … */
  what: string;
  /** One sentence. */
  why: string;
};

/** The markup of a node; vertices in GTP spelling. */
export type Markup = {
  triangles: string[];
  squares: string[];
  circles: string[];
  crosses: string[];
  selected: string[];
  labels: Label[];
  arrows: string[][];
  lines: string[][];
  blackTerritory: string[];
  whiteTerritory: string[];
  dimmed: string[];
  /** Empty: the whole board. */
  visible: string[];
};

/** A stone or a pass on the wire. */
export type Move = {
  /** `"B"` or `"W"`. */
  color: Color;
  /** GTP spelling: `"Q16"`, `"pass"`. */
  vertex: string;
};

/** A node as kifud answers it. */
export type Node = {
  /** Index of the tree in the collection. */
  game: number;
  /** The child taken at each node from the root, run-compressed. */
  path: PathStep[];
};

/** The node there. */
export type NodeAt = {
  node: Node;
  range: TextRange;
};

/** A place in a text. */
export type NodeAtParams = {
  document: DocumentRef;
  position: TextPosition;
};

/** Which node: `{game, path}` or `{position}`, the node at a place in the text. */
export type NodeRef = {
  /** Index of the tree in the collection; 0 when absent. */
  game?: number | null;
  /** The child taken at each node from the root; `[]` is the root. */
  path?: PathStep[] | null;
  /** The node at this place of the text. */
  position?: TextPosition | null;
};

/** No params. */
export type Nothing = Record<string, never>;

/** A document to open. */
export type Open = {
  uri: string;
  /** `sgf` (default), `xiangqi-pgn` or `dhtmlxq`. */
  languageId?: string | null;
  text: string;
  /** 0 when absent. */
  version?: number | null;
};

/** Who speaks. */
export type OpenSession = {
  /** The client's name, for the log. */
  client: string;
  /** `utf-16` (default) or `utf-8`. */
  positionEncoding?: string | null;
};

/** A line that went over an engine's pipes, or a remark of kifud about them. */
export type OutputLine = {
  /** The engine's name in the session. */
  name: string;
  /** Which way it went. */
  direction: Direction;
  /** The line without its end, secrets replaced by `***`. */
  text: string;
  /** Bytes that were cut off a very long line. */
  cut?: number | null;
};

/** A player's moves of a phase. A move that gains loses nothing. */
export type PartReport = {
  /** Moves that both values are known of: before and after. */
  moves: number;
  /** Points lost a move, of those moves where the score is known. */
  meanPoints?: number | null;
  /** Percent of win rate lost a move. */
  meanPercent?: number | null;
  /** How many percent of the moves were the engine's choice, of those where that is known. */
  bestRate?: number | null;
  /** Moves of these classes. The engine's own choice is never one. */
  inaccuracies: number;
  /** The same. */
  mistakes: number;
  /** The same. */
  blunders: number;
};

/** A child's index, or "i*n": n times child i. */
export type PathStep = number | string;

/** For whom an engine's numbers are. */
export type Perspective = "sideToMove" | "black" | "white";

/** Which game, which move. */
export type Play = {
  gameId: string;
  /** A person's move; the vertex may be `pass` or `resign`. */
  move: Move;
};

/** A player: exactly one of the fields. */
export type Player = {
  /** An attached engine. */
  engineId?: string | null;
  /** A configured engine by its name: one that is attached and free, else it is started for the game. */
  engine?: string | null;
  /** True: a person, who moves with `game/play`. */
  human?: boolean | null;
};

/** Who plays a side. */
export type PlayerInfo = {
  /** The engine's name; absent for a person. */
  name?: string | null;
  /** The engine's handle. */
  engineId?: string | null;
  /** Whether a person plays. */
  human: boolean;
};

/** One player. */
export type PlayerReport = {
  /** As in the record. */
  name?: string | null;
  /** The whole game. */
  total: PartReport;
  /** Its first moves. */
  opening: PartReport;
  /** Those between. */
  middle: PartReport;
  /** Its last moves. */
  endgame: PartReport;
  /** The moves that lost most, the worst first; at most ten. */
  worst: WorstMove[];
};

/** Both players. */
export type Players = {
  /** Black. */
  B: PlayerReport;
  /** White. */
  W: PlayerReport;
};

/** A position: `{document, node}`, or spelled out. */
export type Position = {
  /** The record that holds it. */
  document?: DocumentRef | null;
  /** The node of the record; the root when absent. */
  node?: NodeRef | null;
  /** Which game, `go` when absent. */
  game?: Game | null;
  /** Go: the size of the board, 19 when absent. */
  boardSize?: BoardSize | null;
  /** Go: komi in points, 0 when absent. */
  komi?: number | null;
  /** Go: the rules' name, as the engine takes it. */
  rules?: string | null;
  /** Go: stones that stand before the first move. */
  setup?: Setup | null;
  /** Go: the moves; xiangqi: ICCS moves. */
  moves?: Move[] | null;
  /** Go: who moves next; the opponent of the last mover when absent. */
  toPlay?: Color | null;
  /** Xiangqi: the position. */
  fen?: string | null;
};

/** What shall change. */
export type RecordEditParams = {
  document: DocumentRef;
  /** Where; the root of the first game when absent. */
  node?: NodeRef | null;
  /** One after the other; each begins at the node where the one before it has come to. */
  ops: RecordOp[];
};

/** The change. */
export type RecordEdited = {
  /** For the client to make; absent when nothing changes. */
  edit?: Edit | null;
  /** Where the last change has come to, once all are made. */
  node: Node;
};

/** One change. */
export type RecordOp = {
  op: "setProperty";
  /** Its name. */
  name: string;
  /** What it says; several only in SGF. */
  values: string[];
} | {
  op: "removeProperty";
  /** Its name. */
  name: string;
} | {
  op: "addNode";
  /** A move of whoever is to move; xiangqi needs one. */
  move?: string | null;
  /** Properties of the new node. */
  props?: Record<string, string[]> | null;
} | {
  op: "removeNode";
} | {
  op: "promote";
};

/** A move to be made in a record. */
export type RecordPlayParams = {
  document: DocumentRef;
  /** Where it is played; the root of the first game when absent. */
  node?: NodeRef | null;
  /** GTP spelling (`Q16`, `pass`); in xiangqi any notation. */
  move: string;
  /** Whose move it is; who is to move when absent. */
  color?: BoardColor | null;
};

/** A move in a record. */
export type RecordPlayed = {
  /** The change for the client to make; absent when the move stands there already. */
  edit?: Edit | null;
  /** The move's node, once the change is made. */
  node: Node;
  /** Stones or pieces that it takes. */
  captured: number;
  /** The move. */
  move: LastMove;
};

/** An initial command that the engine refused. */
export type RefusedCommand = {
  /** What was sent. */
  command: string;
  /** What it said. */
  reply: string;
};

/** Which engine goes. */
export type RemoveEngine = {
  name: string;
};

/** What the engine said. */
export type Reply = {
  /** `=` rather than `?`. */
  ok: boolean;
  text: string;
  revision: number;
};

/** The report, or a text of it. */
export type ReportAnswer = {
  /** With `json`. */
  report?: GameReport | null;
  /** With `table` and `markdown`. */
  text?: string | null;
};

/** Of which game, in what form. */
export type ReportParams = {
  document: DocumentRef;
  /** Which game of the collection, 0 when absent. Its main line is told about. */
  game?: number | null;
  /** A move is listed among the worst when it loses at least so much: points where the score is known, else percent. When absent: what makes an inaccuracy, as the settings `blunders` say. */
  lossThreshold?: number | null;
  /** `json` when absent. */
  format?: Format | null;
};

/** Which analysis, and where to. */
export type Retarget = {
  subscription: string;
  position: Position;
  /** For whom; the side to move when absent. */
  color?: Color | null;
};

/** Which game, how thoroughly.
 * 
 * All nodes are searched within `limit`. In a second pass those that matter are searched once more,
 * deeper: asked for with `deeper` or `passes: 2`, and usual with `budgetSeconds`. */
export type Review = {
  document: DocumentRef;
  /** When absent: an attached engine that speaks `katago-json`, else a configured one, started for this review, else the first attached engine that can analyse. */
  engineId?: string | null;
  /** For each node in the first pass. When absent: one second, or a share of `budgetSeconds`. */
  limit?: Limit | null;
  /** Seconds for the whole review, the engine's start not counted. Without `limit` the first pass gets a third of them (all, when there is no second pass), shared out evenly between the nodes; the rest goes to the second pass. A search by visits that is under way when they are over is given up; one by seconds still waits for the engine's first word. */
  budgetSeconds?: number | null;
  /** 1 or 2. When absent: 2 with `deeper` or `budgetSeconds`, else 1. */
  passes?: number | null;
  /** The second pass. */
  deeper?: Deeper | null;
  /** Which game of the collection, 0 when absent. */
  game?: number | null;
  /** Also the variations of the record. */
  variations?: boolean | null;
  /** SBKV, SBKS and KFCA go into the record at the end. */
  write?: boolean | null;
  /** With `write`: at moves that lose at least so much, in the unit of the row's loss, the engine's better line is written as the last variation of the node before. */
  lossThreshold?: number | null;
  /** At most so many of these lines, the worst moves first, 10. */
  maxVariations?: number | null;
  /** At most so many moves in each of them, 10. */
  variationMoves?: number | null;
  /** Nodes that an earlier review has searched with the same engine and limits, but was stopped before it was finished, are not searched again; false when absent. Trusted sessions only. */
  resume?: boolean | null;
};

/** One node of a review, or its start or end. A later row of a node takes the place of its earlier ones. */
export type Row = {
  /** Where the stream is. */
  state: StreamState;
  /** With `ended`: `finished`, `budget` (the time was over before all was done), `stopped`, `cancelled`, `engineExited`, `refused` … */
  reason?: string | null;
  /** With `started`: how many nodes will be looked at. */
  total?: number | null;
  /** With `started`, when `resume` was asked for: how many of them need no search, since an earlier review has been there. */
  resumed?: number | null;
  /** With `started`: the engine's handle; one that was started for the review is let go with it. */
  engineId?: string | null;
  /** With `ended`: how many nodes have not been looked at. */
  left?: number | null;
  /** The node. */
  node?: Node | null;
  /** In which pass the row is sent, 1 or 2. */
  pass?: number | null;
  /** How far the pass is. */
  progress?: Count | null;
  /** Moves up to and with this node. */
  moveNumber?: number | null;
  /** The side whose chances the numbers are: who played, at set-up nodes who moves next. */
  color?: Color | null;
  /** The move of the node. */
  played?: string | null;
  /** After the move, percent. */
  winrate?: number | null;
  /** After the move, points. */
  scoreLead?: number | null;
  /** The same from Black's side. */
  black?: BlackValue | null;
  /** What the move lost against the position before it. */
  loss?: number | null;
  /** What `loss` counts. */
  lossUnit?: LossUnit | null;
  /** The engine's first choice in the position before the move. */
  best?: string | null;
  /** Visits spent on this node by its newest search. */
  visits?: number | null;
  /** Why this node has no numbers, or why the review ended early. */
  error?: unknown;
  /** With `ended`: the change that writes values and better lines into the record. */
  edit?: Edit | null;
};

/** Who has counted the points. */
export type Score = {
  /** How. */
  by: ScoreBy;
  /** With `finalScore`: the engine that has. */
  engineId?: string | null;
};

/** How points are counted. */
export type ScoreBy = "finalScore" | "area";

/** A raw command. */
export type Send = {
  engineId: string;
  /** One line of GTP, without id. */
  command: string;
  /** Refuse when the engine's board is at another revision. */
  ifRevision?: number | null;
};

/** A running analysis. */
export type SessionAnalysis = {
  /** The engine's name. */
  engine: string;
  visits: number;
  /** Black's, in percent. Trusted sessions see those of all, others only their own. */
  winrate?: number | null;
};

/** An attached engine. */
export type SessionEngine = {
  name: string;
  state: EngineState;
};

/** A session as others may know of it: numbers and the names of engines, never documents or positions. */
export type SessionInfo = {
  session: number;
  /** Whether it is the one that asks. */
  own: boolean;
  trusted: boolean;
  /** Since it was opened. */
  seconds: number;
  documents: number;
  /** Running now. */
  requests: number;
  /** Running now. */
  streams: number;
  engines: SessionEngine[];
  analyses: SessionAnalysis[];
};

/** Everybody who is there. */
export type Sessions = {
  /** In the order in which they came. */
  sessions: SessionInfo[];
};

/** Which game, who plays on. */
export type SetPlayers = {
  gameId: string;
  /** Black from now on; as before when absent. */
  black?: Player | null;
  /** White from now on; as before when absent. */
  white?: Player | null;
};

/** Settings of one layer: what is absent stays as the layers below have it. */
export type Settings = {
  /** The engines; those of the same name are merged. */
  engines?: EngineSettings[];
  /** Commands that start an analysis, best first: `analyze`, or an engine's own such as `kata-analyze`. */
  analyzeCommands?: string[] | null;
  /** Commands that analyse while they find a move, best first: `genmove_analyze`, or an engine's own. */
  genmoveAnalyzeCommands?: string[] | null;
  /** Milliseconds that an engine has to quit by itself. */
  quitTimeoutMs?: number | null;
  /** Milliseconds at least between two moves of a game of engines. */
  moveDelayMs?: number | null;
  /** Centiseconds between the reports of an analysis. */
  analysisInterval?: number | null;
  /** What heat maps show. */
  analysisType?: AnalysisType | null;
  /** How heat maps show it. */
  analysisValueType?: AnalysisValueType | null;
  /** How many of an engine's moves are written into a node beside its value (KFCA); 0: none. */
  storedCandidates?: number | null;
  /** Moves that a review has found to lose much, told as findings. */
  blunders?: BlunderSettings | null;
  /** How editors' records are laid out. */
  formatStyle?: FormatStyle | null;
  /** Addresses to listen on: file and command line only. */
  listen?: string[] | null;
  /** The file with the token that TCP clients must bring: file and command line only. */
  tokenFile?: string | null;
  /** Seconds that a shared daemon stays when its last client has left: file and command line only. */
  leaveAfterSeconds?: number | null;
  /** What an idle engine looks at by itself. */
  ahead?: AheadSettings | null;
  /** What is kept of what engines find: file and command line only. */
  cache?: CacheSettings | null;
  /** Seconds that an engine stays when its last client has gone: file and command line only. */
  keepEnginesSeconds?: number | null;
  /** Milliseconds that a client has an engine when others wait for it: file and command line only. */
  sliceMs?: number | null;
  /** The log of what engines say and are told: file and command line only. */
  log?: LogSettings | null;
  /** How much the daemon takes on: file and command line only. */
  limits?: LimitSettings | null;
};

/** The settings in force for this session. */
export type SettingsInForce = {
  /** By their names; the documentation lists them. Untrusted sessions see no more of the engines than their names. */
  settings: Record<string, never>;
  /** The user's settings file, for trusted sessions. */
  file?: string | null;
};

/** Stones that stand before the first move. */
export type Setup = {
  /** Black stones, GTP spelling. */
  B?: string[] | null;
  /** White stones, GTP spelling. */
  W?: string[] | null;
};

/** Which file. */
export type Share = {
  uri: string;
  /** True when absent; false: no longer. */
  shared?: boolean | null;
};

/** A side on the wire. */
export type Side = "r" | "b";

/** Something of both sides. */
export type Sides = {
  /** Black's. */
  B: PlayerInfo;
  /** White's. */
  W: PlayerInfo;
};

/** Something of both sides. */
export type Sides2 = {
  /** Black's. */
  B: ClockInfo;
  /** White's. */
  W: ClockInfo;
};

/** Where values come from. */
export type Source = "review" | "record";

/** Who plays, from where, under which conditions. */
export type Start = {
  /** Where the game begins; an empty 19x19 board when absent. */
  position?: Position | null;
  /** Black; when absent the first engine of the list that does not play White. */
  black?: Player | null;
  /** White; when absent the first engine of the list that does not play Black, else Black's. */
  white?: Player | null;
  /** The rules, over those of the position. */
  rules?: string | null;
  /** The time of each side; unlimited when absent. */
  time?: Time | null;
  /** The game is over after so many moves. */
  moveLimit?: number | null;
  /** At least between two moves when engines play each other; as the settings say (300) when absent. */
  moveDelayMs?: number | null;
  /** An unfinished game of `game/list`, taken up as it stood; beside it only `black` and `white` may be given, for other players. */
  resume?: string | null;
};

/** What is running. */
export type Status = {
  version: string;
  protocol: string;
  uptimeSeconds: number;
  sessions: number;
  engines: number;
  documents: number;
  /** Memory in use; 0 where the platform does not tell. */
  rssBytes: number;
};

/** What shall stop: one analysis, or whatever an engine analyses. */
export type StopParams = {
  engineId?: string | null;
  subscription?: string | null;
};

/** A stored analysis. Numbers are of the side to move, as in `analysis/update`. */
export type StoredAnalysis = {
  /** The property that it was read from; `C` for a comment. */
  source: string;
  /** Percent. */
  winrate?: number | null;
  /** Points. */
  scoreLead?: number | null;
  visits?: number | null;
  black: StoredBlack;
  /** The moves that the engine thought of, best first. */
  candidates: StoredCandidate[];
  /** The engine's line, where no candidates are stored. */
  pv: string[];
};

/** The same numbers from Black's side. */
export type StoredBlack = {
  /** Percent. */
  winrate?: number | null;
  /** Points. */
  scoreLead?: number | null;
};

/** A move that an engine thought of, with its mark in the heat map. */
export type StoredCandidate = {
  vertex: string;
  visits: number;
  /** Percent. */
  winrate: number;
  /** Points. */
  scoreLead?: number | null;
  black: BlackValue;
  pv: string[];
  /** 1 to 9. */
  strength: number;
  /** As the settings `analysisType` and `analysisValueType` say; empty under 10 visits. */
  text: string;
};

/** How an engine is brought to a position. */
export type Strategy = "none" | "extend" | "undo" | "replay" | "rearrange" | "rebuild";

/** Where a stream is. */
export type StreamState = "started" | "running" | "waiting" | "ended";

/** What to tell. */
export type Subscribe = {
  /** At least one. */
  topics: Topic[];
  /** Leaves out what other engines do. */
  engineId?: string | null;
};

/** What an engine can do. */
export type Supports = {
  /** Streams analysis. */
  analyze: boolean;
  /** Streams analysis while it thinks about a move. */
  genmoveAnalyze: boolean;
  /** Searches with an exact number of visits. */
  exactVisits: boolean;
  /** Takes moves back. */
  undo: boolean;
  /** Takes handicap stones as such. */
  handicap: boolean;
  /** Plays on boards that are not square. */
  rectangular: boolean;
  /** Takes a whole position at once. */
  setPosition: boolean;
  /** Reads SGF files. */
  loadSgf: boolean;
};

/** Which engine, which position. */
export type Sync = {
  engineId: string;
  position: Position;
};

/** How the engine was brought there. */
export type SyncResult = {
  /** `none`, `extend`, `undo`, `replay`, `rearrange` or `rebuild`. */
  strategy: Strategy;
  /** What was sent. */
  commands: string[];
  /** What the engine could not be told. */
  lost: Lost[];
  /** The komi in force. */
  komi?: number | null;
  /** The rules that were told, when they were. */
  rules?: string | null;
  /** Counts the changes of the engine's board. */
  revision: number;
};

/** A text. */
export type Text = {
  /** The text. */
  text: string;
};

/** The smallest change of a text that does what was asked. */
export type TextEdit = {
  /** What is replaced. */
  range: TextRange;
  /** By what. */
  newText: string;
  /** What it is part of: an id of the edit's `changeAnnotations`. */
  annotationId?: string | null;
};

/** Whose text. */
export type TextParams = {
  document: DocumentRef;
};

/** A place in a text: zero-based line, and column in the session's position encoding. */
export type TextPosition = {
  /** Line, from 0. */
  line: number;
  /** Column, from 0, in the session's encoding (UTF-16 by default). */
  character: number;
};

/** A stretch of text, end excluded. */
export type TextRange = {
  /** Where it starts. */
  start: TextPosition;
  /** Where it ends. */
  end: TextPosition;
};

/** The time of each side, in seconds. */
export type Time = {
  /** Main time. */
  main?: number | null;
  /** Periods after it; a move within one gives it back. */
  byoyomi?: Byoyomi | null;
  /** Stretches after it, each for a number of moves. */
  canadian?: Canadian | null;
};

/** What can be subscribed to. */
export type Topic = "engine" | "output" | "analysis" | "game" | "documents" | "progress";

/** The games of a record. */
export type Tree = {
  games: GameTree[];
  /** Ask again from this node; absent when nothing is left. */
  next?: number | null;
};

/** One node. */
export type TreeNode = {
  /** Its index in the document. */
  index: number;
  /** The node before it; absent for a root. */
  parent?: number | null;
  children: number[];
  range: TextRange;
  /** Values as written, between the brackets; properties of one name together. Xiangqi: the tags in the root; `move` as written, `comment`, `glyphs` (numbers of PGN). */
  props: Record<string, string[]>;
  /** With `paths`. */
  path?: PathStep[] | null;
  /** Xiangqi: the move in ICCS. */
  iccs?: string | null;
};

/** Which part of a record. */
export type TreeParams = {
  document: DocumentRef;
  /** The first node's index in the document, 0 when absent. */
  from?: number | null;
  /** At most so many nodes; 100000 when absent, and never more. Large nodes and long paths make it fewer. */
  limit?: number | null;
  /** Also every node's path. */
  paths?: boolean | null;
};

/** Why it is somebody's turn. */
export type TurnReason = "stated" | "nextMove" | "lastMove" | "handicap" | "opening";

/** Which stream. */
export type Unsubscribe = {
  subscription: string;
};

/** How a game came to its end. */
export type Verdict = {
  /** By what. */
  by: VerdictBy;
  /** The side that resigned, broke the rules, ran out of time or whose engine failed. */
  offender?: Color | null;
  /** With `illegalMove`: what the engine wanted to play, and why it may not. */
  why?: string | null;
};

/** What ends a game. */
export type VerdictBy = "resign" | "passes" | "time" | "illegalMove" | "moveLimit" | "engineExited";

/** A document at a version. */
export type VersionedDocument = {
  /** The client's name for it. */
  uri: string;
  /** The version that the edits fit; null for a file that is not open. */
  version?: number | null;
};

/** Which game. */
export type Which = {
  gameId: string;
};

/** A move that lost much. */
export type WorstMove = {
  /** Its node. */
  node: Node;
  /** Which move of the game, from 1. */
  moveNumber: number;
  /** What was played. */
  played: string;
  /** What it lost. */
  loss: number;
  /** Of what. */
  lossUnit: LossUnit;
  /** `inaccuracy`, `mistake` or `blunder`; absent below all of them. */
  class?: string | null;
  /** What the engine would have played, where that is known. */
  best?: string | null;
  /** How the engine would have gone on. */
  pv: string[];
};

/** When values go into the record. */
export type WriteBackWhen = "never" | "end";

/** The best move that was found. */
export type XiangqiBest = {
  /** Always legal; `null` when there is no legal move. */
  move?: XiangqiMove | null;
  /** Centipawns, + = good for the side to move. */
  score: number;
  /** Moves to mate: + when the side to move mates. */
  mate?: number | null;
  /** The last complete iteration, in plies; 0 when there is no legal move. */
  depth: number;
  /** Positions looked at. */
  nodes: number;
  /** The line that is expected, in ICCS. */
  pv: string[];
  /** The line in Chinese. */
  pvZh: string[];
};

/** A position as plain data, as `xiangqi/position` answers it; or a node of a record. */
export type XiangqiBoard = {
  /** 90 points, row by row from Black's back rank: a FEN letter, or `""`. */
  board?: string[];
  /** Who is to move; with `board`. */
  turn?: Side;
  /** Plies since the last capture; 0 when absent. */
  halfmove?: number | null;
  /** Number of the pair of moves; 1 when absent. */
  fullmove?: number | null;
  /** May come back as answered; an error when it says something else than the board. */
  fen?: string | null;
  /** May come back as answered; not read. */
  key?: string | null;
  /** May come back as answered; not read. */
  inCheck?: boolean | null;
  /** Instead of all that: the record that holds the position. Its moves count as the history where none is given. */
  document?: DocumentRef | null;
  /** The node of the record; the start of its first game when absent. */
  node?: NodeRef | null;
};

/** A capture that a move newly threatens. */
export type XiangqiChase = {
  /** The FEN letter of the piece that could capture. */
  hunter: string;
  /** Where it stands. */
  from: string;
  /** The FEN letter of the piece that could be captured. */
  prey: string;
  /** Where it stands. */
  at: string;
  /** Whether every reading of the rules calls it a chase. */
  certain: boolean;
};

/** What made a position come again. */
export type XiangqiCycle = {
  /** The plies, in order. */
  plies: XiangqiPly[];
};

/** What shall be told of a position. */
export type XiangqiDescribeParams = {
  /** The position. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** The move that led here, in ICCS; the history's last when absent. */
  lastMove?: string | null;
  /** The game so far. */
  history?: XiangqiHistory | null;
  /** The legal moves; true when absent. */
  includeMoves?: boolean | null;
  /** An evaluation; false when absent. */
  includeEval?: boolean | null;
  /** The board as a picture of characters; true when absent. */
  ascii?: boolean | null;
  /** At most so many moves, 80 when absent: captures first, then checks, then the others. */
  maxMoves?: number | null;
  /** The language; when absent the client's, and Chinese when it has not named any. */
  language?: Language | null;
  /** Whose rules decide about repetitions; `asian` when absent. */
  rules?: XiangqiRules | null;
};

/** A position by rules of thumb. */
export type XiangqiEvaluation = {
  /** Centipawns, + = good for the side to move; the sum of the breakdown. A teaching aid, not an engine's verdict. */
  score: number;
  /** Item by item. */
  breakdown: XiangqiEvaluationItem[];
  /** One sentence. */
  summary: string;
  /** The sentence in Chinese. */
  summaryZh: string;
  /** Who has more of what, in Chinese. */
  materialZh: string;
};

/** One item of an evaluation. */
export type XiangqiEvaluationItem = {
  /** A stable name, such as `material`. */
  id: string;
  /** The name in Chinese. */
  nameZh: string;
  /** Centipawns, + = good for the side to move. */
  score: number;
  /** What each side gets for what. */
  detail: string;
  /** The same in Chinese. */
  detailZh: string;
};

/** A move to be written. */
export type XiangqiFormatParams = {
  /** The position. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** The move. */
  move: XiangqiMoveText;
};

/** A move in every notation. */
export type XiangqiFormatted = {
  /** `h2e2`. */
  iccs: string;
  /** `h3e3`. */
  uci: string;
  /** 炮二平五. */
  zh: string;
  /** `C2=5`. */
  wxf: string;
  /** The move taken apart. */
  parts: XiangqiMoveParts;
};

/** A point that blocks a piece when something stands there. */
export type XiangqiGate = {
  /** The point. */
  at: string;
  /** Whether a piece stands there. */
  blocked: boolean;
  /** Where the way leads. */
  to: string[];
};

/** A game so far: a start, and the moves that lead to the position asked about. */
export type XiangqiHistory = {
  /** Where it began; the start of a game when absent. */
  fen?: string | null;
  /** In ICCS. */
  moves: string[];
};

/** A move with all its names. */
export type XiangqiMove = {
  /** `h2e2`: ranks 0 to 9. */
  iccs: string;
  /** `h3e3`: ranks 1 to 10. */
  uci: string;
  /** 炮二平五. */
  zh: string;
  /** `C2=5`. */
  wxf: string;
  /** Index of the point it leaves: row * 9 + column, row 0 is Black's back rank. */
  from: number;
  /** Index of the point it goes to. */
  to: number;
  /** The FEN letter of the piece. */
  piece: string;
  /** The FEN letter of the piece it takes, or `""`. */
  captured: string;
  /** Whether it gives check. */
  check: boolean;
  /** Why it is not legal; only in the list of pseudo-legal moves. */
  illegal?: IllegalMove | null;
};

/** A move taken apart as Chinese notation says it. */
export type XiangqiMoveParts = {
  /** The character on the piece. */
  piece: string;
  /** 前, 中, 后 or 一 to 五, where several of a kind share a file. */
  ordinal?: string | null;
  /** The file it leaves, 1 to 9 from its side's right. */
  file: number;
  /** `advance` 进, `retreat` 退 or `traverse` 平. */
  action: string;
  /** The file it goes to, or, for a piece that goes straight ahead or back, its steps. */
  target: number;
};

/** A move in any notation, or the indices of its two points. */
export type XiangqiMoveText = string | {
  from: number;
  to: number;
};

/** The moves of a position. */
export type XiangqiMoves = {
  /** By index of from and to. */
  moves: XiangqiMove[];
  /** Whether the side to move is in check. */
  inCheck: boolean;
};

/** Which moves. */
export type XiangqiMovesParams = {
  /** The position. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** Also the moves that would leave the own king attacked, with the reason. */
  pseudo?: boolean | null;
};

/** How a text names a move. */
export type XiangqiNotation = "iccs" | "uci" | "zh" | "wxf";

/** A text that names a move. */
export type XiangqiParseParams = {
  /** The position. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** `h2e2`, 炮二平五, `C2.5` … */
  text: string;
  /** How the text names it; found out when absent. */
  notation?: XiangqiNotation | null;
};

/** The move that a text names. */
export type XiangqiParsed = {
  /** The move, always legal. */
  move: XiangqiMove;
};

/** Lines of play of one length. */
export type XiangqiPerft = {
  /** All of them. */
  nodes: number;
  /** Those that end with a capture. */
  captures: number;
  /** Those that end with a check. */
  checks: number;
  /** Those that end with mate. */
  mates: number;
  /** What it took. */
  seconds: number;
  /** Nodes by the first move, in ICCS. */
  divide?: Record<string, number> | null;
};

/** What shall be counted. */
export type XiangqiPerftParams = {
  /** The position; the start when neither is given. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** Plies, 1 to 8. */
  depth: number;
  /** Also the nodes behind each legal move. */
  divide?: boolean | null;
};

/** A move to be made. */
export type XiangqiPlayParams = {
  /** The position. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** The move. */
  move: XiangqiMoveText;
  /** How the text names it; found out when absent. */
  notation?: XiangqiNotation | null;
  /** The game so far, for the status after the move. */
  history?: XiangqiHistory | null;
  /** Whose rules decide about repetitions; `asian` when absent. */
  rules?: XiangqiRules | null;
};

/** A move that was made. */
export type XiangqiPlayed = {
  /** The position after it. */
  fen: string;
  /** The move. */
  move: XiangqiMove;
  /** The FEN letter of the piece it took, or `""`. */
  captured: string;
  /** The state after it. */
  status: XiangqiStatus;
};

/** One ply of a cycle and how it was classed. */
export type XiangqiPly = {
  /** Its number in the history, from 1. */
  ply: number;
  /** Who moved. */
  side: Side;
  /** In ICCS. */
  iccs: string;
  /** In Chinese. */
  zh: string;
  /** `check`, `chase`, `unclear` or `idle`. */
  class: string;
  /** What it does, in words. */
  detail: string;
  /** The same in Chinese. */
  detailZh: string;
  /** The captures that it newly threatens. */
  chases: XiangqiChase[];
};

/** A position in full. */
export type XiangqiPosition = {
  /** In the `n`/`b` dialect. */
  fen: string;
  /** What repeats when a position repeats: pieces and side to move. */
  key: string;
  /** 90 points, row by row from Black's back rank: a FEN letter, or `""`. */
  board: string[];
  /** Who is to move. */
  turn: Side;
  /** Plies since the last capture. */
  halfmove: number;
  /** Number of the pair of moves, from 1. */
  fullmove: number;
  /** Whether the side to move is in check. */
  inCheck: boolean;
};

/** A position, by its FEN or as plain data. */
export type XiangqiPositionParams = {
  /** The position; the start when neither is given. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
};

/** Whose rules decide about repetitions. */
export type XiangqiRules = "basic" | "asian" | "chinese";

/** What shall be searched, and how long. */
export type XiangqiSearchParams = {
  /** The position. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** The game so far, so that repetitions are seen. */
  history?: XiangqiHistory | null;
  /** Plies, at most 64. 4 when neither depth nor time is given. */
  depth?: number | null;
  /** Milliseconds, at most 600000. 300 when neither depth nor time is given. */
  timeMs?: number | null;
  /** Decides between moves of equal value; 1 when absent. */
  seed?: number | null;
};

/** What there is to know about a point. */
export type XiangqiSquare = {
  /** The FEN letter of the piece, or `""`. */
  piece: string;
  /** The piece in Chinese, or `""`. */
  nameZh: string;
  /** The points of enemy pieces that could capture here; of both sides on an empty point. */
  attackers: string[];
  /** The points of pieces of the same side that could capture back; empty on an empty point. */
  protectors: string[];
  /** Where the piece may legally go; empty when it is not its turn. */
  legalTo: string[];
  /** Whose palace the point is in. */
  inPalace?: Side | null;
  /** Whether the piece has crossed the river. */
  crossedRiver: boolean;
  /** For a horse: the points that block it, each with where it then cannot go. */
  horseLegs: XiangqiGate[];
  /** For an elephant: the same. */
  elephantEyes: XiangqiGate[];
};

/** A point of a position. */
export type XiangqiSquareParams = {
  /** The position. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** The point, in ICCS. */
  square: string;
};

/** The state of a game. */
export type XiangqiStatus = {
  /** `playing`, `check`, `checkmate`, `stalemate` (a loss), `draw-repetition`, `draw-fifty`, `draw-perpetual-check` and `perpetual-chase` (who offends loses; without a `winner` both do, a draw) or `undecided`. */
  state: string;
  /** Who has won. */
  winner?: Side | null;
  /** Why, as a stable code such as `perpetual-check`. */
  code: string;
  /** One sentence. */
  reason: string;
  /** The sentence in Chinese. */
  reasonZh: string;
  /** How often the position has stood, this time included; 1 without a history. */
  repetitions: number;
  /** What was played since the first of the counted occurrences. */
  cycle?: XiangqiCycle | null;
};

/** What the state is asked of. */
export type XiangqiStatusParams = {
  /** The position. */
  fen?: string | null;
  /** The position as plain data, instead of `fen`. */
  position?: XiangqiBoard | null;
  /** The game so far, for repetitions. */
  history?: XiangqiHistory | null;
  /** `asian` when absent. */
  rules?: XiangqiRules | null;
  /** How often a position has to stand before it is ruled; 3 when absent, at least 2. */
  occurrences?: number | null;
  /** Plies without a capture that make a draw; 120 when absent, 0: no number does. */
  moveLimit?: number | null;
};

/** An iteration of a search, or its end. */
export type XiangqiUpdate = {
  /** `started`, `running`, and once, last, `ended`. */
  state: StreamState;
  /** Why it ended: `limit`, `cancelled`, `refused` (too many computations), `shutdown`, `panic`. */
  reason?: string | null;
  /** Always legal; `null` when there is no legal move. */
  move?: XiangqiMove | null;
  /** Centipawns, + = good for the side to move. */
  score?: number;
  /** Moves to mate: + when the side to move mates. */
  mate?: number | null;
  /** The last complete iteration, in plies; 0 when there is no legal move. */
  depth?: number;
  /** Positions looked at. */
  nodes?: number;
  /** The line that is expected, in ICCS. */
  pv?: string[];
  /** The line in Chinese. */
  pvZh?: string[];
};

/** Every method: its params and its result; streams also their event. */
export interface Methods {
  /** Analyses every node of a game, a row a node; then, where asked for, once more and deeper where a move lost much or the values swing. A later row of a node takes the place of its earlier ones. */
  "analysis/game": { params: Review; result: string; eventMethod: "analysis/row"; event: Row };
  /** A reviewed game in numbers: what each player lost in each phase, and the worst moves. From what reviews of this session have found; when there are none, from the values that the record has. */
  "analysis/report": { params: ReportParams; result: ReportAnswer };
  /** Moves a running analysis to another position, once no newer retarget has come for 250 ms; afterwards it tells only of that one. The older ones are answered Cancelled. */
  "analysis/retarget": { params: Retarget; result: SyncResult };
  /** Changes an open document, one change after the other. */
  "document/change": { params: ChangeDocument; result: Done };
  /** Closes a document. */
  "document/close": { params: Close; result: Done };
  /** Opens a document. */
  "document/open": { params: Open; result: Done };
  /** Lets untrusted sessions read a file, for as long as this session is there. */
  "document/share": { params: Share; result: Done };
  /** The text of a document as the daemon has it. */
  "document/text": { params: TextParams; result: DocumentText };
  /** Analyses a position until it is stopped or a limit is reached. */
  "engine/analyze": { params: Analyze; result: string; eventMethod: "analysis/update"; event: AnalysisUpdate };
  /** Starts an engine. */
  "engine/attach": { params: Attach; result: AttachedEngine };
  /** Lets an engine go: quit, then force. */
  "engine/detach": { params: Detach; result: Done };
  /** Lets an engine play a move. */
  "engine/genmove": { params: Genmove; result: Generated };
  /** The engines that are configured and attached. */
  "engine/list": { params: Nothing; result: List };
  /** Sends a command as it stands. */
  "engine/send": { params: Send; result: Reply };
  /** Stops an analysis. */
  "engine/stop": { params: StopParams; result: Done };
  /** Puts an engine on a position. */
  "engine/sync": { params: Sync; result: SyncResult };
  /** Tells what happens in this session: engines, their output, analyses, games, documents, progress. */
  "events/subscribe": { params: Subscribe; result: string; eventMethod: "events/event"; event: Event };
  /** The games of the session, and those that were left unfinished. */
  "game/list": { params: Nothing; result: List2 };
  /** Stops the clocks of a game and takes an engine's turn back. */
  "game/pause": { params: Which; result: Done };
  /** A person's move, pass or resignation in a game. */
  "game/play": { params: Play; result: Done };
  /** Goes on: the side to move begins its turn anew. */
  "game/resume": { params: Which; result: Done };
  /** Lets others play on: take over, hand over, swap. */
  "game/setPlayers": { params: SetPlayers; result: Done };
  /** Plays a game of engines and people from a position, or takes up one that was left; its record grows move by move. */
  "game/start": { params: Start; result: string; eventMethod: "game/update"; event: GameUpdate };
  /** Ends a game without a result; throws an unfinished one away. */
  "game/stop": { params: Which; result: Done };
  /** Cancels a running request of this session. */
  "kifud/cancel": { params: Cancel; result: Cancelled };
  /** The settings: asked for, set for this session, or engines changed in the user's file. */
  "kifud/configure": { params: Configure; result: SettingsInForce };
  /** Who is there, and what runs for them. */
  "kifud/sessions": { params: Nothing; result: Sessions };
  /** Version, uptime and what is running. */
  "kifud/status": { params: Nothing; result: Status };
  /** Ends a stream of this session. */
  "kifud/unsubscribe": { params: Unsubscribe; result: Ended };
  /** The board at a node. */
  "record/board": { params: BoardParams; result: BoardAnswer };
  /** Changes of properties, nodes and variations: the smallest change of the text, for the client to make. */
  "record/edit": { params: RecordEditParams; result: RecordEdited };
  /** The node at a place of the text. */
  "record/nodeAt": { params: NodeAtParams; result: NodeAt };
  /** A move at a node: the change of the text for the client to make. Xiangqi takes any notation and writes that of the game. */
  "record/play": { params: RecordPlayParams; result: RecordPlayed };
  /** The nodes of a record and their properties. */
  "record/tree": { params: TreeParams; result: Tree };
  /** This table as an OpenRPC document. */
  "rpc.discover": { params: Nothing; result: unknown };
  /** Names the client and how its columns count. */
  "session/open": { params: OpenSession; result: Done };
  /** Tells a position in words. */
  "xiangqi/describe": { params: XiangqiDescribeParams; result: Text };
  /** Evaluates a position by rules of thumb, item by item. */
  "xiangqi/evaluate": { params: XiangqiPositionParams; result: XiangqiEvaluation };
  /** Writes a move in every notation. */
  "xiangqi/format": { params: XiangqiFormatParams; result: XiangqiFormatted };
  /** Makes a move and tells the state after it. */
  "xiangqi/move": { params: XiangqiPlayParams; result: XiangqiPlayed };
  /** The legal moves, in every notation. */
  "xiangqi/moves": { params: XiangqiMovesParams; result: XiangqiMoves };
  /** Finds the legal move that a text names. */
  "xiangqi/parse": { params: XiangqiParseParams; result: XiangqiParsed };
  /** Counts lines of play. */
  "xiangqi/perft": { params: XiangqiPerftParams; result: XiangqiPerft };
  /** Reads a position and gives it in every form. */
  "xiangqi/position": { params: XiangqiPositionParams; result: XiangqiPosition };
  /** Looks for the best move. */
  "xiangqi/search": { params: XiangqiSearchParams; result: XiangqiBest };
  /** What there is to know about a point. */
  "xiangqi/square": { params: XiangqiSquareParams; result: XiangqiSquare };
  /** The state of a game, with its reason. */
  "xiangqi/status": { params: XiangqiStatusParams; result: XiangqiStatus };
  /** Looks for the best move and tells every iteration. */
  "xiangqi/think": { params: XiangqiSearchParams; result: string; eventMethod: "xiangqi/update"; event: XiangqiUpdate };
}
