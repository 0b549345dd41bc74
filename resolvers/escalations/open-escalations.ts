import { z } from 'zod';
import { onOrgByGrant } from '../../kernel/access/access.ts';
import type { ChangeRow } from '../../kernel/feeds/changes.ts';
import { type Opened, openFeed } from '../../kernel/feeds/open-feed.ts';
import { cursor, orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { type EscalationChange, escalationFeed } from './escalation-feed.ts';
import { escalationAddress, findEscalation, ownerSeen } from './escalation-scope.ts';
import { escalationActions } from './shared/actions.ts';

export interface OpenedEscalations extends Opened<ChangeRow<EscalationChange>> {
  /** Whose are shown; null for everybody's. */
  readonly owner: string | null;
  /** The one that is followed; undefined for all. */
  readonly escalationId: string | undefined;
}

/** What a subscription begins with: the right to follow, and the position of its cursor. */
export const openEscalationFeed = query({
  name: 'escalations.open',
  command: 'escalations list --watch',
  sdk: 'follow',
  follows: ['escalation', 'escalations'],
  summary: 'Begin to follow an escalation, or those of an organization.',
  access: onOrgByGrant<{ org: string }>(escalationActions['escalation:read']),
  input: z.object({
    org: orgId,
    escalation: escalationAddress.escalation.optional(),
    cursor: cursor.optional(),
  }),
  async handler(ctx, input): Promise<OpenedEscalations> {
    const { services, org } = ctx;
    const owner = await ownerSeen(ctx);
    const one =
      input.escalation === undefined ? undefined : await findEscalation(services.db, org.id, input.escalation, owner);
    const opened = await openFeed(services, escalationFeed(org.id), input.cursor);
    return { ...opened, owner, escalationId: one?.id };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
