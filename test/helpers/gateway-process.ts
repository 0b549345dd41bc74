import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { TrialNetwork } from '../../engines/site-audit/fetch/document.ts';
import type { Actor } from './actors.ts';
import { memoryFolder } from './memory-folder.ts';
import { argumentsOf, programEnv } from './programs.ts';
import type { Answer, CallOptions } from './service.ts';
import { createWallet, type TestWallet } from './wallet.ts';

export const adminKey = 'an-admin-key-for-tests-0123456789';
/** The same for every start, as an operator would keep it. */
const secretKey = '5c'.repeat(16) + '3a'.repeat(16);

/** The gateway in a process of its own, as `npm start` runs it; from its sources it is started by test/start. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** What it wrote to standard error so far: nothing, as long as nothing went wrong. */
  readonly stderr: () => string;
  /** Its log, and the lines of its start. */
  readonly stdout: () => string;
  /** Ends it without warning. */
  readonly kill: () => Promise<void>;
  /** Asks it to end. @returns its exit code */
  readonly stop: () => Promise<number | null>;
  readonly running: () => boolean;
  /** Resolves with its exit code when it has ended, for whatever reason. */
  readonly ended: Promise<number | null>;
  readonly call: <Body = Record<string, never>>(
    actor: Actor,
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<Answer<Body>>;
  /** Headers of a wallet, signed for this process's address. */
  readonly as: (wallet: TestWallet) => Actor;
}

const children = new Set<ChildProcess>();

/** How a start ended that did not lead to a serving gateway. */
export interface Refusal {
  readonly code: number | null;
  readonly stderr: string;
}

export interface GatewayOptions {
  /** Undefined: it runs a Postgres of its own in `dataDir`. */
  readonly databaseUrl?: string;
  readonly dataDir: string;
  readonly env?: Record<string, string>;
  /** Sites of this machine that audits may go to, which no setting leads to. @default none */
  readonly trial?: TrialNetwork | undefined;
}

/** Starts a gateway. @throws with what it said, when it does not come to serve */
export async function startGateway(options: GatewayOptions): Promise<GatewayProcess> {
  const started = await tryGateway(options);
  if (!('url' in started)) throw new Error(`The gateway ended (${started.code}): ${started.stderr}`);
  return started;
}

/** Starts a gateway, or says how it refused. */
export async function tryGateway({
  databaseUrl,
  dataDir,
  env = {},
  trial,
}: GatewayOptions): Promise<GatewayProcess | Refusal> {
  const child = spawn(process.execPath, argumentsOf(trial === undefined ? 'gateway' : 'trial-gateway'), {
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      ...programEnv(),
      PORT: '0',
      LOG_LEVEL: 'warn',
      SVC_DATA_DIR: dataDir,
      SVC_SECRET_KEY: secretKey,
      SVC_ADMIN_KEY: adminKey,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...(trial === undefined ? {} : { TRIAL: JSON.stringify({ ...trial, hosts: [...trial.hosts] }) }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (part) => {
    stderr += part;
  });
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  const serving = new Promise<string>((resolve) => {
    child.stdout.on('data', (part) => {
      stdout += part;
      const url = /serves at (http:\/\/\S+)/.exec(stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const first = await Promise.race([serving, ended]);
  if (typeof first !== 'string') return { code: first, stderr };
  const url = first;
  return {
    url,
    pid: child.pid!,
    stderr: () => stderr,
    stdout: () => stdout,
    ended,
    running: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
    as: (wallet) => ({ headers: async (path) => ({ 'sign-in-with-x': await wallet.header({ baseUrl: url, path }) }) }),
    async call(actor, method, path, { body, headers = {} } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(await actor.headers(path.split('?')[0]!)),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : JSON.parse(text),
        text,
      };
    },
  };
}

/** Ends what a failed test left running. */
export async function killGateways(): Promise<void> {
  await Promise.all(
    [...children].map(async (child) => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    }),
  );
}

export const admin: Actor = { headers: async () => ({ 'x-admin-key': adminKey }) };

/** A folder for a gateway's data. */
export async function temporaryFolder(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await memoryFolder('svc-faults-');
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 10 }) };
}

export { createWallet };
