import { randomBytes } from 'node:crypto';
import { once as happens } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startInstallation, stopInstallations } from './installation.ts';
import type { HttpRequest, LoadAnswer, LoadCommand } from './load-protocol.ts';
import type { Options } from './options.ts';
import { parentOf, type Server, startServer, startWorker, type Worker } from './processes.ts';
import { makeProject, makeRowProject, type RowProject } from './row-project.ts';
import { type Dataset, seed, sessionKeyOf } from './seed.ts';

/** Everything a row measures with: one database, the gateway on it, and the others, started when first asked for. */
export interface Stage {
  readonly options: Options;
  readonly gateway: Server;
  readonly dataset: Dataset;
  /** Of the control database. */
  readonly databaseUrl: string;
  /** Process of the Postgres server. */
  readonly postmaster: number;
  readonly floor: () => Promise<Server>;
  readonly bareSockets: () => Promise<Server>;
  readonly mercurius: () => Promise<Server>;
  readonly postgraphile: () => Promise<Server>;
  /** A project with rows, and the floor for reading them. */
  readonly rowProject: () => Promise<RowProject>;
  /** Another project, filled by SQL. */
  readonly filledProject: (filling: string) => Promise<RowProject>;
  readonly rowFloor: () => Promise<Server>;
  readonly load: () => Worker<LoadCommand, LoadAnswer>;
  readonly say: (what: string) => void;
}

const adminKey = randomBytes(24).toString('base64url');

/** Sets the stage, lets `run` measure, and clears everything away, whatever happened. */
export async function onStage<Result>(options: Options, run: (stage: Stage) => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const say = (what: string) =>
    void process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);
  say('starting Postgres and the gateway');
  const clear = once(stopInstallations);
  const interrupted = (why: unknown) => {
    process.stderr.write(`bench: ${why instanceof Error ? why.stack : why}\n`);
    void clear().finally(() => process.exit(1));
  };
  for (const event of ['SIGINT', 'SIGTERM', 'uncaughtException']) process.once(event, interrupted);
  try {
    const { folder, databaseUrl, root, gateway } = await startInstallation({
      settings: { max_connections: '200' },
      env: { SVC_ADMIN_KEY: adminKey },
      flags: [
        ...(options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]),
        ...(options.rows.includes('executors')
          ? ['--import', fileURLToPath(new URL('subjects/executor.ts', import.meta.url))]
          : []),
      ],
    });
    say('filling the database');
    const dataset = await seed(options.sizes, { url: gateway.url, databaseUrl, root, adminKey });
    const peer = (file: string) =>
      once(() => {
        const session = { SESSION_KEY: sessionKeyOf(root) };
        return startServer(file, { NODE_ENV: 'production', DATABASE_URL: databaseUrl, ...session }, folder);
      });
    const place = { url: gateway.url, databaseUrl, root };
    const rowProject = once(() => makeRowProject(place, dataset));
    return await run({
      options,
      gateway,
      dataset,
      databaseUrl,
      postmaster: await postmasterOf(databaseUrl),
      floor: peer('subjects/floor.ts'),
      bareSockets: peer('subjects/floor-ws.ts'),
      mercurius: peer('subjects/mercurius.ts'),
      postgraphile: peer('subjects/postgraphile.ts'),
      rowProject,
      filledProject: (filling) => makeProject(place, dataset, filling),
      rowFloor: once(async () => {
        const { loginUrl } = await rowProject();
        return startServer('subjects/floor-rows.ts', { NODE_ENV: 'production', DATABASE_URL: loginUrl }, folder);
      }),
      load: once(() => startWorker<LoadCommand, LoadAnswer>('load.ts')),
      say,
    });
  } finally {
    await clear();
  }
}

function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined;
  return () => (made ??= { result: make() }).result;
}

async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = await parentOf(rows[0]!.pid);
  await client.end();
  return postmaster;
}

/** Sends one request as the load generator would, and gives the answer's text. */
export async function ask(server: Server, request: HttpRequest): Promise<string> {
  const { path, method, headers, body, expected } = request;
  if (headers.host !== undefined) return askHost(server, request);
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  // A busy server may close an idle connection in the very moment in which it is used again; it has seen nothing then.
  const response = await fetch(server.url + path, init).catch(() => fetch(server.url + path, init));
  const text = await response.text();
  if ((expected === undefined ? response.ok : response.status === expected) && !/^\{"errors"/.test(text)) return text;
  throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
}

/** The same by a name that is not the address: `fetch` names the address. */
async function askHost({ url }: Server, { path, method, headers, expected = 200 }: HttpRequest): Promise<string> {
  const [response] = (await happens(send(url + path, { method, headers }).end(), 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode === expected) return answer;
  throw new Error(`${method} ${path} answered ${response.statusCode}: ${answer.slice(0, 500)}`);
}
