/** Where the nodes of a game tree stand. Pages of `record/tree` are added as they come; nothing is laid out twice.
 *
 * A node's depth counts from the root. A line of play (each node the first child of the one before) keeps to one lane;
 * a variation takes the first lane below everything that is laid out over its whole length. */
import type { TreeNode } from '../../../protocol/types';

export type NodeKind = 'B' | 'W' | 'setup' | 'root';

/** What there is to know about a node. */
export interface Placed {
  readonly index: number;
  readonly depth: number;
  readonly lane: number;
  readonly kind: NodeKind;
  /** Moves up to and with this node. */
  readonly moveNumber: number;
  /** The move as the record writes it. */
  readonly move: string | undefined;
  readonly comment: boolean;
}

export interface Window {
  readonly fromDepth: number;
  readonly toDepth: number;
  readonly fromLane: number;
  readonly toLane: number;
}

/** From a node to its child; or, with `trunk`, along the lanes from a node to its last child. */
export interface Edge {
  readonly depth: number;
  readonly lane: number;
  readonly toLane: number;
  readonly trunk: boolean;
}

interface Chain {
  readonly nodes: number[];
  readonly start: number;
  /** What was taken, and how many lanes, before the chain was laid out. */
  before: { readonly taken: readonly number[]; readonly lanes: number } | undefined;
}

export class TreeLayout {
  private base: number | undefined;
  private readonly parents: number[] = [];
  private readonly children: (readonly number[])[] = [];
  private readonly depths: number[] = [];
  private readonly lanes: number[] = [];
  private readonly kinds: NodeKind[] = [];
  private readonly numbers: number[] = [];
  private readonly moves: (string | undefined)[] = [];
  private readonly comments: boolean[] = [];
  /** The nodes of each depth, by lane. */
  private readonly byDepth: number[][] = [];
  /** The last lane of each depth that is in use, by a node or by the way to one. */
  private readonly taken: number[] = [];
  private open: Chain | undefined;
  /** Lanes in use. */
  lanesUsed = 0;

  get size(): number {
    return this.parents.length;
  }

  get depthsUsed(): number {
    return this.byDepth.length;
  }

  /** The next nodes in the order of the text. Those of several games stand below each other. */
  append(nodes: readonly TreeNode[]): void {
    for (const node of nodes) {
      this.base ??= node.index;
      const own = node.index - this.base;
      const parent = node.parent == null ? -1 : node.parent - this.base;
      this.add(own, parent, node);
      const line = this.open;
      if (line && parent >= 0 && line.nodes.at(-1) === parent && this.children[parent]![0] === own) {
        this.lift(line);
        line.nodes.push(own);
      } else {
        this.settle();
        this.open = { nodes: [own], start: this.depths[own]!, before: undefined };
      }
    }
    this.settle();
  }

  private add(own: number, parent: number, node: TreeNode): void {
    const { props } = node;
    const kind = props.B ? 'B' : props.W ? 'W' : parent < 0 ? 'root' : 'setup';
    const played = kind === 'B' || kind === 'W';
    this.parents[own] = parent;
    this.children[own] = node.children.map((child) => child - this.base!);
    this.depths[own] = parent < 0 ? 0 : this.depths[parent]! + 1;
    this.kinds[own] = kind;
    this.numbers[own] = (parent < 0 ? 0 : this.numbers[parent]!) + (played ? 1 : 0);
    this.moves[own] = played ? props[kind]![0] : undefined;
    this.comments[own] = Boolean(props.C);
  }

  /** Lays the open chain out; it stays open, in case that the next page goes on with it. */
  private settle(): void {
    const chain = this.open;
    if (!chain || chain.before) {
      return;
    }
    const { nodes, start } = chain;
    const parent = this.parents[nodes[0]!]!;
    let lane = parent < 0 ? this.lanesUsed : this.lanes[parent]!;
    for (let depth = start; depth < start + nodes.length; depth += 1) {
      lane = Math.max(lane, (this.taken[depth] ?? -1) + 1);
    }
    // From the parent's depth on: the way to the chain takes lanes there.
    chain.before = { taken: this.taken.slice(Math.max(start - 1, 0), start + nodes.length), lanes: this.lanesUsed };
    if (parent >= 0) {
      this.taken[start - 1] = Math.max(this.taken[start - 1]!, lane - 1);
    }
    nodes.forEach((own, step) => {
      this.lanes[own] = lane;
      (this.byDepth[start + step] ??= []).push(own);
      this.taken[start + step] = lane;
    });
    this.lanesUsed = Math.max(this.lanesUsed, lane + 1);
  }

  private lift(chain: Chain): void {
    if (!chain.before) {
      return;
    }
    const first = Math.max(chain.start - 1, 0);
    chain.nodes.forEach((_, step) => this.byDepth[chain.start + step]!.pop());
    for (let depth = first; depth < chain.start + chain.nodes.length; depth += 1) {
      this.taken[depth] = chain.before.taken[depth - first] ?? -1;
    }
    this.lanesUsed = chain.before.lanes;
    chain.before = undefined;
  }

  at(index: number): Placed | undefined {
    const own = index - (this.base ?? 0);
    return this.parents[own] === undefined ? undefined : this.placed(own);
  }

  private placed(own: number): Placed {
    return {
      index: own + this.base!,
      depth: this.depths[own]!,
      lane: this.lanes[own]!,
      kind: this.kinds[own]!,
      moveNumber: this.numbers[own]!,
      move: this.moves[own],
      comment: this.comments[own]!,
    };
  }

  parentOf(index: number): number | undefined {
    const parent = this.parents[index - (this.base ?? 0)];
    return parent === undefined || parent < 0 ? undefined : parent + this.base!;
  }

  /** Children that have come already. */
  childrenOf(index: number): number[] {
    const children = this.children[index - (this.base ?? 0)] ?? [];
    return children.filter((child) => this.parents[child] !== undefined).map((child) => child + this.base!);
  }

  /** From the root to a node. */
  wayTo(index: number): number[] {
    const way: number[] = [];
    for (let own = index - (this.base ?? 0); own >= 0 && this.parents[own] !== undefined; own = this.parents[own]!) {
      way.push(own + this.base!);
    }
    return way.reverse();
  }

  visible(window: Window): { nodes: Placed[]; edges: Edge[] } {
    const nodes: Placed[] = [];
    const edges: Edge[] = [];
    const last = Math.min(window.toDepth, this.byDepth.length - 1);
    for (let depth = Math.max(window.fromDepth - 1, 0); depth <= last; depth += 1) {
      const column = this.byDepth[depth]!;
      const first = this.firstFrom(column, window.fromLane);
      // The trunk of the node just above the window may run through it; no other can.
      for (let place = Math.max(first - 1, 0); place < column.length && this.lanes[column[place]!]! <= window.toLane; place += 1) {
        const own = column[place]!;
        this.trunk(own, edges);
        if (place >= first && depth >= window.fromDepth) {
          nodes.push(this.placed(own));
        }
      }
      if (depth >= window.fromDepth) {
        this.twigs(column, first, window.toLane, edges);
      }
    }
    const beyond = this.byDepth[last + 1];
    if (beyond) {
      this.twigs(beyond, this.firstFrom(beyond, window.fromLane), window.toLane, edges);
    }
    return { nodes, edges };
  }

  private firstFrom(column: readonly number[], lane: number): number {
    let low = 0;
    let high = column.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      this.lanes[column[middle]!]! < lane ? (low = middle + 1) : (high = middle);
    }
    return low;
  }

  private trunk(own: number, edges: Edge[]): void {
    const last = this.children[own]!.findLast((child) => this.lanes[child] !== undefined);
    if (last !== undefined && this.lanes[last]! > this.lanes[own]!) {
      edges.push({ depth: this.depths[own]!, lane: this.lanes[own]!, toLane: this.lanes[last]!, trunk: true });
    }
  }

  /** The last piece of the way from parents to the nodes of one depth. */
  private twigs(column: readonly number[], first: number, toLane: number, edges: Edge[]): void {
    for (let place = first; place < column.length; place += 1) {
      const own = column[place]!;
      const lane = this.lanes[own]!;
      if (lane > toLane) {
        break;
      }
      const parent = this.parents[own]!;
      if (parent >= 0) {
        edges.push({ depth: this.depths[parent]!, lane: this.lanes[parent]!, toLane: lane, trunk: false });
      }
    }
  }
}
