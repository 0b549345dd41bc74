import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { signerStates, signers } from '../../db/schema/signers.ts';
import { computed, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { type SignerChainName, signerChainNames } from '../../engines/signers/networks.ts';
import type { Address } from '../../engines/x402/networks.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import { walletAddress } from '../../kernel/input/fields.ts';

/** The project of an operation here: each one may leave it to its credential. */
/** Any text may be the id of a signer that there is none of. */
export const signerId = z.string().min(1).max(256).describe('The signer, `cwlt_…`.');

export const chainName = z.enum(signerChainNames).describe('The chain: `base-mainnet` or `base-sepolia`.');

/** Most that an amount of a chain may be. */
const weiMax = 2n ** 256n - 1n;

/** An amount in wei. */
export const wei = z
  .string()
  .refine(
    (text) => /^(?:0|[1-9]\d{0,77})$/.test(text) && BigInt(text) <= weiMax,
    'must be a text of decimal digits, in wei, that fits into 256 bits',
  )
  .meta({ examples: ['1000000000000000'] });

export const chainAddress = walletAddress.transform((text) => text as Address);

export const signerColumns = {
  ...pick(
    signers,
    'id',
    'projectId',
    'chain',
    'address',
    'status',
    'recoveryAddress',
    'threshold',
    'balance',
    'lastAlertSentAt',
    'suspendedAt',
    'deletedAt',
    'scheduledDeletionAt',
    'createdAt',
  ),
  lastRentDebitedOn: computed<string | null>('text', sql`to_char(${signers.lastRentDebitedOn}, 'YYYY-MM-DD')`),
};

export type SignerRow = RowOf<typeof signerColumns>;

/** A signer with what its balance is worth. */
export interface Signer extends SignerRow {
  /** Micro-dollars; null where no chain tells what its coin costs. */
  readonly balanceUsdMicros: bigint | null;
}

export const keyNotice =
  'The platform keeps the key and signs only what this project asks for. No key can be exported: set a recovery address, and drain the signer before you delete it.';

const iso = (at: Date | null) => at?.toISOString() ?? null;
const moment = z.iso.datetime().nullable();

/** Contract 04, section 2.1: under the names of the code and of the published description. */
export const SignerWire = z
  .object({
    signer_id: z.string(),
    id: z.string(),
    project_id: z.string(),
    address: z.string(),
    chain: z.enum(signerChainNames),
    status: z.enum(signerStates),
    balance_wei: z.string().nullable(),
    native_balance_wei: z.string().nullable(),
    balance_usd_micros: z.int().nullable(),
    native_balance_usd_micros: z.int().nullable(),
    threshold_wei: z.string().nullable(),
    low_balance_threshold_wei: z.string().nullable(),
    recovery_address: z.string().nullable(),
    created_at: z.iso.datetime(),
    last_alert_sent_at: moment,
    last_rent_debited_on: z.string().nullable(),
    suspended_at: moment,
    deleted_at: moment,
    scheduled_deletion_at: moment,
    non_custodial_notice: z.string(),
  })
  .meta({ id: 'Signer' });

const usd = (micros: bigint | null) => (micros === null ? null : Number(micros));

export const signerToWire = (one: Signer): z.output<typeof SignerWire> => ({
  signer_id: one.id,
  id: one.id,
  project_id: one.projectId,
  address: one.address,
  chain: one.chain,
  status: one.status,
  balance_wei: one.balance,
  native_balance_wei: one.balance,
  balance_usd_micros: usd(one.balanceUsdMicros),
  native_balance_usd_micros: usd(one.balanceUsdMicros),
  threshold_wei: one.threshold,
  low_balance_threshold_wei: one.threshold,
  recovery_address: one.recoveryAddress,
  created_at: one.createdAt.toISOString(),
  last_alert_sent_at: iso(one.lastAlertSentAt),
  last_rent_debited_on: one.lastRentDebitedOn,
  suspended_at: iso(one.suspendedAt),
  deleted_at: iso(one.deletedAt),
  scheduled_deletion_at: iso(one.scheduledDeletionAt),
  non_custodial_notice: keyNotice,
});

/** The worth of an amount. @param price micro-dollars that an ether costs */
export const worthOf = (amount: bigint, price: bigint | undefined): bigint | null => {
  const micros = price === undefined ? undefined : (amount * price) / 10n ** 18n;
  return micros === undefined || micros > BigInt(Number.MAX_SAFE_INTEGER) ? null : micros;
};

const absent = (id: string) =>
  new ServiceError('RESOURCE_NOT_FOUND', { message: 'The project has no such signer.', details: { signer_id: id } });

/** A signer of the project. @throws RESOURCE_NOT_FOUND, for another project's too */
export async function findSigner(rows: Rows, { org, project }: ProjectScope, id: string): Promise<SignerRow> {
  const [found] = await rows(findStatement.with({ orgId: org.id, projectId: project.id, id }));
  if (found === undefined) throw absent(id);
  return found;
}

/** @throws SIGNER_DELETED */
export function requireThere({ id, status, deletedAt }: SignerRow): void {
  if (status === 'deleted')
    throw new ServiceError('SIGNER_DELETED', { details: { signer_id: id, deleted_at: iso(deletedAt) } });
}

/** @throws SIGNER_DELETED, SIGNER_SUSPENDED; VALIDATION_FAILED for another chain than its own */
export function requireUsable(signer: SignerRow, chain?: SignerChainName): void {
  requireThere(signer);
  if (chain !== undefined && chain !== signer.chain)
    throw new ServiceError('VALIDATION_FAILED', {
      message: `chain: the signer is of ${signer.chain}`,
      details: { field: 'chain', reason: 'chain_mismatch', chain: signer.chain },
    });
  if (signer.status === 'suspended')
    throw new ServiceError('SIGNER_SUSPENDED', {
      details: { signer_id: signer.id, suspended_at: iso(signer.suspendedAt) },
    });
}

const findStatement = statement(
  'signers.find',
  { params: pick(signers, 'orgId', 'projectId', 'id'), row: signerColumns },
  ({ orgId, projectId: project, id }, row) => sql`select ${row} from ${signers}
    where ${signers.id} = ${id} and ${signers.orgId} = ${orgId} and ${signers.projectId} = ${project}`,
);
