import type { Cli } from '../cli.ts';
import { keptKeys } from '../files/project-keys.ts';
import { keptApprovals } from '../files/sessions.ts';
import { signingWallet } from '../files/wallets.ts';
import { liveSession } from './sessions.ts';

/** By what a request is sent: exactly one family. */
export type CredentialKind = 'delegate' | 'wallet' | 'session' | 'operator' | 'service_key' | 'admin' | 'none';

export interface Credential {
  readonly kind: CredentialKind;
  readonly headers: Readonly<Record<string, string>>;
}

/** For what anybody may ask. */
export const noCredential: Credential = { kind: 'none', headers: {} };

/** What a request changes, where a person’s session needs an approval for it. */
export interface ApprovalTarget {
  readonly action: string;
  readonly org_id?: string | undefined;
  readonly project_id?: string | undefined;
}

interface CredentialScope {
  readonly url: URL;
  readonly apiBase: string;
  /** The project that is asked about: its kept service key does where there is nothing else. */
  readonly project?: string | undefined;
  readonly approval?: ApprovalTarget | undefined;
  /** How much later than here it is at the gateway, in milliseconds. @default 0 */
  readonly laterMs?: number;
}

/**
 * The credential of this machine's user: a delegate token of the environment, else the wallet, else a person's session
 * with its approval, else a service key. Contract 04, section 0.1.
 */
export async function principalCredential(cli: Cli, asked: CredentialScope): Promise<Credential> {
  const { env } = cli;
  if (env.SVC_DELEGATE_TOKEN !== undefined) return bearer('delegate', env.SVC_DELEGATE_TOKEN);
  const wallet = await signingWallet(cli);
  if (wallet !== undefined) {
    const { siwxHeader } = await import('./siwx.ts');
    return { kind: 'wallet', headers: { 'sign-in-with-x': await siwxHeader(wallet, asked.url, asked) } };
  }
  const session = await liveSession(cli, 'control-plane', asked.apiBase);
  if (session !== undefined) {
    const { headers } = bearer('session', session.token);
    return { kind: 'session', headers: { ...headers, ...(await approvalHeader(cli, asked)) } };
  }
  const operator = await liveSession(cli, 'operator', asked.apiBase);
  if (operator !== undefined) return bearer('operator', operator.token);
  const key =
    env.SVC_SERVICE_KEY ??
    (asked.project === undefined ? undefined : (await keptKeys(cli, asked.apiBase))[asked.project]?.service_key);
  return key === undefined ? noCredential : bearer('service_key', key);
}

export const bearer = (kind: CredentialKind, token: string): Credential => ({
  kind,
  headers: { authorization: `Bearer ${token}` },
});

async function approvalHeader(cli: Cli, { apiBase, approval }: CredentialScope): Promise<Record<string, string>> {
  if (approval === undefined) return {};
  const found = (await keptApprovals(cli, apiBase)).find(
    (one) =>
      one.action === approval.action &&
      (one.org_id ?? undefined) === approval.org_id &&
      (one.project_id ?? undefined) === approval.project_id,
  );
  return found === undefined ? {} : { 'x-svc-write-auth': `Bearer ${found.token}` };
}
