import { z } from 'zod';
import { onOrg } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { holdRole } from '../../kernel/access/hold-right.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { resolve, verifiedEmailOf } from './answer.ts';
import { escalationAddress } from './escalation-scope.ts';
import { escalationActions } from './shared/actions.ts';
import { type Answered, AnsweredWire, answeredToWire } from './wire.ts';

const noteBytesMax = 4 * 1024;

/** `POST /orgs/v1/:org_id/escalations/:escalation_id/resolve`. Contract 02, section 3.4. */
export const resolveEscalation = mutation({
  name: 'escalations.resolve',
  tool: 'resolve_escalation',
  command: 'escalations resolve',
  effects: ['idempotent'],
  summary: 'Close an escalation for good; nobody has to have acknowledged it.',
  access: onOrg(escalationActions['escalation:answer'], ({ org }: { org: string }) => org),
  input: z.object({
    ...escalationAddress,
    note: z
      .string()
      .refine((note) => Buffer.byteLength(note) <= noteBytesMax, 'at most 4 KiB')
      .optional()
      .describe('What came of it, at most 4 KiB.'),
  }),
  async handler(work, { escalation: id, note }): Promise<Answered> {
    await holdRole(work, work.org.id, escalationActions['escalation:answer']);
    const email = await verifiedEmailOf(work, principalIdOf(await work.caller())!);
    return resolve(work, work.org.id, id, { email, via: 'authenticated' }, note ?? null);
  },
  audit: ({ escalation, changed }) =>
    changed ? { action: 'escalation.resolved', object: { kind: 'escalation', id: escalation.id } } : undefined,
  wire: AnsweredWire,
  toWire: answeredToWire,
});
