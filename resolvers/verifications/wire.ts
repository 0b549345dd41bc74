import { z } from 'zod';
import { asDollars, priceOf } from '../payments/shared/plans.ts';
import { AuditResultWire } from '../site-audits/shared/audit-result-wire.ts';
import type { Verification } from './verification.ts';

const VerifyVerified = z
  .object({
    ok: z.literal(true),
    verified: z.literal(true),
    license_key: z.string(),
    plan: z.enum(['starter', 'pro', 'buyout']),
    plan_price: z.literal([3, 29, 950]),
    network: z.string(),
    tx_hash: z.string(),
    payer: z.string(),
    asset: z.string(),
    amount: z.string(),
    amount_usd: z.string(),
    block: z.int(),
    confirmations: z.int(),
    domain: z.string().nullable(),
    issued_at: z.iso.datetime(),
    report: AuditResultWire.nullable(),
    report_error: z.string().nullable(),
  })
  .meta({ id: 'VerifyVerified' });

const VerifyPending = z
  .object({
    ok: z.literal(false),
    verified: z.literal(false),
    pending: z.boolean(),
    reason: z.string(),
    network: z.string(),
    tx_hash: z.string(),
  })
  .meta({ id: 'VerifyPending' });

/** Both answers of `POST /api/verify-tx`. Contract 00, section 2.2. */
export const VerificationWire = z.discriminatedUnion('verified', [VerifyVerified, VerifyPending]);

export function verificationToWire(verification: Verification): z.output<typeof VerificationWire> {
  if (!verification.verified) {
    const { pending, reason, network, txHash } = verification;
    return { ok: false, verified: false, pending, reason, network, tx_hash: txHash };
  }
  const { licence, payment, report, reportError } = verification;
  return {
    ok: true,
    verified: true,
    license_key: licence.jws,
    plan: licence.plan,
    plan_price: priceOf(licence.plan),
    network: payment.network,
    tx_hash: payment.txHash,
    payer: payment.payer,
    asset: payment.asset,
    amount: payment.amount.toString(),
    amount_usd: asDollars(payment),
    block: payment.block,
    confirmations: payment.confirmations,
    domain: licence.domain,
    issued_at: licence.issuedAt.toISOString(),
    report,
    report_error: reportError,
  };
}
