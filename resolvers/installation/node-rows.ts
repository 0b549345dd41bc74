import { sql } from '../../db/drizzle.ts';
import { interval, isPast } from '../../db/intervals.ts';
import { gatewayNodes } from '../../db/schema/installation.ts';
import { allOf, computed, excluded, insertInto, nameOf, pick, statement } from '../../db/sql.ts';

/** A node that has not written its row for so long is gone: three heartbeats. */
const silence = '30 seconds';

/** For so long the row of a node that was killed is kept. */
export const goneKept = '1 day';

const written = pick(
  gatewayNodes,
  'id',
  'host',
  'pid',
  'version',
  'url',
  'startedAt',
  'lagMs',
  'rssBytes',
  'heapBytes',
  'poolTotal',
  'poolIdle',
  'poolWaiting',
  'sockets',
  'subscriptions',
);

/**
 * Writes the row of a node, and removes those that earlier starts at the same place left behind: a gateway that is killed
 * and started over and over keeps one row.
 */
export const beatStatement = statement('nodes.beat', { params: written, timeoutMs: 5_000 }, (node) => {
  const { id, host, url, lagMs, rssBytes, heapBytes, poolTotal, poolIdle, poolWaiting, sockets, subscriptions } =
    gatewayNodes;
  const renewed = { lagMs, rssBytes, heapBytes, poolTotal, poolIdle, poolWaiting, sockets, subscriptions };
  return sql`with left_behind as (
      delete from ${gatewayNodes} where ${host} = ${node.host} and ${url} = ${node.url} and ${id} <> ${node.id}
        and ${isPast(gatewayNodes.seenAt, silence)}
    )
    ${insertInto(gatewayNodes, node)}
    on conflict (${nameOf(id)}) do update set ${nameOf(gatewayNodes.seenAt)} = now(), ${sql.join(
      Object.values(renewed).map((column) => sql`${nameOf(column)} = ${excluded(column)}`),
      sql`, `,
    )}`;
});

/** Removes the row of a node that stops. */
export const leaveStatement = statement(
  'nodes.leave',
  { params: pick(gatewayNodes, 'id'), timeoutMs: 500 },
  ({ id }) => sql`delete from ${gatewayNodes} where ${gatewayNodes.id} = ${id}`,
);

/** All nodes that have a row, the newest first. */
export const nodesStatement = statement(
  'nodes.list',
  {
    row: {
      ...allOf(gatewayNodes),
      isAlive: computed<boolean>('boolean', sql`${gatewayNodes.seenAt} > now() - ${interval(silence)}`),
    },
  },
  (_, row) => sql`select ${row} from ${gatewayNodes} order by ${gatewayNodes.startedAt} desc, ${gatewayNodes.id}`,
);
