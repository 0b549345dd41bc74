import { sql } from '../../../db/drizzle.ts';
import { inTransaction } from '../../../db/pool.ts';
import { authenticators, principals } from '../../../db/schema/identity.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { CallerAuthenticator, CallerPrincipal } from '../../../kernel/access/caller.ts';
import { newcomerRate } from '../../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../../kernel/limits/rate-limit.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { createPrincipal } from './subject-principal.ts';

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
  let [row] = await db.rows(findStatement.with({ address }));
  if (row === undefined) {
    assertWithinRate(rateLimiter.take(`newcomers:${network}`, newcomerRate));
    const subject = { kind: 'wallet', publicSubject: address } as const;
    await inTransaction(db.pool, (client) =>
      createPrincipal(client, services, subject, { type: 'agent', verified: true }),
    );
    [row] = await db.rows(findStatement.with({ address }));
  }
  // Somebody else named this wallet before it signed for the first time.
  if (row!.verifiedAt === null) await db.rows(provenStatement.with({ id: row!.authenticatorId }));
  const { id, type, displayName, createdAt, disabledAt, authenticatorId, revokedAt } = row!;
  return {
    principal: { id, type, displayName, createdAt },
    authenticator: { id: authenticatorId, kind: 'wallet', publicSubject: address },
    disabled: disabledAt !== null || revokedAt !== null,
  };
}

const findStatement = statement(
  'identity.wallet',
  {
    params: { address: authenticators.publicSubject },
    row: {
      ...pick(principals, 'id', 'type', 'displayName', 'createdAt', 'disabledAt'),
      authenticatorId: authenticators.id,
      ...pick(authenticators, 'verifiedAt', 'revokedAt'),
    },
    pipelined: true,
  },
  ({ address }, row) => sql`select ${row} from ${authenticators}
    join ${principals} on ${principals.id} = ${authenticators.principalId}
    where ${authenticators.kind} = 'wallet' and ${authenticators.publicSubject} = ${address}`,
);

const provenStatement = statement(
  'identity.wallet.proven',
  { params: pick(authenticators, 'id') },
  ({ id }) => sql`update ${authenticators} ${setOf(authenticators, { verifiedAt: sql`now()` })}
    where ${authenticators.id} = ${id} and ${authenticators.verifiedAt} is null`,
);
