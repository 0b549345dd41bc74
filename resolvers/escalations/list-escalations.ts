import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type Escalation, escalations } from '../../db/schema/escalations.ts';
import { allOf, statement, typed } from '../../db/sql.ts';
import { onOrgByGrant } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { ownerSeen } from './escalation-scope.ts';
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
    const asked = { org, status: status ?? null, owner, ...list.positionOf(window), limit: window.limit + 1 };
    const ofOrg = status === undefined ? ofOrgStatements : byStatusStatements;
    const listed = list.statementOf(window, owner === null ? ofOrg : ownStatements);
    const rows = await db.rows(listed.with(asked));
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

const filters = {
  org: escalations.orgId,
  status: typed<Escalation['status'] | null>('text'),
  owner: typed<string | null>('text'),
};

/** Several statements, so that each finds its rows by an index of its own, whatever the plan knows of the values. */
const listOf = (name: string, whose: (given: { readonly status: SQL; readonly owner: SQL }) => SQL) =>
  bothWays(escalations, (way) =>
    statement(
      `escalations.${name}-${way.name}`,
      { params: { ...filters, ...way.params, limit: typed<number>('bigint') }, row: allOf(escalations) },
      ({ org, limit, ...given }, row) => sql`select ${row} from ${escalations}
        where ${escalations.orgId} = ${org} and ${whose(given)} and ${way.beyond(given)} ${way.order} limit ${limit}`,
    ),
  );

const ofOrgStatements = listOf('list', ({ status, owner }) => sql`${status}::text is null and ${owner}::text is null`);
const byStatusStatements = listOf(
  'list-by-status',
  ({ status, owner }) => sql`${escalations.status} = ${status} and ${owner}::text is null`,
);
// Of one raiser, which raises five in a day at most.
const ownStatements = listOf(
  'list-own',
  ({ status, owner }) =>
    sql`${escalations.raisedBy} = ${owner} and (${status}::text is null or ${escalations.status} = ${status})`,
);
