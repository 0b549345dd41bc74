import { useEffect, useState } from 'react';
import type { NodesQuery } from './nodes.graphql.ts';

export type ShownNode = NonNullable<NonNullable<NodesQuery['installation']>['nodes']>[number];

/** A node with its state on this page: one that left the list since has stopped. */
export type SeenNode = Omit<ShownNode, 'state'> & { readonly state: ShownNode['state'] | 'STOPPED' };

/** Most moments that are kept: two hours at a moment every ten seconds. */
const momentsMax = 720;

/** Values of one moment, by node. */
interface Moment {
  readonly at: number;
  readonly lag: Readonly<Record<string, number>>;
  readonly memory: Readonly<Record<string, number>>;
}

export interface NodeHistory {
  /** Those of the answer, and those that were seen before and have stopped. */
  readonly nodes: readonly SeenNode[];
  readonly moments: readonly Moment[];
}

/** Remembers what nodes told while the page is open. The gateway keeps the latest alone. */
export function useNodeHistory(nodes: readonly ShownNode[] | undefined): NodeHistory {
  const [history, setHistory] = useState<NodeHistory>({ nodes: [], moments: [] });
  useEffect(() => {
    if (nodes !== undefined) setHistory((now) => withAnswer(now, nodes));
  }, [nodes]);
  return history;
}

function withAnswer({ nodes: known, moments }: NodeHistory, nodes: readonly ShownNode[]): NodeHistory {
  const ids = new Set(nodes.map(({ nodeId }) => nodeId));
  const stopped = known
    .filter(({ nodeId }) => !ids.has(nodeId))
    .map((node): SeenNode => (node.state === 'GONE' ? node : { ...node, state: 'STOPPED' }));
  const alive = nodes.filter(({ state }) => state === 'ALIVE');
  const at = Math.round(Math.max(0, ...alive.map(({ seenAt }) => Date.parse(seenAt))) / 1_000);
  const shown = [...nodes, ...stopped];
  if (alive.length === 0 || at <= (moments.at(-1)?.at ?? 0)) return { nodes: shown, moments };
  const moment: Moment = {
    at,
    lag: Object.fromEntries(alive.map(({ nodeId, lagMs }) => [nodeId, lagMs])),
    memory: Object.fromEntries(alive.map(({ nodeId, rssBytes }) => [nodeId, rssBytes])),
  };
  return { nodes: shown, moments: [...moments, moment].slice(-momentsMax) };
}
