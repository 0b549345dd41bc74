/** Row reads without HTTP: the engine with its batches, or the same statement bare on pipelined connections. */
import pg from 'pg';
import type { ProjectLogins } from '../db/project-databases.ts';
import { ProjectPools } from '../db/project-pools.ts';
import { planRows } from '../engines/rows/plan-rows.ts';
import type { RowRequest } from '../engines/rows/request/row-request.ts';
import { SchemaCaches } from '../engines/rows/schema-caches.ts';
import type { Context } from '../kernel/run/context.ts';
import { runRows } from '../resolvers/rows/run-rows.ts';
import { serve } from './processes.ts';
import type { RowProject } from './row-project.ts';

export interface ReadCommand {
  readonly project: RowProject;
  readonly who: 'engine' | 'bare';
  /** Query strings, asked for in turn. */
  readonly searches: readonly string[];
  readonly clients: number;
  readonly seconds: number;
}

export interface ReadAnswer {
  readonly answered: number;
  readonly seconds: number;
  /** Processor time of this process, in seconds. */
  readonly cpu: number;
  /** One answer, to be held against the other's. */
  readonly sample: string;
}

/** As many as the engine has for the reads of a project. */
const bareConnections = 4;

type Read = (search: string) => Promise<string>;

const headers = { host: '127.0.0.1:1', accept: 'application/json', 'user-agent': 'bench' };
const requestOf = (search: string): RowRequest => ({
  method: 'GET',
  target: { kind: 'table', name: 'items' },
  search,
  header: (name) => (name === 'accept' ? headers.accept : undefined),
  body: new Uint8Array(),
});
const claims = { role: 'anon', project_id: 'prj_bench' };

function poolsOf({ loginUrl }: RowProject): ProjectPools {
  const databases: ProjectLogins = {
    loginUrl: () => loginUrl,
    ownSettings: ['temp_file_limit'],
    restoreLogin: async () => undefined,
    upgrade: async () => undefined,
    cancelBackend: async () => undefined,
    endBackend: async () => undefined,
  };
  return new ProjectPools({ databases, warn: () => undefined });
}

async function engine(project: RowProject): Promise<Read> {
  const pools = poolsOf(project);
  const services = { projectPools: pools, schemaCaches: new SchemaCaches(pools) };
  const ctx = { services, signal: new AbortController().signal } as unknown as Context;
  const caller = { target: { database: project.database, lifecycleState: 'active' }, role: 'anon', claims };
  const settings = { path: '/rest/v1/items', headers };
  return async (search) => (await runRows(ctx, caller as never, requestOf(search), settings)).body;
}

async function bare(project: RowProject): Promise<Read> {
  const pools = poolsOf(project);
  const cache = await new SchemaCaches(pools).get(project.database);
  await pools.close();
  const clients = await Promise.all(
    Array.from({ length: bareConnections }, async () => {
      const client = new pg.Client({ connectionString: project.loginUrl, pipeline: true } as pg.ClientConfig);
      await client.connect();
      // Once for all: row security is asked the same, and nothing is paid for it with each statement.
      await client.query(
        `select set_config('role', 'anon', false), set_config('request.jwt.claims', '${JSON.stringify(claims)}', false)`,
      );
      return client;
    }),
  );
  const statements = new Map<string, { readonly name: string; readonly text: string; readonly values: unknown[] }>();
  const names = new Map<string, string>();
  let nth = 0;
  return async (search) => {
    let statement = statements.get(search);
    if (statement === undefined) {
      const { text, values } = planRows(requestOf(search), cache, 'anon').statement;
      if (!names.has(text)) names.set(text, `bare_${names.size}`);
      statements.set(search, (statement = { name: names.get(text)!, text, values: [...values] }));
    }
    const client = clients[nth++ % clients.length]!;
    const { rows } = await client.query({ ...statement, rowMode: 'array' });
    return rows[0]![2] as string;
  };
}

const readers: Record<string, Promise<Read>> = {};

serve(async ({ project, who, searches, clients, seconds }: ReadCommand): Promise<ReadAnswer> => {
  const read = await (readers[who] ??= who === 'engine' ? engine(project) : bare(project));
  const sample = await read(searches[0]!);
  const startedAt = performance.now();
  const usedAt = process.cpuUsage();
  const end = startedAt + seconds * 1_000;
  let answered = 0;
  const client = async () => {
    while (performance.now() < end) {
      await read(searches[answered++ % searches.length]!);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const { user, system } = process.cpuUsage(usedAt);
  return { answered, seconds: (performance.now() - startedAt) / 1_000, cpu: (user + system) / 1e6, sample };
});
