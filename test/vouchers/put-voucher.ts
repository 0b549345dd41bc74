import { randomUUID } from 'node:crypto';
import { newVoucherCode, voucherCodeHash } from '../../resolvers/vouchers/code.ts';
import type { Service } from '../helpers/service.ts';

/** Puts an issuer among those that there are. @returns its id */
export async function putIssuer({ control }: Pick<Service, 'control'>): Promise<string> {
  const [row] = await control.sql<{ id: string }>(
    `insert into voucher_issuers (id, name, key_hash, voucher_max_usd_micros, outstanding_max_usd_micros, daily_max_usd_micros)
     values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1000000, 1000000, 1000000) returning id`,
  );
  return row!.id;
}

/** Puts a voucher of one micro-dollar among those that there are. @returns its code */
export async function putVoucher(service: Pick<Service, 'control'>): Promise<string> {
  const code = newVoucherCode();
  await service.control.sql(
    `insert into vouchers (id, issuer_id, code_hash, amount_usd_micros, expires_at)
     values ($1, $2, $3, 1, now() + interval '1 day')`,
    [randomUUID(), await putIssuer(service), voucherCodeHash(code)],
  );
  return code;
}
