import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type Org, orgs } from '../../db/schema/orgs.ts';
import { allOf, pick, setOf, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { orgActions } from './shared/actions.ts';
import { lockOrgFor } from './shared/lock-org.ts';
import { orgDisplayName } from './shared/org-input.ts';
import { OrgSummaryWire, orgToWire } from './shared/wire.ts';

/** `PATCH /orgs/v1/:org_id`. Contract 01, section 6.2. */
export const renameOrg = mutation({
  name: 'orgs.rename',
  tool: 'rename_org',
  command: 'org rename',
  effects: ['destructive', 'idempotent'],
  summary: 'Give an organization another name for people, or none.',
  path: 'PATCH /orgs/v1/:org_id',
  access: onOrg(orgActions['org:rename'], ({ org }: { org: string }) => org),
  stepUp: 'org.rename',
  lifecycle: 'gated',
  input: z.object({
    org: orgId,
    display_name: orgDisplayName.describe(
      'Name for people, not unique, at most 100 characters; null, or no text, for none.',
    ),
  }),
  async handler(work, { display_name }): Promise<Org> {
    refuseWhileClosed(await lockOrgFor(work, work.org.id, orgActions['org:rename']));
    const [renamed] = await work.rows(renameStatement.with({ id: work.org.id, displayName: display_name }));
    return renamed!;
  },
  audit: ({ id, displayName }) => ({
    action: 'org.renamed',
    object: { kind: 'organization', id },
    details: { display_name: displayName },
  }),
  wire: OrgSummaryWire,
  toWire: orgToWire,
});

const renameStatement = statement(
  'orgs.rename',
  { params: pick(orgs, 'id', 'displayName'), row: allOf(orgs) },
  ({ id, displayName }, row) =>
    sql`update ${orgs} ${setOf(orgs, { displayName })} where ${orgs.id} = ${id} returning ${row}`,
);
