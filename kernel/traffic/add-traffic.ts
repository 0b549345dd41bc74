import { sql } from '../../db/drizzle.ts';
import type { Database } from '../../db/pool.ts';
import { projects } from '../../db/schema/projects.ts';
import { projectMetrics, projectRequests } from '../../db/schema/traffic.ts';
import { excluded, insertSelect, pick, statement, typed } from '../../db/sql.ts';
import { type Batch, batchParams, onceOnly } from '../durability/counted-batches.ts';
import type { LocatedProject } from './gauges.ts';
import { mergeMetrics } from './merge-metrics.ts';
import type { Line } from './request-lines.ts';
import { shownPath } from './shown-path.ts';

/** What was counted of a project in one minute. */
export interface CountedMinute {
  readonly projectId: string;
  /** In milliseconds of the epoch. */
  readonly startsAt: number;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  readonly latency: number[];
  connections: number;
  storageBytes: number | undefined;
  unlogged: number;
}

/** What a column holds: 35 minutes, or two gigabytes. */
const integerMax = 2 ** 31 - 1;

/** A tenant's function may raise any text as a code. */
const isCode = (code: string) => /^[A-Za-z0-9_]{1,64}$/.test(code);

interface TrafficBatch extends Batch<{ readonly minutes: readonly CountedMinute[]; readonly lines: readonly Line[] }> {
  /** Projects whose place is not known. */
  readonly asked: readonly string[];
}

/** Adds a batch, once however often it is sent. A project that is not there, or no longer, adds nothing. @returns the projects asked for */
export function addTraffic(
  { rows }: Pick<Database, 'rows'>,
  { node, seq, counts, asked }: TrafficBatch,
): Promise<LocatedProject[]> {
  const minutes = counts.minutes.map((one) => ({
    project_id: one.projectId,
    starts_at: new Date(one.startsAt).toISOString(),
    requests: one.requests,
    client_errors: one.clientErrors,
    server_errors: one.serverErrors,
    latency: one.latency,
    connections: one.connections,
    storage_bytes: one.storageBytes ?? null,
    unlogged: one.unlogged,
  }));
  const lines = counts.lines.map((one) => ({
    project_id: one.projectId,
    at: new Date(one.at).toISOString(),
    request_id: one.requestId,
    caused_by: one.causedBy ?? null,
    method: one.method,
    route: one.route,
    path: shownPath(one.route, one.path),
    status: one.status,
    duration_us: Math.min(Math.round(one.ms * 1_000), integerMax),
    code: one.code !== undefined && isCode(one.code) ? one.code : null,
    caller: one.calledAs ?? null,
    bytes: one.bytes === undefined ? null : Math.min(one.bytes, integerMax),
  }));
  const named = [...new Set([...minutes, ...lines].map((one) => one.project_id))];
  return rows(
    addStatement.with({ node, seq, minutes: JSON.stringify(minutes), lines: JSON.stringify(lines), named, asked }),
  );
}

const { connections } = projectMetrics;

// Rows are written in one order everywhere, so that two nodes that count the same projects cannot wait for each other.
const addStatement = statement(
  'traffic.add',
  {
    params: {
      ...batchParams,
      minutes: typed<string>('json'),
      lines: typed<string>('json'),
      named: typed<readonly string[]>('text[]'),
      asked: typed<readonly string[]>('text[]'),
    },
    row: pick(projects, 'id', 'orgId', 'server', 'databaseName'),
    timeoutMs: 5_000,
  },
  ({ minutes, lines, named, asked, ...batch }, row) => sql`with ${onceOnly(batch)}, known as materialized (
      select ${projects.id}, ${projects.orgId} from ${projects}
      where ${projects.id} = any(${named}::text[]) and ${projects.deletedAt} is null
    ), counted as (
      ${insertSelect(
        projectMetrics,
        {
          orgId: sql`known.org_id`,
          projectId: sql`added.project_id`,
          span: sql`'minute'`,
          startsAt: sql`added.starts_at`,
          requests: sql`added.requests`,
          clientErrors: sql`added.client_errors`,
          serverErrors: sql`added.server_errors`,
          latency: sql`added.latency`,
          connections: sql`added.connections`,
          storageBytes: sql`added.storage_bytes`,
          unlogged: sql`added.unlogged`,
        },
        sql`from json_to_recordset(${minutes}::json) as added (project_id text, starts_at timestamptz, requests integer,
            client_errors integer, server_errors integer, latency integer[], connections integer, storage_bytes bigint,
            unlogged integer)
          join known on known.id = added.project_id
          where exists (select from once)
          order by added.project_id, added.starts_at`,
      )}
      ${mergeMetrics(sql`${connections} + ${excluded(connections)}`)}
    ), logged as (
      ${insertSelect(
        projectRequests,
        {
          orgId: sql`known.org_id`,
          projectId: sql`line.project_id`,
          at: sql`line.at`,
          requestId: sql`line.request_id`,
          causedBy: sql`line.caused_by`,
          method: sql`line.method`,
          route: sql`line.route`,
          path: sql`line.path`,
          status: sql`line.status`,
          durationUs: sql`line.duration_us`,
          code: sql`line.code`,
          caller: sql`line.caller`,
          bytes: sql`line.bytes`,
        },
        sql`from json_to_recordset(${lines}::json) as line (project_id text, at timestamptz, request_id text,
            caused_by text, method text, route text, path text, status integer, duration_us integer, code text, caller text, bytes integer)
          join known on known.id = line.project_id
          where exists (select from once)`,
      )}
    )
    select ${row} from ${projects} where ${projects.id} = any(${asked}::text[])`,
);
