import type { Statement } from '../../../db/pool.ts';
import {
  type LicenceFacts,
  licenceClaims,
  licenceId,
  licenceType,
  planPrices,
} from '../../../engines/licences/claims.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { requireSigner } from './require-signer.ts';

/** A licence as it was issued. */
export interface Licence {
  /** Its id in the key. */
  readonly jti: string;
  readonly network: string;
  readonly txHash: string;
  readonly plan: LicenceFacts['plan'];
  /** For example `29.00`. */
  readonly priceUsd: string;
  readonly payer: string;
  /** The site that it is bound to; null: none was named yet. */
  readonly domain: string | null;
  /** The licence key: a compact JWS. */
  readonly jws: string;
  /** Time of the payment's block. */
  readonly issuedAt: Date;
}

/**
 * The licence of a payment, inside the caller's transaction. The first call issues it, and every later one gets that
 * very licence, whatever it asks for; of two first calls at once, one waits for the other. A licence that is bound to
 * no site yet is bound to the one that a later call names, of which the key itself says nothing. Contract 00, 2.6.
 *
 * @throws SIGNING_UNAVAILABLE when the installation has no key to sign with
 */
export async function issueLicence(
  work: Pick<Work, 'rows' | 'services' | 'request'>,
  facts: LicenceFacts,
): Promise<Licence> {
  const signer = await requireSigner(work.services);
  const issuer = work.services.settings.publicBaseUrl ?? work.request.baseUrl;
  const jws = await signer.sign(licenceType, licenceClaims(issuer, facts));
  const { network, txHash, plan, payer, domain, blockTime } = facts;
  const jti = licenceId(facts);
  const values = [network, txHash, jti, plan, planPrices[plan], payer, domain, jws, signer.kid, blockTime];
  const [licence] = await work.rows<Licence>(issueStatement, values);
  return licence!;
}

/** The licence of a payment, where one was issued. */
export async function findLicence(
  { db }: Pick<Services, 'db'>,
  network: string,
  txHash: string,
): Promise<Licence | undefined> {
  const [licence] = await db.rows<Licence>(findStatement, [network, txHash]);
  return licence;
}

const columns = `jti, network, tx_hash as "txHash", plan, price_usd::text as "priceUsd", payer, domain, jws,
  issued_at as "issuedAt"`;

// One at a time for each licence: two inserts at the same moment could meet in the index of `jti`, which is no conflict of
// the kind that is expected here, but an error.
const issueStatement: Statement = {
  name: 'licences.issue',
  text: `insert into licences as l (network, tx_hash, jti, plan, price_usd, payer, domain, jws, kid, issued_at)
    select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 from (select pg_advisory_xact_lock(hashtextextended($3, 0))) as turn
    on conflict (network, tx_hash) do update set domain = coalesce(l.domain, excluded.domain)
    returning ${columns}`,
};

const findStatement: Statement = {
  name: 'licences.find',
  text: `select ${columns} from licences where network = $1 and tx_hash = $2`,
};
