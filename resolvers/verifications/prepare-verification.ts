import { invalidField } from '../../core/errors.ts';
import type { ChainPayment, Finding, UsedAuthorization } from '../../engines/chains/finding.ts';
import type { ChainName } from '../../engines/chains/networks.ts';
import { familyOf, readTransactionHash } from '../../engines/chains/transaction-hash.ts';
import type { Plan } from '../../engines/licences/claims.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { findLicence } from '../licences/shared/issue-licence.ts';
import { findVerified, type Reported } from '../payments/shared/chain-payments.ts';
import { covers, type PlanPrice, planFor } from '../payments/shared/plans.ts';
import { settlementAddress } from '../payments/shared/settlement-address.ts';
import { auditForLicence } from './audit-for-licence.ts';
import { saleHindering } from './sale-of.ts';
import { type Unverified, unverified, type Verification } from './verification.ts';

/** Longest that a payment may wait to be verified, in milliseconds. Contract 00, section 2.2. */
const ageMax = 30 * 86_400_000;

export interface VerificationInput {
  /** In one of its forms. */
  readonly tx_hash: string;
  readonly network?: ChainName | undefined;
  readonly url?: string | undefined;
  readonly plan_price?: PlanPrice | undefined;
}

/** What is to be answered, or what has to be written down first. */
export type Prepared =
  | { readonly state: 'known'; readonly verification: Verification }
  | {
      readonly state: 'paid';
      readonly payment: ChainPayment;
      /** Authorizations that its transaction used. */
      readonly used: readonly UsedAuthorization[];
      /** The hash that it was asked by. */
      readonly namedAs: string;
      readonly plan: Plan;
      readonly domain: string | null;
      /** What came of the audit of the domain, where this is the first time that one is named. */
      readonly reported: Reported | undefined;
    };

/**
 * Everything about a verification that takes long: looks at the transaction, and at the site.
 *
 * @throws ServiceError 400 for a hash of another network, and for what is no target
 */
export async function prepareVerification(
  ctx: Pick<Context, 'services'>,
  { tx_hash, network: asked, url, plan_price: price }: VerificationInput,
): Promise<Prepared> {
  const { services } = ctx;
  const { rows } = services.db;
  const { family, hash } = readTransactionHash(tx_hash)!;
  const network = asked ?? (family === 'ton' ? 'ton' : 'base');
  if (familyOf(network) !== family) throw invalidField('tx_hash', `not the hash of a transaction on ${network}`);
  const target = url === undefined ? undefined : services.auditor.target(url);
  const refuse = (code: Unverified['code'], depth?: Depth): Prepared => ({
    state: 'known',
    verification: unverified(code, network, hash, depth),
  });

  const noted = await saleHindering(rows, network, hash);
  if (noted !== undefined) return refuse(noted);
  let known = await findVerified(rows, network, hash);
  let payment = known?.payment;
  let used: readonly UsedAuthorization[] = [];
  if (payment === undefined) {
    const finding = await look(services, network, hash);
    if (finding.state === 'pending') return refuse(finding.reason, finding.depth);
    if (finding.state === 'refused') return refuse(finding.reason);
    ({ payment, used } = finding);
    const hindering = await saleHindering(rows, network, payment.txHash, used);
    if (hindering !== undefined) return refuse(hindering);
    // The same payment may have been named by another of its hashes.
    if (payment.txHash !== hash) known = await findVerified(rows, network, payment.txHash);
  }
  const licence = await findLicence(services, network, payment.txHash);
  if (price !== undefined && !covers(payment, price)) return refuse('amount_too_low');
  const plan = licence?.plan ?? planFor(payment, price);
  if (plan === undefined) return refuse('amount_too_low');
  if (licence === undefined && services.now().getTime() - payment.paidAt.getTime() > ageMax)
    return refuse('tx_too_old');
  // The first site that is named is the licence's, and the only one that is audited for it.
  const bindsDomain = target !== undefined && (licence?.domain ?? null) === null;
  if (known !== undefined && licence !== undefined && !bindsDomain)
    return { state: 'known', verification: { verified: true, licence, isNew: false, ...known } };
  return {
    state: 'paid',
    payment,
    used,
    namedAs: hash,
    plan,
    domain: target?.hostname ?? null,
    reported: bindsDomain ? await auditForLicence(ctx, target, plan) : undefined,
  };
}

type Depth = Extract<Finding, { state: 'pending' }>['depth'];

async function look(services: Services, network: ChainName, hash: string): Promise<Finding> {
  const { settings, chains } = services;
  const payTo = network === 'ton' ? settings.tonSettlementAddress : await settlementAddress(services);
  return payTo === undefined ? { state: 'pending', reason: 'network_not_enabled' } : chains.read(network, hash, payTo);
}
