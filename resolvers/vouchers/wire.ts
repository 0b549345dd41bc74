import { z } from 'zod';
import type { Voucher, VoucherIssuer } from '../../db/schema/vouchers.ts';

/** Contract 04, section 1.7. */
export const VoucherWire = z
  .object({
    voucher_id: z.uuid(),
    amount_usd_micros: z.int().positive(),
    ref: z.string().nullable(),
    expires_at: z.iso.datetime(),
    redeemed_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Voucher' });

export const voucherToWire = (voucher: Omit<Voucher, 'codeHash'>) => ({
  voucher_id: voucher.id,
  amount_usd_micros: Number(voucher.amount),
  ref: voucher.ref,
  expires_at: voucher.expiresAt.toISOString(),
  redeemed_at: voucher.redeemedAt?.toISOString() ?? null,
  created_at: voucher.createdAt.toISOString(),
});

export const MintedVoucherWire = VoucherWire.extend({
  code: z.string().nullable().meta({ secret: true }),
}).meta({ id: 'MintedVoucher' });

export const mintedToWire = ({ voucher, code }: { readonly voucher: Voucher; readonly code: string | null }) => ({
  ...voucherToWire(voucher),
  code,
});

export const VoucherIssuerWire = z
  .object({
    issuer_id: z.uuid(),
    name: z.string(),
    voucher_max_usd_micros: z.int(),
    outstanding_max_usd_micros: z.int(),
    daily_max_usd_micros: z.int(),
    public_amount_usd_micros: z.int().nullable(),
    disabled_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'VoucherIssuer' });

export type ShownIssuer = Omit<VoucherIssuer, 'keyHash'>;

export const issuerToWire = (issuer: ShownIssuer) => ({
  issuer_id: issuer.id,
  name: issuer.name,
  voucher_max_usd_micros: Number(issuer.voucherMax),
  outstanding_max_usd_micros: Number(issuer.outstandingMax),
  daily_max_usd_micros: Number(issuer.dailyMax),
  public_amount_usd_micros: issuer.publicAmount === null ? null : Number(issuer.publicAmount),
  disabled_at: issuer.disabledAt?.toISOString() ?? null,
  created_at: issuer.createdAt.toISOString(),
});
