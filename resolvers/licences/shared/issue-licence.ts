import { advisoryLock } from '../../../db/advisory-lock.ts';
import { sql } from '../../../db/drizzle.ts';
import { licences } from '../../../db/schema/products.ts';
import { excluded, insertInto, namesOf, pick, setOf, statement } from '../../../db/sql.ts';
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
  // Two inserts at the same moment could meet in the index of `jti`, which is no conflict of the expected kind.
  await work.rows(advisoryLock.with({ key: jti }));
  const issued = { network, txHash, jti, plan, priceUsd: planPrices[plan], payer, domain, jws };
  const [licence] = await work.rows(issueStatement.with({ ...issued, kid: signer.kid, issuedAt: blockTime }));
  return licence! as Licence;
}

/** The licence of a payment, where one was issued. */
export async function findLicence(
  { db }: Pick<Services, 'db'>,
  network: string,
  txHash: string,
): Promise<Licence | undefined> {
  const [licence] = await db.rows(findStatement.with({ network, txHash }));
  return licence as Licence | undefined;
}

const columns = pick(licences, 'jti', 'network', 'txHash', 'plan', 'priceUsd', 'payer', 'domain', 'jws', 'issuedAt');

const issueStatement = statement(
  'licences.issue',
  {
    params: { ...columns, kid: licences.kid },
    row: columns,
  },
  (given, row) => sql`${insertInto(licences, given)} on conflict (${namesOf(licences.network, licences.txHash)})
    do update ${setOf(licences, { domain: sql`coalesce(${licences.domain}, ${excluded(licences.domain)})` })}
    returning ${row}`,
);

const findStatement = statement(
  'licences.find',
  { params: pick(licences, 'network', 'txHash'), row: columns },
  ({ network, txHash }, row) => sql`select ${row} from ${licences}
    where ${licences.network} = ${network} and ${licences.txHash} = ${txHash}`,
);
