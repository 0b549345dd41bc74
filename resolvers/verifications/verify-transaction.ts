import { z } from 'zod';
import { readTransactionHash } from '../../engines/chains/transaction-hash.ts';
import { anyone } from '../../kernel/access/access.ts';
import { budgets } from '../../kernel/limits/budgets.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { issueLicence } from '../licences/shared/issue-licence.ts';
import { findVerified, keepReport, lockTransaction, recordPayment } from '../payments/shared/chain-payments.ts';
import { prepareVerification } from './prepare-verification.ts';
import { saleHindering } from './sale-of.ts';
import { unverified, type Verification } from './verification.ts';
import { VerificationWire, verificationToWire } from './wire.ts';

/** `POST /api/verify-tx`. Contract 00, part 2. */
export const verifyTransaction = mutation({
  name: 'licences.verifyTransaction',
  tool: 'verify_transaction',
  command: 'audit verify-tx',
  effects: ['idempotent', 'openWorld'],
  duration: 'long',
  summary: 'Have a payment on chain looked at, and get the licence that it bought.',
  access: anyone(),
  budget: () => budgets.verifications,
  input: z
    .object({
      tx_hash: z
        .string()
        .refine(
          (text) => readTransactionHash(text) !== undefined,
          'must be the hash of a transaction: 0x and 64 hexadecimal digits, or on TON 64 of them or 44 characters of base64',
        )
        .describe('Hash of the transaction that paid; on TON also of the message that was sent.'),
      network: z
        .enum(['ton', 'base', 'bsc', 'polygon', 'ethereum'])
        .optional()
        .describe('Where it paid; `base` for a hash with 0x, else `ton`, when absent.'),
      url: z.string().optional().describe('HTTPS address or host name of the site that the licence is for.'),
      plan_price: z
        .literal([3, 29, 950])
        .optional()
        .describe('Price of the plan in dollars: 3, 29 or 950; the best that was paid for, when absent.'),
    })
    .meta({ id: 'VerifyRequest' }),
  prepare: prepareVerification,
  async handler(work, _input, prepared): Promise<Verification> {
    if (prepared.state === 'known') return prepared.verification;
    const { payment, used, plan, domain, namedAs, reported } = prepared;
    const { network, txHash, payer, paidAt } = payment;
    await lockTransaction(work.rows, network, txHash);
    const hindering = await saleHindering(work.rows, network, txHash, used);
    if (hindering !== undefined) return unverified(hindering, network, txHash);
    // The first that comes here decides; whoever comes second is given the same.
    const licence = await issueLicence(work, { network, txHash, payer, plan, blockTime: paidAt, domain });
    const isNew = await recordPayment(work.rows, payment, namedAs);
    if (reported !== undefined && licence.domain === domain) await keepReport(work.rows, payment, reported);
    return { verified: true, licence, isNew, ...(await findVerified(work.rows, network, txHash))! };
  },
  audit: (verification) =>
    verification.verified && verification.isNew
      ? {
          action: 'licence.issued',
          object: { kind: 'licence', id: verification.licence.jti },
          details: {
            network: verification.payment.network,
            tx_hash: verification.payment.txHash,
            plan: verification.licence.plan,
          },
        }
      : undefined,
  wire: VerificationWire,
  toWire: verificationToWire,
});
