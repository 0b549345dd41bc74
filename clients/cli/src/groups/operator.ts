import { hostname } from 'node:os';
import type { Cli } from '../cli.ts';
import type { Call, Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage, Failure, local, passes, runCommand, stopped } from '../failure.ts';
import {
  forgetApprovals,
  forgetSession,
  keepSession,
  keptApprovals,
  keptSession,
  type SessionKind,
} from '../files/sessions.ts';
import { apiBase } from '../net/api-base.ts';
import { bearer, type Credential, noCredential } from '../net/credential.ts';
import { call } from '../net/gateway.ts';
import { loopback, noOpen, show, timeout, usualTimeoutSeconds } from '../net/loopback.ts';
import { liveSession } from '../net/sessions.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/operator.ts';
import { approve, claim } from '../operator-changes.ts';
import { pause, progress } from '../progress.ts';

const plane = '/agent/v1/control-plane';
const operator = '/agent/v1/operator';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

const login: Command = {
  words: 'operator login',
  summary: 'Sign in as a person, by a browser.',
  about: [
    'Without a flag it is a session that reads, for half an hour at a time: a code is shown, and entered in any browser, on any machine. With --loopback it is one that changes things: a browser on this machine, and a passkey. A wallet in use goes before either.',
    'Sessions are kept in files that only you can read, and their tokens are printed by nothing.',
  ],
  flags: [
    { name: 'device', type: 'boolean', about: 'A session that reads, by a code. So it is without a flag.' },
    { name: 'loopback', type: 'boolean', about: 'A session that changes things, by a browser here and a passkey.' },
    {
      name: 'step-up',
      type: 'boolean',
      about: 'The same, to show the passkey again for a change that wants a fresh one.',
    },
    noOpen,
    timeout,
  ],
  examples: [
    ['To look', 'operator login'],
    ['To change things', 'operator login --loopback'],
    ['A change wants a fresh passkey', 'operator login --step-up'],
  ],
  async run(invocation) {
    const { flags } = invocation;
    const writes = flags.is('loopback') || flags.is('step-up');
    if (writes && flags.is('device'))
      throw badUsage('--device and --loopback exclude each other.', { field: 'device' });
    return writes ? loginByLoopback(invocation) : loginByDevice(invocation);
  },
};

interface Device {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete?: string;
  readonly expires_in: number;
  readonly interval: number;
}

interface OperatorToken {
  readonly operator_session_token: string;
  readonly expires_in: number;
  readonly absolute_expires_at: string;
  readonly email: string;
  readonly wallets: readonly string[];
}

/** RFC 8628: shows a code, and polls until a person has decided on it. */
async function loginByDevice({ cli, flags }: Call): Promise<unknown> {
  const { url } = await apiBase(cli);
  const ask = async <Body>(path: string, body: object) =>
    (await call<Body>(cli, { method: 'POST', path: `${operator}/session/${path}`, body, credential: noCredential }))
      .body;
  const device = await ask<Device>('device', { client_name: `svc on ${hostname()}` });
  const page = device.verification_uri_complete ?? device.verification_uri;
  show(cli, page, !flags.is('no-open'), `and enter the code ${device.user_code}\n`);
  const patience = Math.min(device.expires_in, flags.number('timeout-seconds') ?? device.expires_in) * 1000;
  const startedAt = Date.now();
  const bar = progress(cli);
  let everyMs = device.interval * 1000;
  try {
    while (Date.now() - startedAt < patience && !cli.signal.aborted) {
      bar.at(`Waiting for the code ${device.user_code}`, (Date.now() - startedAt) / patience);
      await pause(cli, everyMs);
      if (cli.signal.aborted) break;
      try {
        const given = await ask<OperatorToken>('device/token', { device_code: device.device_code });
        const { operator_session_token: token, expires_in, absolute_expires_at, email, wallets } = given;
        const view = { email, wallets, provenance: 'device_flow', absolute_expires_at };
        await keepSession(cli, 'operator', {
          api_base: url,
          token,
          expires_at: inSeconds(expires_in),
          absolute_expires_at,
          view,
        });
        return { ...view, expires_at: inSeconds(expires_in) };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const word = error.envelope.error;
        // A failed poll is not an answer (RFC 8628, section 3.5).
        if (word === 'slow_down' || passes(error)) everyMs += 5_000;
        else if (word === 'access_denied') throw local('OPERATOR_LOGIN_DENIED', 'The code was refused in the browser.');
        else if (word === 'expired_token')
          throw local('OPERATOR_LOGIN_EXPIRED', 'The code is over; begin again.', { retryable: true });
        else if (word !== 'authorization_pending') throw error;
      }
    }
  } finally {
    bar.end();
  }
  if (cli.signal.aborted) throw stopped();
  throw local('OPERATOR_LOGIN_TIMEOUT', 'Nobody entered the code in time.', { retryable: true });
}

const loginCodes = {
  denied: 'OPERATOR_LOGIN_DENIED',
  timeout: 'OPERATOR_LOGIN_TIMEOUT',
  failed: 'OPERATOR_LOOPBACK_FAILED',
};

interface ControlToken {
  readonly control_plane_session_token: string;
  readonly expires_in: number;
  readonly provenance: string;
  readonly principal_id: string;
  readonly amr: readonly string[];
}

async function loginByLoopback({ cli, flags }: Call): Promise<unknown> {
  const { url } = await apiBase(cli);
  const { code, verifier, redirectUri, state } = await loopback(cli, {
    open: !flags.is('no-open'),
    timeoutMs: (flags.number('timeout-seconds') ?? usualTimeoutSeconds) * 1000,
    codes: loginCodes,
    begin: async ({ redirectUri: back, challenge, state: word }) => {
      const query = new URLSearchParams({
        redirect_uri: back,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        state: word,
        nonce: word,
      });
      return `${url}${plane}/cli/authorize?${query}`;
    },
  });
  const body = { code, code_verifier: verifier, redirect_uri: redirectUri, state };
  const { body: given } = await call<ControlToken>(cli, {
    method: 'POST',
    path: `${plane}/cli/token`,
    body,
    credential: noCredential,
  });
  const { control_plane_session_token: token, expires_in, provenance, principal_id, amr } = given;
  const view = { principal_id, provenance, amr };
  const expires_at = inSeconds(expires_in);
  await keepSession(cli, 'control-plane', { api_base: url, token, expires_at, view });
  const { body: session } = await call(cli, {
    method: 'GET',
    path: `${plane}/session`,
    credential: bearer('session', token),
  });
  return { ...view, expires_at, memberships: session.memberships ?? [] };
}

const revokePaths: Readonly<Record<SessionKind, string>> = {
  operator: `${operator}/session/revoke`,
  'control-plane': `${plane}/session/revoke`,
};

const logout: Command = {
  words: 'operator logout',
  summary: 'End your sessions, there and here. It succeeds when there are none.',
  examples: [['Sign out', 'operator logout']],
  async run({ cli }) {
    const { url } = await apiBase(cli);
    const revoked: SessionKind[] = [];
    for (const kind of ['operator', 'control-plane'] as const) {
      const session = await keptSession(cli, kind, url);
      await forgetSession(cli, kind);
      if (session === undefined) continue;
      try {
        // This session is not stored: if the gateway rejects it, there is nothing to remove.
        const credential = { ...bearer('none', session.token) };
        await call(cli, { method: 'POST', path: revokePaths[kind], body: {}, credential });
        revoked.push(kind);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }
    await forgetApprovals(cli);
    return { logged_out: true, revoked };
  },
};

const overview: Command = {
  words: 'operator overview',
  summary: 'What belongs to you: organizations, wallets, and what needs looking at.',
  about: ['By your session across all wallets of your address; without one, by the wallet in use, for itself.'],
  examples: [['At a glance', 'operator overview']],
  operations: ['operator.getOverview'],
  run: async ({ cli }) => perform(cli, rows['operator.getOverview'], {}, { credential: readingSession }),
};

/** The read session. It takes precedence over the wallet here, because it covers all wallets of its person. */
async function readingSession(cli: Cli): Promise<Credential | undefined> {
  const session = await liveSession(cli, 'operator', (await apiBase(cli)).url);
  return session === undefined ? undefined : bearer('operator', session.token);
}

const projects = operationCommand('operator projects', rows['operator.listProjects'], {
  seek: false,
  flags: { include: null, after: 'cursor' },
  more: [{ name: 'include-archived', type: 'boolean', about: 'Those that were put away, too.' }],
  set: ({ flags }) => (flags.is('include-archived') ? { include: 'archived' } : {}),
  credential: readingSession,
  examples: [['All of them', 'operator projects']],
});

const contents = operationCommand('operator contents', rows['operator.getContents'], {
  takes: [take('project', { optional: true })],
  about: ['It takes a wallet, or a session by --loopback with a passkey of the last five minutes.'],
  examples: [['Of the project in use', 'operator contents']],
});

const whoami: Command = {
  words: 'operator whoami',
  summary: 'Whose sessions are kept here. Nothing is asked of any gateway.',
  examples: [['Who am I here?', 'operator whoami']],
  async run({ cli }) {
    const { url } = await apiBase(cli);
    const [reads, writes] = await Promise.all([
      keptSession(cli, 'operator', url),
      keptSession(cli, 'control-plane', url),
    ]);
    if (reads === undefined && writes === undefined)
      throw local('OPERATOR_LOGIN_REQUIRED', 'Nobody is signed in here.', {
        nextActions: [runCommand('svc operator login', 'It signs you in by a browser.')],
      });
    const shown = (session: typeof reads) =>
      session === undefined ? null : { ...session.view, expires_at: session.expires_at };
    return { operator: shown(reads), control_plane: shown(writes) };
  },
};

const status: Command = {
  words: 'operator status',
  summary: 'Sessions and approvals that are kept here. Nothing is asked of any gateway.',
  examples: [['What holds?', 'operator status']],
  async run({ cli }) {
    const { url } = await apiBase(cli);
    const session = (await keptSession(cli, 'control-plane', url)) ?? (await keptSession(cli, 'operator', url));
    const { provenance, amr } = session?.view ?? {};
    const approvals = await keptApprovals(cli, url);
    return {
      operator_login: {
        active: session !== undefined,
        ...(session === undefined ? {} : { provenance, amr, expires_at: session.expires_at }),
      },
      approvals: approvals.map(({ action, org_id = null, project_id = null, expires_at }) => ({
        action,
        org_id,
        project_id,
        expires_at,
      })),
    };
  },
};

export const group: Group = {
  name: 'operator',
  about: [
    'svc operator: a person’s own sessions, beside the wallets of machines. A browser and, for changes, a passkey are what they sign in with.',
  ],
  commands: everyCommand(rows, [login, logout, overview, projects, contents, whoami, status, approve, claim]),
};
