import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { signers } from '../../db/schema/signers.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import type { SignerChainName } from '../../engines/signers/networks.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import type { Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { onChain } from './services.ts';
import { signerActions } from './shared/actions.ts';
import {
  findSigner,
  type Signer,
  type SignerRow,
  SignerWire,
  signerColumns,
  signerId,
  signerToWire,
  worthOf,
} from './signer.ts';

const access = onNamedOrOwnProject(signerActions['project:signers:read']);

/** `GET /contracts/v1/signers/:signer_id`. Contract 04, section 2.2. */
export const getSigner = query({
  name: 'contracts.getSigner',
  tool: 'get_signer',
  command: 'contracts get-signer',
  effects: ['openWorld'],
  summary: 'A signer of a project, with its balance as the chain has it now and what that is worth.',
  access,
  input: z.object({ project: itsProject, signer: signerId }),
  async handler(ctx, { signer }): Promise<Signer> {
    return withBalance(ctx.services, await findSigner(ctx.services.db.rows, ctx, signer));
  },
  wire: SignerWire,
  toWire: signerToWire,
});

/** `GET /contracts/v1/signers`. Contract 04, section 2.2. */
export const listSigners = query({
  name: 'contracts.listSigners',
  tool: 'list_signers',
  command: 'contracts list-signers',
  effects: ['openWorld'],
  summary: 'The signers of a project, deleted ones among them, with their balances as they were read last.',
  access,
  input: z.object({ project: itsProject }),
  async handler({ services, org, project }): Promise<readonly Signer[]> {
    const found = await services.db.rows(listStatement.with({ orgId: org.id, projectId: project.id }));
    return withWorth(services, found);
  },
  wire: z.object({ signers: z.array(SignerWire), wallets: z.array(SignerWire) }),
  toWire(found) {
    const shown = found.map(signerToWire);
    return { signers: shown, wallets: shown };
  },
});

/**
 * A signer with its balance as the chain has it now; where the chain cannot be asked, as it was read last.
 *
 * @throws nothing of the chain's
 */
export async function withBalance(services: Services, signer: SignerRow): Promise<Signer> {
  const read = await onChain(services, signer.chain, async (chain) => {
    const address = signer.address as `0x${string}`;
    const [balance, price] = await Promise.all([chain.balance(address), chain.etherPrice().catch(() => undefined)]);
    return { balance, price };
  }).catch(() => undefined);
  if (read === undefined) return { ...signer, balanceUsdMicros: null };
  const balance = String(read.balance);
  if (balance !== signer.balance) await services.db.rows(noteBalance.with({ id: signer.id, balance }));
  return { ...signer, balance, balanceUsdMicros: worthOf(read.balance, read.price) };
}

async function withWorth(services: Services, found: readonly SignerRow[]): Promise<readonly Signer[]> {
  const names = [...new Set(found.filter(({ balance }) => balance !== null).map(({ chain }) => chain))];
  const prices = new Map<SignerChainName, bigint | undefined>();
  for (const name of names)
    prices.set(name, await onChain(services, name, (chain) => chain.etherPrice()).catch(() => undefined));
  return found.map((one) => ({
    ...one,
    balanceUsdMicros: one.balance === null ? null : worthOf(BigInt(one.balance), prices.get(one.chain)),
  }));
}

export const noteBalance = statement(
  'signers.note-balance',
  { params: pick(signers, 'id', 'balance') },
  ({ id, balance }) => sql`update ${signers} ${setOf(signers, { balance })} where ${signers.id} = ${id}`,
);

// Each costs its project's organization rent.
const listStatement = statement(
  'signers.list',
  { params: pick(signers, 'orgId', 'projectId'), row: signerColumns },
  ({ orgId, projectId }, row) => sql`select ${row} from ${signers}
    where ${signers.orgId} = ${orgId} and ${signers.projectId} = ${projectId}
    order by ${signers.createdAt} desc, ${signers.id} desc`,
);
