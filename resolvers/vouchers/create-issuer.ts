import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { voucherIssuers } from '../../db/schema/vouchers.ts';
import { insertInto, pick, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { newIssuerKey } from '../identity/shared/issuer-key.ts';
import { issuerInput } from './issuer-input.ts';
import { issuerColumns } from './issuers.ts';
import { issuerToWire, type ShownIssuer, VoucherIssuerWire } from './wire.ts';

export interface CreatedIssuer {
  readonly issuer: ShownIssuer;
  /** Shown once. */
  readonly key: string;
}

/** `POST /vouchers/v1/admin/issuers`: the platform admin lets a program make vouchers. */
export const createVoucherIssuer = mutation({
  name: 'vouchers.createIssuer',
  tool: 'admin_create_voucher_issuer',
  command: 'admin issuer create',
  summary: 'Let a program make vouchers; its key is shown once.',
  path: 'POST /vouchers/v1/admin/issuers 201',
  access: platformAdmin(),
  credentialBound: true,
  input: z.object(issuerInput),
  async handler(work, input): Promise<CreatedIssuer> {
    const { key, hash } = newIssuerKey();
    const publicAmount = input.public_amount_usd_micros ?? null;
    const [issuer] = await work.rows(
      insertStatement.with({
        id: randomUUID(),
        name: input.name,
        keyHash: hash,
        voucherMax: BigInt(input.voucher_max_usd_micros),
        outstandingMax: BigInt(input.outstanding_max_usd_micros),
        dailyMax: BigInt(input.daily_max_usd_micros),
        publicAmount: publicAmount === null ? null : BigInt(publicAmount),
      }),
    );
    if (issuer === undefined) throw new ServiceError('ISSUER_NAME_TAKEN', { details: { name: input.name } });
    return { issuer, key };
  },
  audit: ({ issuer }) => ({
    action: 'voucher_issuer.created',
    object: { kind: 'voucher_issuer', id: issuer.id },
    details: { name: issuer.name },
  }),
  wire: VoucherIssuerWire.extend({ issuer_key: z.string().meta({ secret: true }) }),
  toWire: ({ issuer, key }) => ({ ...issuerToWire(issuer), issuer_key: key }),
});

const insertStatement = statement(
  'vouchers.create-issuer',
  {
    params: pick(voucherIssuers, 'id', 'name', 'keyHash', 'voucherMax', 'outstandingMax', 'dailyMax', 'publicAmount'),
    row: issuerColumns,
  },
  (given, row) => sql`${insertInto(voucherIssuers, given)} on conflict do nothing returning ${row}`,
);
