import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { voucherIssuers } from '../../db/schema/vouchers.ts';
import { pick, statement } from '../../db/sql.ts';
import type { Access, NoScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { ShownIssuer } from './wire.ts';

/** Whose key the caller has shown. */
export interface IssuerScope extends NoScope {
  readonly issuerId: string;
}

/** An issuer, by its key. */
export const byIssuer = <Input>(): Access<Input, IssuerScope> => ({
  action: null,
  authorise: async (_ctx, caller) => {
    if (caller.kind === 'voucher_issuer') return { issuerId: caller.issuerId };
    throw new ServiceError(caller.kind === 'nobody' ? 'AUTH_REQUIRED' : 'FORBIDDEN', {
      message: 'The key of an issuer of vouchers is needed here.',
    });
  },
});

/** Everything but the hash of the key. */
export const issuerColumns = pick(
  voucherIssuers,
  'id',
  'name',
  'voucherMax',
  'outstandingMax',
  'dailyMax',
  'publicAmount',
  'disabledAt',
  'createdAt',
);

/** Locks an issuer, so that its vouchers are made one after the other. */
export async function lockIssuer(work: Work, id: string): Promise<ShownIssuer | undefined> {
  const [issuer] = await work.rows(lockStatement.with({ id }));
  return issuer;
}

const lockStatement = statement(
  'vouchers.lock-issuer',
  { params: pick(voucherIssuers, 'id'), row: issuerColumns },
  ({ id }, row) => sql`select ${row} from ${voucherIssuers} where ${voucherIssuers.id} = ${id} for no key update`,
);
