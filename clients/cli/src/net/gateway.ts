import { type Connection, connect, type Outgoing } from '../../../sdk/src/connection.ts';
import { SvcError } from '../../../sdk/src/errors.ts';
import { laterAt } from '../../../sdk/src/later-at.ts';
import type { Payer } from '../../../sdk/src/payment.ts';
import type { Cli } from '../cli.ts';
import { parseExactJson } from '../exact-json.ts';
import { badUsage, Failure, local, runCommand, stopped } from '../failure.ts';
import { forgetApprovals, forgetSession } from '../files/sessions.ts';
import { advice } from './advice.ts';
import { apiBase } from './api-base.ts';
import { type ApprovalTarget, type Credential, principalCredential } from './credential.ts';

export interface GatewayRequest {
  readonly method: string;
  /** With its inputs filled in, for example `/orgs/v1/0b9f…`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** @default the credential of this machine's user */
  readonly credential?: Credential | undefined;
  /** The project that is asked about. */
  readonly project?: string | undefined;
  readonly approval?: ApprovalTarget | undefined;
  /** Makes a repeated change happen once, so that it is sent again where there was no answer. */
  readonly idempotencyKey?: string | undefined;
  readonly payer?: Payer | undefined;
  /** Whether it changes something. @default for every method but GET */
  readonly isChange?: boolean;
  readonly onResponse?: (response: Response) => void;
}

export interface GatewayAnswer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Sends a request and reads its JSON; what is none stays a text. @throws Failure with the gateway's envelope */
export async function call<Body = Record<string, unknown>>(
  cli: Cli,
  request: GatewayRequest,
): Promise<GatewayAnswer<Body>> {
  const { status, headers, text } = await asked(cli, request, (connection, outgoing) => connection.send(outgoing));
  return { status, headers, body: parsed(text) as Body };
}

/** The same, with the body unread. @throws Failure with the gateway's envelope */
export const open = (cli: Cli, request: GatewayRequest): Promise<Response> =>
  asked(cli, request, (connection, outgoing) => connection.open(outgoing));

const parsed = (text: string): unknown => {
  try {
    return text === '' ? {} : parseExactJson(text);
  } catch {
    return text;
  }
};

/** How often what failed on its way is sent again: a terminal is waiting. */
const retries = 2;

/** A connection that signs as this machine's user. @param used told by what each request was sent */
export async function connection(
  cli: Cli,
  { credential, project, approval }: Pick<GatewayRequest, 'credential' | 'project' | 'approval'> = {},
  used: (credential: Credential) => void = () => undefined,
): Promise<Connection> {
  const { url: base } = await apiBase(cli);
  /** How much later it is at the gateway, as far as it has said so. */
  let laterMs = 0;
  let kind: Credential['kind'] | undefined;
  return connect({
    baseUrl: base,
    retry: { times: retries },
    clientName: `surface="cli", version="${cli.version}"`,
    credential: {
      async headers({ path }) {
        const found =
          credential ??
          (await principalCredential(cli, { url: new URL(base + path), apiBase: base, project, approval, laterMs }));
        used(found);
        kind = found.kind;
        return found.headers;
      },
      // A signature of a machine whose clock is wrong is made anew, by the gateway's.
      async renew(_refused, refusal) {
        const later = kind === 'wallet' ? laterAt(refusal, Date.now()) : undefined;
        laterMs = later ?? laterMs;
        return later !== undefined;
      },
    },
  });
}

async function asked<Result>(
  cli: Cli,
  request: GatewayRequest,
  send: (connection: Connection, outgoing: Outgoing) => Promise<Result>,
): Promise<Result> {
  const { method, path, query = {}, body, headers, idempotencyKey, payer, onResponse } = request;
  // `..` for an id would be the path of what the id belongs to: to remove that is another thing altogether.
  if (/\/\.{1,2}(?:\/|$)/.test(path)) throw badUsage('An id is neither . nor ..', { details: { path } });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, value);
  const isChange = request.isChange ?? method !== 'GET';
  let used: Credential | undefined;
  const gateway = await connection(cli, request, (credential) => {
    used = credential;
  });
  try {
    return await send(gateway, {
      method,
      path,
      query: search.size === 0 ? '' : `?${search}`,
      isChange,
      signal: cli.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(headers === undefined ? {} : { headers }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(payer === undefined ? {} : { payer }),
      ...(onResponse === undefined ? {} : { onResponse }),
    });
  } catch (error) {
    const failure = failed(cli, error, { isChange, used: used?.kind, path });
    if (used !== undefined) await clearSessions(cli, used, path, failure);
    throw failure;
  }
}

/** What is known of the request that went wrong. */
interface Circumstances {
  /** Whether something may have been changed by it. */
  readonly isChange?: boolean;
  /** By what it was sent; undefined where it is unknown. */
  readonly used?: Credential['kind'] | undefined;
  readonly path?: string;
}

/** What went wrong with a request, as it is written to standard error. Contract 04, section 4.5. */
export function failed(cli: Cli, error: unknown, { isChange = false, used, path = '' }: Circumstances = {}): Failure {
  if (error instanceof Failure) return error;
  // What was refused, or may have been paid for, is told also to a caller that stops.
  if (cli.signal.aborted && !(error instanceof SvcError && error.code !== 'NETWORK_ERROR')) return stopped(isChange);
  if (!(error instanceof SvcError)) throw error;
  const { envelope, status: http } = error;
  const { status: _label, details, next_actions = [], ...members } = envelope as Record<string, unknown>;
  const { body_preview, ...known } =
    typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {};
  return new Failure({
    status: 'error',
    ...(http === 0 ? { trace_id: null } : {}),
    // A refusal that came over a socket came with no status of its own.
    ...(http >= 400 ? { http } : {}),
    ...members,
    code: error.code,
    message: error.message,
    ...(details === undefined ? {} : { details: body_preview === undefined ? details : known }),
    ...(body_preview === undefined ? {} : { body_preview }),
    next_actions,
    ...advice(cli, {
      code: error.code,
      http,
      reason: known.reason,
      used,
      path,
      isAdvised: (next_actions as readonly unknown[]).length > 0,
    }),
  });
}

/** Refusals that a session outlives: it is alive, and needed for what the refusal asks for. */
const sessionLives = /^(STEP_UP_REQUIRED|WRITE_AUTH_|NOT_AUTHORIZED|SESSION_READ_ONLY|QUOTA_|PROJECT_)/;

/** Forgets a kept session that the gateway no longer takes, so that the next command asks for another. */
async function clearSessions(cli: Cli, { kind, headers }: Credential, path: string, failure: Failure): Promise<void> {
  const { http, code } = failure.envelope;
  if (code === 'WRITE_AUTH_SESSION_INVALID') await forgetApprovals(cli);
  if (kind !== 'session' && kind !== 'operator') return;
  const isSession = /^\/agent\/v1\/(operator|control-plane)\//.test(path);
  if (http !== 401 && !(http === 403 && isSession && !sessionLives.test(code))) return;
  const refused = headers.authorization?.replace('Bearer ', '');
  await forgetSession(cli, kind === 'session' ? 'control-plane' : 'operator', refused);
  if (kind === 'session') await forgetApprovals(cli);
  throw local('OPERATOR_SESSION_INVALID', 'The gateway no longer takes your session, so it is forgotten here.', {
    details: { http, gateway_code: code },
    nextActions: [
      runCommand(kind === 'session' ? 'svc operator login --loopback' : 'svc operator login', 'Sign in again.'),
    ],
  });
}
