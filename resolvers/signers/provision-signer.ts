import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { signerNonces, signers } from '../../db/schema/signers.ts';
import { insertInto, pick, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { insufficientFunds, lockBalance } from '../ledger/shared/ledger.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { signerActions } from './shared/actions.ts';
import { chainAddress, chainName, type Signer, SignerWire, signerColumns, signerToWire } from './signer.ts';

/** What an organization has to have to provision one, in micro-dollars: 30 days of rent. */
const creditMin = 1_200_000n;

/** `POST /contracts/v1/signers`. Contract 04, section 2.2. */
export const provisionSigner = mutation({
  name: 'contracts.provisionSigner',
  tool: 'provision_signer',
  command: 'contracts provision-signer',
  effects: ['openWorld'],
  summary:
    'Make an account on a chain that the project signs with. It costs 0.04 USD a day, and takes a balance of 1.20 USD that is no promotional credit.',
  access: onNamedOrOwnProject(signerActions['project:signers:write']),
  lifecycle: 'owned',
  input: z.object({
    project: itsProject,
    chain: chainName,
    recovery_address: chainAddress
      .optional()
      .describe('Where its money goes when the rent has not been paid for 90 days, or its project is deleted.'),
  }),
  prepare: async ({ services }) => {
    const id = services.newId('cwlt').slice(0, -2);
    return { id, ...(await services.signerKeys.create(id)) };
  },
  async handler(work, { chain, recovery_address: recoveryAddress = null }, made): Promise<Signer> {
    const { org, project } = work;
    await lockProjectFor(work, signerActions['project:signers:write']);
    const { available, promotional } = await lockBalance(work, org.id);
    if (available - promotional < creditMin) throw insufficientFunds(creditMin, available - promotional);
    const [signer] = await work.rows(
      insertStatement.with({ ...made, orgId: org.id, projectId: project.id, chain, recoveryAddress, balance: '0' }),
    );
    await work.rows(insertNonceStatement.with({ signerId: made.id }));
    return { ...signer!, balanceUsdMicros: 0n };
  },
  audit: ({ id, chain, address }, _input, { project }) => ({
    action: 'signer.provisioned',
    object: { kind: 'signer', id },
    details: { project_id: project.id, chain, address },
  }),
  wire: SignerWire,
  toWire: signerToWire,
});

const insertStatement = statement(
  'signers.insert',
  {
    params: pick(signers, 'id', 'orgId', 'projectId', 'chain', 'address', 'wrapped', 'recoveryAddress', 'balance'),
    row: signerColumns,
  },
  (given, row) => sql`${insertInto(signers, given)} returning ${row}`,
);

const insertNonceStatement = statement('signers.insert-nonce', { params: pick(signerNonces, 'signerId') }, (given) =>
  insertInto(signerNonces, given),
);
