import { randomUUID } from 'node:crypto';
import type { Cli } from '../cli.ts';
import { Failure, passes } from '../failure.ts';
import { call } from '../net/gateway.ts';
import { rows as userRows } from '../operations/auth.ts';
import { rows as projectRows } from '../operations/projects.ts';
import { pause } from '../progress.ts';

/** What an import asks of a project. */
export interface ProjectEndpoint {
  /** Runs SQL as one transaction. @throws Failure with the gateway's envelope */
  readonly sql: (text: string, params?: readonly unknown[]) => Promise<Record<string, unknown>>;
  readonly importUsers: (users: readonly unknown[]) => Promise<Record<string, unknown>>;
}

/** How often what the gateway cannot take for now is sent again. */
const triesMax = 8;

/** Each request has a key, so that one whose answer was lost is sent again and done once. */
export function projectEndpoint(cli: Cli, project: string): ProjectEndpoint {
  async function send(path: string, body: unknown): Promise<Record<string, unknown>> {
    const idempotencyKey = randomUUID();
    for (let tries = 1; ; tries += 1) {
      try {
        return (await call(cli, { method: 'POST', path, body, project, idempotencyKey })).body;
      } catch (error) {
        if (!(error instanceof Failure) || !passes(error) || tries === triesMax || cli.signal.aborted) throw error;
        const { retry_after: seconds } = error.envelope;
        await pause(cli, 1_000 * (typeof seconds === 'number' ? seconds : tries));
      }
    }
  }
  const sqlPath = projectRows['projects.sql'].path.replace(':project_id', encodeURIComponent(project));
  return {
    sql: (text, params) => send(sqlPath, { sql: text, ...(params === undefined ? {} : { params }) }),
    importUsers: (users) => send(userRows['users.import'].path, { project_id: project, users }),
  };
}

/** Most that one request holds, as JSON and in bytes: the gateway takes 1 MiB. */
export const requestBytes = 900_000;

/** How many bytes a text takes in a request, at most: a little more where it holds much that JSON escapes. */
export const bytesInRequest = (text: string | null): number =>
  text === null ? 5 : Buffer.byteLength(JSON.stringify(text)) + 1;
