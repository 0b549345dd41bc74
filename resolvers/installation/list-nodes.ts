import { z } from 'zod';
import type { GatewayNode } from '../../db/schema/installation.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { nodesStatement } from './node-rows.ts';

/** A node, and whether it was heard of in the last half minute. */
export interface ListedNode extends GatewayNode {
  readonly isAlive: boolean;
}

export const nodeState = ({ isAlive }: ListedNode): 'alive' | 'gone' => (isAlive ? 'alive' : 'gone');

/** `GET /admin/v1/nodes`. */
export const listNodes = query({
  name: 'installation.listNodes',
  tool: 'admin_list_nodes',
  command: 'admin nodes',
  summary:
    'The gateways that serve this installation, the newest first; one that was killed is listed as gone for a day.',
  path: 'GET /admin/v1/nodes',
  access: platformAdmin(),
  input: z.object({}),
  handler: ({ services }): Promise<ListedNode[]> => services.db.rows(nodesStatement.with({})),
  wire: z.object({
    nodes: z.array(
      z
        .object({
          node_id: z.string(),
          state: z.enum(['alive', 'gone']),
          host: z.string(),
          pid: z.number().int(),
          version: z.string(),
          url: z.string(),
          started_at: z.iso.datetime(),
          seen_at: z.iso.datetime(),
          lag_ms: z.number(),
          rss_bytes: z.number().int(),
          heap_bytes: z.number().int(),
          pool_total: z.number().int(),
          pool_idle: z.number().int(),
          pool_waiting: z.number().int(),
          sockets: z.number().int(),
          subscriptions: z.number().int(),
        })
        .meta({ id: 'GatewayNode' }),
    ),
  }),
  toWire: (nodes) => ({
    nodes: nodes.map((node) => ({
      node_id: node.id,
      state: nodeState(node),
      host: node.host,
      pid: node.pid,
      version: node.version,
      url: node.url,
      started_at: node.startedAt.toISOString(),
      seen_at: node.seenAt.toISOString(),
      lag_ms: node.lagMs,
      rss_bytes: Number(node.rssBytes),
      heap_bytes: Number(node.heapBytes),
      pool_total: node.poolTotal,
      pool_idle: node.poolIdle,
      pool_waiting: node.poolWaiting,
      sockets: node.sockets,
      subscriptions: node.subscriptions,
    })),
  }),
});
