import { z } from 'zod';
import { onOrg } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { holdRole } from '../../kernel/access/hold-right.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { acknowledge, verifiedEmailOf } from './answer.ts';
import { escalationAddress } from './escalation-scope.ts';
import { escalationActions } from './shared/actions.ts';
import { type Answered, AnsweredWire, answeredToWire } from './wire.ts';

/** `POST /orgs/v1/:org_id/escalations/:escalation_id/ack`. Contract 02, section 3.4. */
export const acknowledgeEscalation = mutation({
  name: 'escalations.acknowledge',
  tool: 'ack_escalation',
  command: 'escalations ack',
  effects: ['idempotent'],
  summary: 'Say that one is looking at an escalation, which stops paging; who says so first is kept.',
  access: onOrg(escalationActions['escalation:answer'], ({ org }: { org: string }) => org),
  input: z.object(escalationAddress),
  async handler(work, { escalation: id }): Promise<Answered> {
    await holdRole(work, work.org.id, escalationActions['escalation:answer']);
    const email = await verifiedEmailOf(work, principalIdOf(await work.caller())!);
    return acknowledge(work, work.org.id, id, { email, via: 'authenticated' });
  },
  audit: ({ escalation, changed }) =>
    changed
      ? {
          action: 'escalation.acknowledged',
          object: { kind: 'escalation', id: escalation.id },
          details: { channel: 'authenticated' },
        }
      : undefined,
  wire: AnsweredWire,
  toWire: answeredToWire,
});
