import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sqlState } from './pool.ts';
import type { ProjectDatabase, ProjectLogins } from './project-databases.ts';
import { templateVersion } from './project-template.ts';
import { type Caller, callerMs, type RoleTurns } from './role-turns.ts';
import { limitArriving } from './wire/arriving.ts';
import type { PreparedNames } from './wire/batch.ts';
import { connectionOf, processIdOf } from './wire/connection.ts';
import type { ReadQueue } from './wire/read-queue.ts';

/** A project that has connections, or wants one. */
export interface Project {
  readonly database: ProjectDatabase;
  readonly idle: Session[];
  readonly reads: ReadQueue;
  readonly turns: RoleTurns;
  open: number;
  /** The server recently refused a further connection: the open ones have to suffice. */
  full: boolean;
  /** Whether its database is known to be of this gateway's version. */
  current: boolean;
}

/** A connection to a project's database as its login role. */
export interface Session {
  readonly client: pg.Client;
  readonly project: Project;
  readonly prepared: PreparedNames;
  batches: number;
  idleTimer: NodeJS.Timeout | undefined;
  /** Its connection broke or was cut: the server was told to end what it may still do there. */
  isLost: boolean;
}

export interface SessionOptions {
  readonly databases: ProjectLogins;
  /** How long a connection is waited for, in milliseconds. */
  readonly waitMs: number;
  /** Longest a batch may take, in milliseconds. */
  readonly batchMs: number;
  readonly warn: (message: string, facts: Record<string, unknown>) => void;
}

/** No connection to a project's database could be made. The server's message has details that no caller may see. */
export class ProjectUnreachableError extends Error {
  override readonly name = 'ProjectUnreachableError';
}

/** The server, or its login, has as many connections as it may. */
export class ServerFullError extends ProjectUnreachableError {}

/** How long a cancelled batch is given to end, in milliseconds, before its connection is cut. */
const cancelMs = 2_000;

/**
 * Connects. A tenant may have changed its role's password, since its SQL runs as it: it is set back, once.
 *
 * @param lost told when the connection breaks
 * @throws ProjectUnreachableError
 */
export async function openSession(
  project: Project,
  options: SessionOptions,
  lost: (session: Session) => void,
): Promise<Session> {
  const { database } = project;
  try {
    return await prepared(await logIn(project, options, lost), options);
  } catch (error) {
    const remedy = remedyOf(error, options, database);
    if (remedy === undefined) throw unreachable(error);
    try {
      await remedy();
      return await prepared(await logIn(project, options, lost), options);
    } catch (again) {
      throw unreachable(again);
    }
  }
}

/** What may let a login in that was refused: a tenant changed it, or the database is from before there was such a one. */
function remedyOf(
  error: unknown,
  { databases, warn }: SessionOptions,
  database: ProjectDatabase,
): (() => Promise<void>) | undefined {
  const state = sqlState(error);
  if (state === '42501') return () => databases.upgrade(database);
  if (!(error instanceof ChangedLoginError) && (state === undefined || noFaultOfLogin.test(state))) return undefined;
  const refused = state === '28P01' || state === '28000';
  warn(
    refused
      ? 'A project role could not log in; its password is set back.'
      : 'A project role carried settings; they are set back.',
    { role: database.roleName },
  );
  return () => databases.restoreLogin(database);
}

/** The server or the network is what is the matter, or there is no such database. */
const noFaultOfLogin = /^(08|3D|53|55|57P|XX)/;

/** A login carries settings that the gateway did not give it. */
class ChangedLoginError extends Error {
  override readonly name = 'ChangedLoginError';
}

/**
 * A tenant may set anything for its own role, and it would hold for every session before the first word of ours. Every
 * name is written with its schema, operators too, since the path to search may be the tenant's.
 */
async function refuseOwnSettings(client: pg.Client, { ownSettings }: ProjectLogins): Promise<void> {
  const others = ownSettings.map((name) => `and name operator(pg_catalog.<>) '${name}'`).join(' ');
  // A role that is set is in no list of settings.
  const { rowCount } = await client.query(
    `select from pg_catalog.pg_settings
      where (source operator(pg_catalog.=) 'user' or source operator(pg_catalog.=) 'database user') ${others}
        or current_user operator(pg_catalog.<>) session_user
      limit 1`,
  );
  if (rowCount !== 0) throw new ChangedLoginError('A login carries settings that it was not given.');
}

/**
 * Nothing is run on a login that was tampered with; and the first session to a database finds out whether it has to be
 * brought to a newer version, and removes what is past.
 */
async function prepared(session: Session, { databases }: SessionOptions): Promise<Session> {
  const { client, project } = session;
  try {
    await refuseOwnSettings(client, databases);
    if (!project.current) {
      if ((await versionSeen(client)) < templateVersion) await databases.upgrade(project.database);
      await sweep(client);
    }
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  project.current = true;
  return session;
}

/** Nothing else sweeps where no SQL is run under a key any more. What cannot be swept now can be the next time. */
const sweep = (client: pg.Client): Promise<unknown> =>
  client.query('select _svc.sweep_runs()').catch((error: unknown) => {
    if (sqlState(error) === undefined) throw error;
  });

/** What the first version kept to itself tells as much as a number. */
async function versionSeen(client: pg.Client): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number }>('select version from _svc.schema_version');
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (sqlState(error) === '42501') return 1;
    throw error;
  }
}

const tooManyConnections = '53300';

const unreachable = (cause: unknown) =>
  new (sqlState(cause) === tooManyConnections ? ServerFullError : ProjectUnreachableError)(
    'A project’s database could not be connected to.',
    { cause },
  );

async function logIn(
  project: Project,
  { databases, waitMs }: SessionOptions,
  lost: (session: Session) => void,
): Promise<Session> {
  const client = new pg.Client({
    connectionString: databases.loginUrl(project.database),
    connectionTimeoutMillis: waitMs,
    keepAlive: true,
    application_name: 'svc-gateway rows',
    pipeline: true,
  } as pg.ClientConfig);
  const session: Session = {
    client,
    project,
    prepared: { known: new Set(), doubtful: new Set(), underWay: new Set() },
    batches: 0,
    idleTimer: undefined,
    isLost: false,
  };
  client.on('error', () => {
    endWork(session, databases);
    lost(session);
  });
  await client.connect();
  limitArriving(client);
  return session;
}

/** Longest a batch may take, in milliseconds. */
export const longestOf = ({ batchMs }: SessionOptions, caller: Caller | undefined): number =>
  caller === undefined ? batchMs : Math.min(batchMs, callerMs[caller]);

/**
 * Cancels a batch that takes too long or that no caller waits for; limits set in SQL can be undone in SQL.
 *
 * @returns to be called at the end of the batch: a cancellation that is still under way then
 */
export function cancelWhenDue(
  session: Session,
  { databases }: SessionOptions,
  longestMs: number,
  signal: AbortSignal | undefined,
): () => Promise<void> | undefined {
  const { client, project } = session;
  let over = false;
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    if (over) return;
    cancelling ??= databases.cancelBackend(project.database, processIdOf(client)).catch(() => undefined);
    void sleep(cancelMs, undefined, { ref: false }).then(() => {
      if (!over) cut(session, databases);
    });
  };
  const timer = setTimeout(cancel, longestMs);
  timer.unref();
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => {
    over = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    return cancelling;
  };
}

/** Cuts a connection, whatever it is doing. */
export function cut(session: Session, databases: ProjectLogins): void {
  endWork(session, databases);
  connectionOf(session.client).stream.destroy();
}

/**
 * Has the server end what it does for a connection that is gone. By itself it would notice when it next has something
 * to say, and a tenant's loop that catches cancellations never has.
 */
function endWork(session: Session, databases: ProjectLogins): void {
  if (session.isLost) return;
  session.isLost = true;
  // Where the server cannot be told, housekeeping finds what has run for too long.
  void databases.endBackend(session.project.database, processIdOf(session.client)).catch(() => undefined);
}
