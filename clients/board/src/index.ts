/** Boards, graphs and game trees of Go and xiangqi. `README.md` tells how to use them. */
export { createBoard, type Board, type BoardOptions, type Theme } from './board';
export { createComments, type Comments, type CommentOptions, type CommentState } from './comments';
export { paletteOf, type Palette, svgFile } from './export';
export { goShapes } from './go';
export { createGraph, type Graph, type GraphOptions } from './graphview';
export { graphShapes, type GraphPoint, type GraphState, type GraphView } from './graph';
export { fit, type Grid } from './grid';
export { createPlayers, type Players, type PlayersOptions, type PlayersState, type PlayerSide } from './players';
export { playOut, type Played, type PlayOut } from './playout';
export { type Shape, toText } from './shape';
export { type Arrow, type BoardState, type Ghost, type GoState, type Line, type Variation, type View, VIEW, type XiangqiState } from './state';
export { STYLE } from './style';
export { createTree, type NodeMark, type Tree, type TreeOptions } from './treeview';
export { TreeLayout } from './tree';
export { parseMove, parseSquare, parseVertex, squareName, vertexName } from './vertex';
export { xiangqiShapes } from './xiangqi';
