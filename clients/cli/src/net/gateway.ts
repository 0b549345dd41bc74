import type { Cli } from '../cli.ts';
import { type Envelope, Failure, local } from '../failure.ts';
import { forgetApprovals, forgetSession } from '../files/sessions.ts';
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
  readonly project?: string | undefined;
  readonly approval?: ApprovalTarget | undefined;
}

export interface GatewayAnswer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Sends a request and reads its JSON. @throws Failure with the gateway's envelope, or NETWORK_ERROR */
export async function call<Body = Record<string, unknown>>(cli: Cli, request: GatewayRequest): Promise<GatewayAnswer<Body>> {
  const response = await send(cli, request);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) as Body };
}

const parsed = (text: string): unknown => {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
};

/** Sends a request. @returns what answered with success, its body unread @throws as {@link call} */
export async function send(cli: Cli, request: GatewayRequest): Promise<Response> {
  const { url: base } = await apiBase(cli);
  const url = new URL(base + request.path);
  for (const [name, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) url.searchParams.append(name, value);
  const credential =
    request.credential ??
    (await principalCredential(cli, { url, apiBase: base, project: request.project, approval: request.approval }));
  const response = await fetchUrl(cli, url, {
    method: request.method,
    headers: {
      accept: 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...clientHeader(cli),
      ...credential.headers,
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
  if (response.ok) return response;
  const failure = await refusalOf(response);
  await clearSessions(cli, credential, request.path, failure);
  throw failure;
}

/** What every request says of its sender. */
export const clientHeader = ({ version }: Cli) => ({ 'svc-client': `surface="cli", version="${version}"` });

/** @throws NETWORK_ERROR when there is no answer */
export async function fetchUrl(cli: Cli, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: cli.signal });
  } catch (error) {
    if (cli.signal.aborted) throw local('LOCAL_ERROR', 'Stopped.', { exitCode: 130 });
    const cause = (error as { cause?: { code?: string } }).cause?.code;
    throw local('NETWORK_ERROR', `${url.origin} does not answer${cause === undefined ? '' : ` (${cause})`}.`, {
      retryable: true,
      hint: 'Is it the right address? svc dev starts a gateway on this machine.',
      details: { origin: url.origin, ...(cause === undefined ? {} : { cause }) },
    });
  }
}

/** The refusal of an answer: its envelope as it came, with what an older one may lack. Contract 04, section 4.5. */
export async function refusalOf(response: Response): Promise<Failure> {
  const text = await response.text();
  const body = parsed(text);
  const status = response.status;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return new Failure({
      status: 'error',
      http: status,
      code: defaultCode(status),
      message: `The gateway answered ${status}.`,
      retryable: status >= 500,
      safe_to_retry: false,
      mutation_state: 'unknown',
      trace_id: response.headers.get('x-svc-trace-id'),
      next_actions: [],
      body_preview: text.slice(0, 500),
    });
  const { status: _label, ...members } = body as Record<string, unknown>;
  const code = typeof members.code === 'string' ? members.code : defaultCode(status);
  const actions = Array.isArray(members.next_actions) ? members.next_actions : [];
  const envelope: Envelope = {
    status: 'error',
    http: status,
    ...members,
    code,
    message: String(members.message ?? members.error ?? `The gateway answered ${status}.`),
    next_actions:
      actions.length === 0 && status === 401
        ? [{ type: 'authenticate', command: 'svc init', why: 'It makes a wallet to sign in with.' }]
        : actions,
  };
  return new Failure(envelope);
}

const defaultCode = (status: number): string =>
  ({ 401: 'UNAUTHORIZED', 402: 'PAYMENT_REQUIRED', 403: 'NOT_AUTHORIZED' })[status] ?? 'API_ERROR';

/** Refusals that a session outlives: it is alive, and needed for what the refusal asks for. */
const sessionLives = /^(STEP_UP_REQUIRED|WRITE_AUTH_|NOT_AUTHORIZED|SESSION_READ_ONLY|QUOTA_|PROJECT_)/;

/** Forgets a kept session that the gateway no longer takes, so that the next command asks for another. */
async function clearSessions(cli: Cli, { kind }: Credential, path: string, { envelope }: Failure): Promise<void> {
  const { http, code } = envelope;
  if (code === 'WRITE_AUTH_SESSION_INVALID') await forgetApprovals(cli);
  if (kind !== 'session' && kind !== 'operator') return;
  const ceremonial = /^\/agent\/v1\/(operator|control-plane)\//.test(path);
  if (http !== 401 && !(http === 403 && ceremonial && !sessionLives.test(code))) return;
  await forgetSession(cli, kind === 'session' ? 'control-plane' : 'operator');
  if (kind === 'session') await forgetApprovals(cli);
}
