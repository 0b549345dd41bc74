import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { inject } from 'vitest';
import { registeredStatements } from '../../db/sql.ts';
import { type App, type AppOptions, startApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { type Actor, type Actors, createActors, type WalletActor } from './actors.ts';
import { startBalancer } from './balancer.ts';
import { type ControlDatabase, createControlDatabase } from './control-database.ts';

export interface Answer<Body = Record<string, never>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly text: string;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** @default GET alone, but for what is sold */
  readonly onlyReads?: boolean;
}

export interface ServiceOptions {
  /** Further environment of the gateway. */
  readonly env?: Record<string, string>;
  /** Goes between the gateway and its database, for faults. @default the database itself */
  readonly databaseUrl?: (control: ControlDatabase) => string | Promise<string>;
  /**
   * Gateways on the one database, which requests go to in turn. What they tell each other goes by way of NATS where the
   * run has one; without it each finds out by itself, a moment later. @default 1, and 2 in the lane `two-nodes`
   */
  readonly nodes?: number;
  /**
   * Whether background jobs run, the regular ones among them. Without them {@link Service.statements} is told of what
   * requests send, whatever the time. @default true
   */
  readonly jobs?: boolean;
  /** Whether a password costs what it does in production. @default false: a hash takes a twentieth */
  readonly dearPasswords?: boolean;
  /** Sites of this machine that audits may go to. @default none */
  readonly auditTrial?: AppOptions['auditTrial'];
}

export interface Service {
  /** The address clients know; that of a balancer when there are several nodes. */
  readonly url: string;
  /** The first node. */
  readonly app: App;
  readonly nodes: readonly App[];
  readonly control: ControlDatabase;
  readonly actors: Actors;
  /** Starts one more gateway on the same database. @param further environment of this one alone */
  readonly startNode: (further?: Record<string, string>) => Promise<App>;
  /** Sends a request as somebody. */
  readonly call: <Body = Record<string, never>>(
    actor: Actor,
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<Answer<Body>>;
  /** Runs a GraphQL document as somebody, over HTTP. */
  readonly graphql: (
    actor: Actor,
    query: string,
    variables?: object,
    headers?: Record<string, string>,
  ) => Promise<GraphQLAnswer>;
  /** What the nodes' metrics say under a name, added up. */
  readonly gauge: (name: string) => Promise<number>;
  /** Statements sent to the control database while `run` runs, background ones left out. */
  readonly statements: (run: () => Promise<unknown>) => Promise<string[]>;
  /** What was logged so far, one parsed line each. */
  readonly logged: () => Record<string, unknown>[];
  /** Forgets what was logged so far. */
  readonly forgetLogged: () => void;
  /** A wallet with an organization of its own. */
  readonly owner: (
    displayName?: string,
  ) => Promise<{ readonly wallet: WalletActor; readonly orgId: string; readonly principalId: string }>;
  /** A wallet with an organization and a project in it. */
  readonly project: () => Promise<{
    readonly wallet: WalletActor;
    readonly orgId: string;
    readonly principalId: string;
    readonly projectId: string;
    readonly anonKey: string;
    readonly serviceKey: string;
  }>;
  /** Where the nodes keep files. */
  readonly dataDir: string;
  readonly stop: () => Promise<void>;
}

export interface GraphQLAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly data?: any;
  readonly errors?: {
    readonly message: string;
    readonly path?: readonly unknown[];
    readonly extensions: Record<string, unknown>;
  }[];
}

/** Follow-up work of the gateway itself, which comes and goes beside any request: statements by name. */
const backgroundNames: ReadonlySet<string> = new Set([
  'escalations.any-due',
  'escalations.free-pages',
  'escalations.schedule',
  'events.of-purged',
  'feed_epoch.find',
  'feeds.heads',
  'incidents.open',
  'jobs.add',
  'lifecycle.any-due',
  'lifecycle.pinned-usage',
  'backups.end',
  'backups.progress',
  'releases.closed-gates',
  'mail.settle',
  'mail.skipped',
  'nodes.beat',
  'projects.database-upgraded',
  'projects.databases-due',
  'projects.left-of-purged',
  'projects.purged-orgs-emptied',
  'rooms.mirror-enter',
  'rooms.unmirrored',
  'steps.find',
  'steps.take',
  'traffic.add',
  'traffic.content',
  'traffic.roll-up',
  'usage.add',
]);

/** The same of what is no prepared statement: housekeeping by table, partitions, locks, the job queue. */
const backgroundTexts: readonly RegExp[] = [
  /graphile_worker/,
  /feed_heads h join/,
  /pg_advisory/,
  /^select 1$/,
  /where ctid = any/,
  /pg_inherits/,
  /to_regclass\(name\)/,
  // Whether leased work waits.
  /^select exists \(select from "\w+" where "\w+"\."due_at" <= now\(\)\) as "due"$/,
];

/** Those of a request's own. */
function foreground(texts: readonly string[]): string[] {
  const known = registeredStatements().filter(({ name }) => backgroundNames.has(name));
  if (known.length < backgroundNames.size) throw new Error('A background statement is named that does not exist.');
  const named = new Set(known.map(({ text }) => text));
  return texts.filter((text) => !named.has(text) && !backgroundTexts.some((one) => one.test(text)));
}

/** A password of a test is worth nothing. */
const cheap = { memorySize: 256, iterations: 1 };

const nodesOfRun = Number(process.env.SVC_TEST_NODES ?? 1);

/** The whole gateway on a database of the test file's own, listening on a port of its own. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { env = {}, databaseUrl, nodes: count = nodesOfRun, jobs = true, auditTrial, dearPasswords = false } = options;
  const control = await createControlDatabase();
  const adminKey = randomBytes(24).toString('base64url');
  const folderOf = (what: string) => join(tmpdir(), `svc-test-${what}-${randomBytes(6).toString('hex')}`);
  const backupDir = folderOf('backups');
  const dataDir = folderOf('data');
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  let recording: string[] | undefined;
  const balancer = count > 1 ? await startBalancer() : undefined;
  // As an operator would set several nodes up: one address, one secret, and the way between them.
  const root = randomBytes(32);
  const shared =
    balancer === undefined
      ? {}
      : { PUBLIC_BASE_URL: balancer.url, NATS_URL: inject('natsUrl'), SVC_SECRET_KEY: root.toString('hex') };
  const way = (await databaseUrl?.(control)) ?? control.url;
  const start = (further: Record<string, string> = {}) =>
    startApp({
      config: readConfig({
        PORT: '0',
        DATABASE_URL: control.url,
        SVC_ADMIN_KEY: adminKey,
        SVC_BACKUP_DIR: backupDir,
        SVC_DATA_DIR: dataDir,
        // Nothing listens there: a domain that no test speaks of is not asked about on the internet.
        DNS_SERVERS: '127.0.0.1:9',
        ...shared,
        ...env,
        ...further,
      }),
      databaseUrl: way,
      roots: [root],
      version: '0.0.0-test',
      log,
      onStatement: (text) => recording?.push(text),
      // Twenty who come at once have a connection opened for each: how long that takes is the machine's matter. Tests
      // of a database that is not there put something in between, and see how long the gateway waits by itself.
      waitMs: databaseUrl === undefined ? 60_000 : undefined,
      jobs,
      auditTrial,
      passwordCost: dearPasswords ? undefined : cheap,
    });
  const nodes = await Promise.all(Array.from({ length: count }, () => start()));
  const app = nodes[0]!;
  const later: App[] = [];
  balancer?.spreadOver(nodes.map((node) => node.url));
  const url = balancer?.url ?? app.url;
  const actors = createActors({ url, services: app.services, control, adminKey });

  const call: Service['call'] = async (actor, method, path, { body, headers = {}, onlyReads } = {}) => {
    const reads = onlyReads ?? (method === 'GET' && !path.startsWith('/api/'));
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(await actor.headers(path.split('?')[0]!, reads)),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: json && text !== '' ? JSON.parse(text) : undefined,
      text,
    };
  };

  const graphql: Service['graphql'] = async (actor, query, variables = {}, headers = {}) => {
    const onlyReads = !/\b(mutation|subscription)\b/.test(query);
    return (await call<GraphQLAnswer>(actor, 'POST', '/graphql', { body: { query, variables }, headers, onlyReads }))
      .body;
  };

  const owner: Service['owner'] = async (displayName) => {
    const wallet = actors.wallet();
    const created = await call<{ org_id: string }>(wallet, 'POST', '/orgs/v1', {
      body: displayName === undefined ? {} : { display_name: displayName },
    });
    const me = await call<{ principal: { id: string } }>(wallet, 'GET', '/agent/v1/whoami');
    return { wallet, orgId: created.body.org_id, principalId: me.body.principal.id };
  };

  return {
    url,
    app,
    nodes,
    control,
    actors,
    async startNode(further) {
      const node = await start(further);
      later.push(node);
      return node;
    },
    call,
    graphql,
    async gauge(name) {
      const pages = await Promise.all(nodes.map(async (node) => (await fetch(`${node.url}/metrics`)).text()));
      return pages.reduce((sum, page) => sum + Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]), 0);
    },
    async statements(run) {
      recording = [];
      try {
        await run();
        return foreground(recording);
      } finally {
        recording = undefined;
      }
    },
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    forgetLogged: () => {
      lines.length = 0;
    },
    owner,
    async project() {
      const { wallet, orgId, principalId } = await owner();
      const { body } = await call<Record<string, string>>(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
      return {
        wallet,
        orgId,
        principalId,
        projectId: body.project_id!,
        anonKey: body.anon_key!,
        serviceKey: body.service_key!,
      };
    },
    dataDir,
    async stop() {
      const databases = await control.sql<NamedDatabase>('select database_name, role_name from projects');
      // The first ones may have been stopped by their test.
      await dropDatabases(later.at(-1) ?? app, databases);
      await Promise.all([...nodes, ...later].map((node) => node.stop()));
      await balancer?.close();
      await control.drop();
      for (const folder of [backupDir, dataDir]) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The database of a project, as its row names it. */
export interface NamedDatabase {
  readonly database_name: string;
  readonly role_name: string;
}

/** Drops databases of projects, with their roles. */
export async function dropDatabases({ services }: App, databases: readonly NamedDatabase[]): Promise<void> {
  for (const { database_name, role_name } of databases)
    await services.projectDatabases.drop({ server: 'main', databaseName: database_name, roleName: role_name });
}
