import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { signers } from '../../db/schema/signers.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { withBalance } from './read-signers.ts';
import { signerActions } from './shared/actions.ts';
import {
  chainAddress,
  findSigner,
  requireThere,
  type SignerRow,
  SignerWire,
  signerColumns,
  signerId,
  signerToWire,
  wei,
} from './signer.ts';

const action = signerActions['project:signers:write'];

/** `POST /contracts/v1/signers/:signer_id/recovery-address`. Contract 04, section 2.2. */
export const setRecoveryAddress = mutation({
  name: 'contracts.setRecovery',
  tool: 'set_recovery_address',
  command: 'contracts set-recovery',
  effects: ['destructive', 'idempotent'],
  summary:
    'Say where the money of a signer goes when its rent has not been paid for 90 days, or its project is deleted.',
  access: onNamedOrOwnProject(action),
  input: z.object({
    project: itsProject,
    signer: signerId,
    recovery_address: chainAddress.nullable().describe('The address; null for none.'),
  }),
  async handler(work, { signer: id, recovery_address: recoveryAddress }): Promise<SignerRow> {
    await lockProjectFor(work, action);
    const signer = await findSigner(work.rows, work, id);
    requireThere(signer);
    if (recoveryAddress === signer.address)
      throw invalidField('recovery_address', 'must be another address than the signer’s own');
    const [changed] = await work.rows(recoveryStatement.with({ id: signer.id, recoveryAddress }));
    return changed!;
  },
  audit: ({ id, recoveryAddress }, _input, { project }) => ({
    action: 'signer.recovery_address_set',
    object: { kind: 'signer', id },
    details: { project_id: project.id, recovery_address: recoveryAddress },
  }),
  wire: SignerWire,
  toWire: async (signer, { services }) => signerToWire(await withBalance(services, signer)),
});

/** `POST /contracts/v1/signers/:signer_id/alert`. Contract 04, section 2.2. */
export const setLowBalanceAlert = mutation({
  name: 'contracts.setLowBalanceAlert',
  tool: 'set_low_balance_alert',
  command: 'contracts set-alert',
  effects: ['destructive', 'idempotent'],
  summary: 'Be told by mail when a signer holds less than an amount: once in 24 hours.',
  access: onNamedOrOwnProject(action),
  lifecycle: 'gated',
  input: z.object({
    project: itsProject,
    signer: signerId,
    threshold_wei: wei.describe('The amount, in wei, as a text of decimal digits; 0: never.'),
  }),
  async handler(work, { signer: id, threshold_wei: threshold }): Promise<SignerRow> {
    await lockProjectFor(work, action);
    const signer = await findSigner(work.rows, work, id);
    requireThere(signer);
    const [changed] = await work.rows(thresholdStatement.with({ id: signer.id, threshold }));
    return changed!;
  },
  audit: ({ id, threshold }, _input, { project }) => ({
    action: 'signer.alert_set',
    object: { kind: 'signer', id },
    details: { project_id: project.id, threshold_wei: threshold },
  }),
  wire: SignerWire,
  toWire: async (signer, { services }) => signerToWire(await withBalance(services, signer)),
});

const recoveryStatement = statement(
  'signers.set-recovery',
  { params: pick(signers, 'id', 'recoveryAddress'), row: signerColumns },
  ({ id, recoveryAddress }, row) => sql`update ${signers} ${setOf(signers, { recoveryAddress })}
    where ${signers.id} = ${id} returning ${row}`,
);

const thresholdStatement = statement(
  'signers.set-threshold',
  { params: pick(signers, 'id', 'threshold'), row: signerColumns },
  ({ id, threshold }, row) => sql`update ${signers} ${setOf(signers, { threshold })}
    where ${signers.id} = ${id} returning ${row}`,
);
