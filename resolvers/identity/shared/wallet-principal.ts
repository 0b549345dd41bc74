import { inTransaction, type Statement } from '../../../db/pool.ts';
import type { CallerAuthenticator, CallerPrincipal } from '../../../kernel/access/caller.ts';
import { newcomerRate } from '../../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../../kernel/limits/rate-limit.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { createPrincipal } from './subject-principal.ts';

interface WalletRow {
  readonly id: string;
  readonly type: CallerPrincipal['type'];
  readonly display_name: string | null;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly authenticator_id: string;
  readonly verified_at: Date | null;
  readonly revoked_at: Date | null;
}

export interface WalletPrincipal {
  readonly principal: CallerPrincipal;
  readonly authenticator: CallerAuthenticator;
  readonly disabled: boolean;
}

/**
 * The principal of a wallet; a wallet seen for the first time becomes an agent. Contract 01, section 1.6.
 *
 * @param network where it comes from
 * @throws RATE_LIMITED when too many new wallets come from there
 */
export async function findOrCreateWalletPrincipal(
  services: Services,
  address: string,
  network: string,
): Promise<WalletPrincipal> {
  const { db, rateLimiter } = services;
  let [row] = await db.rows<WalletRow>(findStatement, [address]);
  if (row === undefined) {
    assertWithinRate(rateLimiter.take(`newcomers:${network}`, newcomerRate));
    const subject = { kind: 'wallet', publicSubject: address } as const;
    await inTransaction(db.pool, (client) =>
      createPrincipal(client, services, subject, { type: 'agent', verified: true }),
    );
    [row] = await db.rows<WalletRow>(findStatement, [address]);
  }
  // Somebody else named this wallet before it signed for the first time.
  if (row!.verified_at === null) await db.rows(provenStatement, [row!.authenticator_id]);
  const { id, type, display_name, created_at, disabled_at, authenticator_id, revoked_at } = row!;
  return {
    principal: { id, type, displayName: display_name, createdAt: created_at },
    authenticator: { id: authenticator_id, kind: 'wallet', publicSubject: address },
    disabled: disabled_at !== null || revoked_at !== null,
  };
}

const findStatement: Statement = {
  name: 'identity.wallet',
  pipelined: true,
  text: `select p.id, p.type, p.display_name, p.created_at, p.disabled_at, a.id as authenticator_id, a.verified_at,
      a.revoked_at
    from authenticators a join principals p on p.id = a.principal_id
    where a.kind = 'wallet' and a.public_subject = $1`,
};

const provenStatement: Statement = {
  name: 'identity.wallet.proven',
  text: 'update authenticators set verified_at = now() where id = $1 and verified_at is null',
};
