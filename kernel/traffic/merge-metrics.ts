import { sql } from '../../db/drizzle.ts';
import { projectMetrics } from '../../db/schema/traffic.ts';
import { excluded, namesOf, setOf } from '../../db/sql.ts';

const { requests, clientErrors, serverErrors, latency, storageBytes, unlogged } = projectMetrics;

/**
 * The end of an insert: adds a row to the one of the same time, histograms bucket by bucket.
 *
 * @param open what becomes of the connections of both
 */
export const mergeMetrics = (open: ReturnType<typeof sql>) => sql`
  on conflict (${namesOf(projectMetrics.orgId, projectMetrics.projectId, projectMetrics.span, projectMetrics.startsAt)})
  do update ${setOf(projectMetrics, {
    requests: sql`${requests} + ${excluded(requests)}`,
    clientErrors: sql`${clientErrors} + ${excluded(clientErrors)}`,
    serverErrors: sql`${serverErrors} + ${excluded(serverErrors)}`,
    latency: sql`array(
      select coalesce(known, 0) + coalesce(added, 0)
      from unnest(${latency}, ${excluded(latency)}) with ordinality as bucket (known, added, place) order by place)`,
    connections: open,
    storageBytes: sql`coalesce(${excluded(storageBytes)}, ${storageBytes})`,
    unlogged: sql`${unlogged} + ${excluded(unlogged)}`,
  })}`;
