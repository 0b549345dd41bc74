import { z } from 'zod';
import type { Escalation } from '../../db/schema/escalations.ts';
import { onOrgByGrant } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { escalationColumns, ownerSeen } from './escalation-scope.ts';
import { escalationActions } from './shared/actions.ts';
import { EscalationWire, escalationToWire, statusWire } from './wire.ts';

export interface EscalationPage extends ListPage<Escalation> {
  /** Whose they are: a delegate sees its own. */
  readonly scope: 'organization' | 'own';
}

/** `GET /orgs/v1/:org_id/escalations`. Contract 02, section 3.3. */
export const listEscalations = query({
  name: 'escalations.list',
  tool: 'get_escalation',
  command: 'escalations list',
  summary: 'Escalations of an organization, newest first: all of them for a member, its own for a delegate.',
  access: onOrgByGrant<{ org: string }>(escalationActions['escalation:read']),
  input: z.object({
    org: orgId,
    status: statusWire.optional().describe('Only those that stand so.'),
    ...listWindow,
  }),
  async handler(ctx, { org, status, ...window }): Promise<EscalationPage> {
    const { db, keys } = ctx.services;
    const owner = await ownerSeen(ctx);
    const list = newestFirst(keys, `escalations:${org}:${status ?? ''}:${owner ?? ''}`);
    const values = [org, status ?? null, owner, ...list.positionOf(window), window.limit + 1];
    const ofOrg = status === undefined ? ofOrgStatements : byStatusStatements;
    const statement = list.statementOf(window, owner === null ? ofOrg : ownStatements);
    const rows = await db.rows<Escalation>(statement, values);
    return { ...list.pageOf(rows, window), scope: owner === null ? 'organization' : 'own' };
  },
  wire: z.object({
    escalations: z.array(EscalationWire),
    scope: z.enum(['organization', 'own']),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({
    escalations: page.rows.map(({ row }) => escalationToWire(row)),
    scope: page.scope,
    ...pageToWire(page),
  }),
});

/** Several statements, so that each finds its rows by an index of its own, whatever the plan knows of the values. */
const listOf = (name: string, whose: string) =>
  bothWays((way) => ({
    name: `escalations.${name}-${way.name}`,
    text: `select ${escalationColumns} from escalations e
      where e.org_id = $1 and ${whose} and ${way.beyond('e', 4)}
      ${way.order('e')} limit $6`,
  }));

const ofOrgStatements = listOf('list', '$2::text is null and $3::text is null');
const byStatusStatements = listOf('list-by-status', 'e.status = $2 and $3::text is null');
// Of one raiser, which raises five in a day at most.
const ownStatements = listOf('list-own', 'e.raised_by = $3 and ($2::text is null or e.status = $2)');
