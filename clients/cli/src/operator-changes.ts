import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { local, runCommand } from './failure.ts';
import { keepApproval } from './files/sessions.ts';
import { activeWallet } from './files/wallets.ts';
import { apiBase } from './net/api-base.ts';
import { bearer, type Credential, noCredential } from './net/credential.ts';
import { call } from './net/gateway.ts';
import { loopback, noOpen, timeout, usualTimeoutSeconds } from './net/loopback.ts';
import { liveSession } from './net/sessions.ts';
import { orgFlag, projectFlag, requireOrg, requireProject } from './resolve.ts';

const plane = '/agent/v1/control-plane';
const operator = '/agent/v1/operator';

/** The session that changes things. @throws OPERATOR_LOGIN_REQUIRED */
async function requireSession(cli: Cli): Promise<Credential> {
  const session = await liveSession(cli, 'control-plane', (await apiBase(cli)).url);
  if (session !== undefined) return bearer('session', session.token);
  throw local('OPERATOR_LOGIN_REQUIRED', 'This wants a person’s session, and there is none.', {
    nextActions: [runCommand('svc operator login --loopback', 'It signs you in by a browser and a passkey.')],
  });
}

const approveCodes = {
  denied: 'OPERATOR_APPROVE_FAILED',
  timeout: 'OPERATOR_APPROVE_FAILED',
  failed: 'OPERATOR_APPROVE_FAILED',
};

/** Has one kind of change approved. Contract 04, section 3.7. */
export const approve: Command = {
  words: 'operator approve',
  summary: 'Approve one kind of change on one organization or project, by a passkey.',
  about: [
    'A person’s session needs it to make projects, deploy and write secrets; wallets and delegates do not. It holds for half an hour, and ends with the session.',
  ],
  flags: [
    {
      name: 'action',
      type: 'string',
      required: true,
      choices: [
        'org.project.create',
        'project.deploy',
        'project.secret.write',
        'project.snapshots.manage',
        'project.branches.manage',
        'project.archives.export',
      ],
      about: 'The change.',
    },
    { ...orgFlag, about: 'Organization, for org.project.create.' },
    { ...projectFlag, about: 'Project, for the others.' },
    noOpen,
    timeout,
  ],
  examples: [
    [
      'Projects in an organization',
      'operator approve --action org.project.create --org 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70',
    ],
  ],
  async run({ cli, flags }) {
    const credential = await requireSession(cli);
    const action = flags.text('action')!;
    const target = action.startsWith('org.')
      ? { org_id: await requireOrg(cli, { '--org': flags.text('org') }) }
      : { project_id: await requireProject(cli, { '--project': flags.text('project') }) };
    const { url } = await apiBase(cli);
    const { code, verifier, state } = await loopback(cli, {
      open: !flags.is('no-open'),
      timeoutMs: (flags.number('timeout-seconds') ?? usualTimeoutSeconds) * 1000,
      codes: approveCodes,
      begin: async ({ redirectUri, challenge, state: word }) => {
        const body = { action, ...target, cli_redirect_uri: redirectUri, code_challenge: challenge, state: word };
        const { body: begun } = await call<{ confirm_url: string }>(cli, {
          method: 'POST',
          path: `${plane}/write-auth/challenges`,
          body,
          credential,
        });
        if (URL.parse(begun.confirm_url)?.origin !== new URL(url).origin)
          throw local('OPERATOR_APPROVE_BAD_CONFIRM_URL', 'The page to approve on is not the gateway’s own.', {
            details: { confirm_url: begun.confirm_url },
          });
        return begun.confirm_url;
      },
    });
    const { body: given } = await call<{ write_auth_token: string; session: { expires_at: string } }>(cli, {
      method: 'POST',
      path: `${plane}/write-auth/cli/token`,
      body: { code, code_verifier: verifier, state },
      credential: noCredential,
    });
    const { expires_at } = given.session;
    await keepApproval(cli, { api_base: url, action, ...target, token: given.write_auth_token, expires_at });
    return { approved: true, action, ...target, expires_at };
  },
};

/** Has a person own what a wallet owns. Contract 04, section 3.7. */
export const claim: Command = {
  words: 'operator claim-wallet-org',
  summary: 'Become an owner of what the wallet in use owns; the wallet keeps its membership.',
  about: [
    'Your session and the wallet’s signature prove it together. Where the wallet owns several organizations the answer lists them, and --org names one.',
  ],
  flags: [
    { ...orgFlag, about: 'Which one, where the wallet owns several.' },
    { name: 'name', type: 'string', about: 'What it is called from then on.' },
  ],
  examples: [
    ['The only one', 'operator claim-wallet-org'],
    ['One of several', 'operator claim-wallet-org --org 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --name "Our team"'],
  ],
  async run({ cli, flags }) {
    const session = await requireSession(cli);
    const wallet = await activeWallet(cli);
    const { url } = await apiBase(cli);
    const named = flags.text('org');
    const org_id = named === undefined ? undefined : await requireOrg(cli, { '--org': named });
    const begin = {
      method: 'POST',
      path: `${operator}/claim-wallet-org/challenge`,
      body: { wallet: wallet.address },
      credential: session,
    };
    const { body: challenge } = await call<{ nonce: string }>(cli, begin);
    const { siwxHeader } = await import('./net/siwx.ts');
    const path = `${operator}/claim-wallet-org`;
    const proof = await siwxHeader(wallet, new URL(url + path), { nonce: challenge.nonce });
    const credential: Credential = { kind: 'session', headers: { ...session.headers, 'sign-in-with-x': proof } };
    return (await call(cli, { method: 'POST', path, body: { org_id, display_name: flags.text('name') }, credential }))
      .body;
  },
};
