import { randomBytes, randomUUID } from 'node:crypto';
import { sha256Hex } from '../../core/keys.ts';
import type { Services } from '../../kernel/run/context.ts';
import { newDelegateToken } from '../../resolvers/identity/shared/delegate-token.ts';
import { signSessionToken } from '../../resolvers/identity/shared/session-token.ts';
import type { ControlDatabase } from './control-database.ts';
import { createWallet } from './wallet.ts';

/** Somebody who sends requests: makes the credential headers of each. */
export interface Actor {
  /** @param onlyReads whether a proof will do that was shown before; one who signs signs again otherwise */
  readonly headers: (path: string, onlyReads?: boolean) => Promise<Record<string, string>>;
}

export interface PrincipalActor extends Actor {
  readonly principalId: string;
}

export interface WalletActor extends Actor {
  readonly address: string;
  readonly checksumAddress: string;
  readonly privateKey: string;
  /** A header of one's own making, for replays and tampering. */
  readonly sign: (
    options?: Omit<Parameters<ReturnType<typeof createWallet>['header']>[0], 'baseUrl'>,
  ) => Promise<string>;
}

export interface SessionActor extends PrincipalActor {
  readonly sessionId: string;
  readonly token: string;
}

/** How long a wallet shows one signature with what only reads, in milliseconds; it is good for five minutes. */
const shownAgainMs = 30_000;

export const nobody: Actor = { headers: async () => ({}) };

export const withHeaders = (headers: Record<string, string>): Actor => ({ headers: async () => headers });

/** Makes callers of every kind. What only a browser could mint later is minted here by the gateway's own functions. */
export function createActors({
  url,
  services,
  control,
  adminKey,
}: {
  url: string;
  services: Services;
  control: ControlDatabase;
  adminKey: string;
}) {
  const principal = async (type: 'human' | 'agent' = 'human') => {
    const id = services.newId('prn');
    await control.sql('insert into principals (id, type) values ($1, $2)', [id, type]);
    return id;
  };

  return {
    nobody,
    admin: withHeaders({ 'x-admin-key': adminKey }),
    bearer: (token: string) => withHeaders({ authorization: `Bearer ${token}` }),
    apikey: (key: string) => withHeaders({ apikey: key }),

    /**
     * Signs every change anew, as it must, and with it whatever is sent by {@link Actor.headers} alone. To sign and to
     * recover take more of a processor than all else of a small request.
     */
    wallet(): WalletActor {
      const wallet = createWallet();
      const sign: WalletActor['sign'] = (options = {}) => wallet.header({ baseUrl: url, ...options });
      let shown = { header: Promise.resolve(''), at: Number.NEGATIVE_INFINITY };
      const again = () => {
        const age = Date.now() - shown.at;
        if (!(age >= 0 && age < shownAgainMs)) shown = { header: sign(), at: Date.now() };
        return shown.header;
      };
      return {
        address: wallet.address,
        checksumAddress: wallet.checksumAddress,
        privateKey: wallet.privateKey,
        sign,
        headers: async (path, onlyReads = false) => ({
          'sign-in-with-x': await (onlyReads ? again() : sign({ path })),
        }),
      };
    },

    /** A person's session. `passkeyAgeSeconds`: how long ago the passkey was proven; undefined: never. */
    async session({
      kind = 'control_plane',
      principalId,
      passkeyAgeSeconds,
    }: {
      kind?: 'control_plane' | 'operator';
      principalId?: string;
      passkeyAgeSeconds?: number;
    } = {}): Promise<SessionActor> {
      const owner = principalId ?? (await principal());
      const id = services.newId('ses');
      const now = services.now();
      const amrTimes: Record<string, number> = { email: Math.floor(now.getTime() / 1000) };
      if (passkeyAgeSeconds !== undefined) amrTimes.passkey = Math.floor(now.getTime() / 1000) - passkeyAgeSeconds;
      await control.sql(
        `insert into sessions (id, kind, principal_id, email, provenance, amr_times, absolute_expires_at)
         values ($1, $2, $3, $4, 'loopback_pkce', $5, now() + interval '12 hours')`,
        [id, kind, owner, `${owner}@example.com`, JSON.stringify(amrTimes)],
      );
      const subject = kind === 'operator' ? `${owner}@example.com` : owner;
      const session = { id, kind, subject, provenance: 'loopback_pkce', amrTimes };
      const token = await signSessionToken(services.keys, session, now);
      return { principalId: owner, sessionId: id, token, headers: async () => ({ authorization: `Bearer ${token}` }) };
    },

    /** An approval of one (action, target), bound to a session. @returns the value of `X-Svc-Write-Auth` */
    async approval(session: SessionActor, action: string, targetId: string): Promise<string> {
      const token = randomBytes(24).toString('base64url');
      await control.sql(
        `insert into write_approvals (id, session_id, token_hash, action, target_id, absolute_expires_at)
         values ($1, $2, $3, $4, $5, now() + interval '4 hours')`,
        [services.newId('wap'), session.sessionId, sha256Hex(token), action, targetId],
      );
      return `Bearer ${token}`;
    },

    /** A delegate token on a project, with a grant of its own behind it. */
    async delegate({
      orgId,
      projectId,
      capabilities,
    }: {
      orgId: string;
      projectId: string;
      capabilities: readonly string[];
    }) {
      const principalId = await principal('agent');
      const grantId = randomUUID();
      const delegateId = randomUUID();
      const { token, hash } = newDelegateToken();
      await control.sql(
        `insert into project_grants (org_id, id, project_id, principal_id, capability) values ($1, $2, $3, $4, $5)`,
        [orgId, grantId, projectId, principalId, capabilities[0] ?? 'read'],
      );
      await control.sql(
        `insert into delegates (org_id, id, project_id, grant_id, principal_id, kind, token_hash, scope)
         values ($1, $2, $3, $4, $5, 'svc_agent_key', $6, $7)`,
        [orgId, delegateId, projectId, grantId, principalId, hash, JSON.stringify({ v: 1, capabilities })],
      );
      return { principalId, delegateId, grantId, token, ...withHeaders({ authorization: `Bearer ${token}` }) };
    },

    /** Makes a principal a member. */
    async member(orgId: string, principalId: string, role: string, status = 'active') {
      await control.sql(
        `insert into memberships (org_id, principal_id, id, role, status) values ($1, $2, $3, $4, $5)
         on conflict (org_id, principal_id) do update set role = excluded.role, status = excluded.status`,
        [orgId, principalId, randomUUID(), role, status],
      );
    },
  };
}

export type Actors = ReturnType<typeof createActors>;
