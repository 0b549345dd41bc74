import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import { sql } from '../../db/drizzle.ts';
import { voucherIssuers } from '../../db/schema/vouchers.ts';
import { statement } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { issuerColumns } from './issuers.ts';
import { type MadeVoucher, makeVoucher } from './make-voucher.ts';
import { MintedVoucherWire, mintedToWire } from './wire.ts';

/** Days until a voucher expires that no key was shown for. */
const publicDays = 30;

/** One a day for each network of clients. */
const publicRate = { perSecond: 1 / 86_400, burst: 1 };

/** `POST /vouchers/v1/mints`. Contract 04, section 1.7. */
export const mintPublicVoucher = mutation({
  name: 'vouchers.mintPublic',
  tool: 'mint_public_voucher',
  command: 'vouchers mint-public',
  summary: 'Make a voucher without a key, where the platform admin offers that: one for each network and day.',
  path: 'POST /vouchers/v1/mints 201',
  access: anyone(),
  credentialBound: true,
  input: z.object({
    context: jsonObject({ kib: 4, depth: 16 })
      .optional()
      .describe('Whatever the client wants to be kept with it; at most 4 KiB of JSON.'),
  }),
  async handler(work, { context }): Promise<MadeVoucher> {
    const [issuer] = await work.rows(publicStatement.with({}));
    if (issuer === undefined || issuer.disabledAt !== null) throw new ServiceError('PUBLIC_MINT_NOT_ENABLED');
    const { rateLimiter } = work.services;
    assertWithinRate(rateLimiter.take(`public-vouchers:${networkOf(work.request.address)}`, publicRate));
    return makeVoucher(work, issuer, { amount: issuer.publicAmount!, context, days: publicDays });
  },
  audit: ({ voucher }) => ({
    action: 'voucher.minted',
    object: { kind: 'voucher', id: voucher.id },
    details: { issuer_id: voucher.issuerId, amount_usd_micros: Number(voucher.amount) },
  }),
  wire: MintedVoucherWire.extend({}),
  toWire: mintedToWire,
});

const publicStatement = statement(
  'vouchers.public-issuer',
  { row: issuerColumns },
  (_, row) =>
    sql`select ${row} from ${voucherIssuers} where ${voucherIssuers.publicAmount} is not null for no key update`,
);
