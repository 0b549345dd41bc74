import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import { voucherIssuers } from '../../db/schema/vouchers.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { issuerInput } from './issuer-input.ts';
import { issuerColumns, lockIssuer } from './issuers.ts';
import { issuerToWire, type ShownIssuer, VoucherIssuerWire } from './wire.ts';

/** `PATCH /vouchers/v1/admin/issuers/:issuer_id`. Vouchers that it made stay good, also when it is disabled. */
export const updateVoucherIssuer = mutation({
  name: 'vouchers.updateIssuer',
  tool: 'admin_update_voucher_issuer',
  command: 'admin issuer update',
  effects: ['destructive', 'idempotent'],
  summary: 'Change what an issuer of vouchers may do, or disable it. Other settings stay; its vouchers stay good.',
  path: 'PATCH /vouchers/v1/admin/issuers/:issuer_id',
  access: platformAdmin(),
  input: z.object({
    issuer_id: z.string().min(1).max(1024).describe('The issuer, a UUID.'),
    name: issuerInput.name.optional(),
    voucher_max_usd_micros: issuerInput.voucher_max_usd_micros.optional(),
    outstanding_max_usd_micros: issuerInput.outstanding_max_usd_micros.optional(),
    daily_max_usd_micros: issuerInput.daily_max_usd_micros.optional(),
    public_amount_usd_micros: issuerInput.public_amount_usd_micros,
    disabled: z.boolean().optional().describe('Whether it may make none from now on.'),
  }),
  async handler(work, { issuer_id, disabled, ...input }): Promise<ShownIssuer> {
    const before = z.uuid().safeParse(issuer_id).success ? await lockIssuer(work, issuer_id) : undefined;
    if (before === undefined) throw new ServiceError('ISSUER_NOT_FOUND', { details: { issuer_id } });
    const given = input.public_amount_usd_micros;
    const changed = updateStatement.with({
      id: before.id,
      name: input.name ?? before.name,
      voucherMax: BigInt(input.voucher_max_usd_micros ?? before.voucherMax),
      outstandingMax: BigInt(input.outstanding_max_usd_micros ?? before.outstandingMax),
      dailyMax: BigInt(input.daily_max_usd_micros ?? before.dailyMax),
      publicAmount: given === undefined ? before.publicAmount : given === null ? null : BigInt(given),
      isDisabled: disabled ?? before.disabledAt !== null,
    });
    try {
      return (await work.rows(changed))[0]!;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ServiceError('ISSUER_NAME_TAKEN', { details: { name: input.name ?? before.name } });
    }
  },
  audit: ({ id }, { issuer_id: _, ...changes }) => ({
    action: 'voucher_issuer.updated',
    object: { kind: 'voucher_issuer', id },
    details: changes,
  }),
  wire: VoucherIssuerWire.extend({}),
  toWire: issuerToWire,
});

const updateStatement = statement(
  'vouchers.update-issuer',
  {
    params: {
      ...pick(voucherIssuers, 'id', 'name', 'voucherMax', 'outstandingMax', 'dailyMax', 'publicAmount'),
      isDisabled: typed<boolean>('boolean'),
    },
    row: issuerColumns,
  },
  ({ id, isDisabled, ...given }, row) =>
    sql`update ${voucherIssuers} ${setOf(voucherIssuers, {
      ...given,
      disabledAt: sql`case when ${isDisabled} then coalesce(${voucherIssuers.disabledAt}, now()) end`,
    })} where ${voucherIssuers.id} = ${id} returning ${row}`,
);
