import { z } from 'zod';
import { alias, sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { from, statement, typed } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { oneLine, yesOrNo } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import {
  type OperatedOrganization,
  OperatedOrganizationWire,
  operatedColumns,
  operatedToWire,
} from './operated-org.ts';
import { lifecycleWire, tierWire } from './shared/wire.ts';

/** `GET /admin/v1/orgs`: every organization of the installation. */
export const listAllOrgs = query({
  name: 'orgs.listAll',
  tool: 'admin_list_organizations',
  command: 'admin orgs',
  summary: 'Every organization of the installation, newest first, with its limits and what it uses.',
  access: platformAdmin(),
  input: z.object({
    ...listWindow,
    search: oneLine(200)
      .trim()
      .optional()
      .describe(
        'Part of the name or the slug, the beginning of the id, or the whole wallet or mail address of a member.',
      ),
    state: lifecycleWire.optional().describe('Only organizations in this state.'),
    tier: tierWire.optional().describe('Only organizations on this tier.'),
    overridden: yesOrNo
      .optional()
      .describe('`true`: only organizations with limits of their own; `false`: only others. All when absent.'),
  }),
  async handler(
    { services },
    { search, state = null, tier = null, overridden = null, ...window },
  ): Promise<ListPage<OperatedOrganization>> {
    const list = newestFirst(services.keys, 'all-orgs');
    const text = search === undefined || search === '' ? null : search;
    const asked = { ...list.positionOf(window), text, state, tier, overridden, limit: window.limit + 1 };
    return list.pageOf(await services.db.rows(list.statementOf(window, statements).with(asked)), window);
  },
  wire: z.object({
    organizations: z.array(OperatedOrganizationWire),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({ organizations: page.rows.map(({ row }) => operatedToWire(row)), ...pageToWire(page) }),
});

const m = alias(memberships, 'm');
const a = alias(authenticators, 'a');

// No index serves a part of a name: a search reads all organizations in the order of the list, until a page is full.
const statements = bothWays(orgs, (way) =>
  statement(
    `orgs.list-all-${way.name}`,
    {
      params: {
        ...way.params,
        text: typed<string | null>('text'),
        state: typed<string | null>('text'),
        tier: typed<string | null>('text'),
        overridden: typed<boolean | null>('boolean'),
        limit: typed<number>('bigint'),
      },
      row: operatedColumns,
    },
    ({ text, state, tier, overridden, limit, ...position }, row) => sql`select ${row} from ${orgs}
      where ${way.beyond(position)}
        and coalesce(${orgs.lifecycleState} = ${state}::text, true) and coalesce(${orgs.tier} = ${tier}::text, true)
        and coalesce((${orgs.limitOverrides} <> '{}') = ${overridden}::boolean, true)
        and (${text}::text is null
          or position(lower(${text}) in lower(coalesce(${orgs.displayName}, ''))) > 0
          or position(lower(${text}) in coalesce(${orgs.slug}, '')) > 0
          or starts_with(${orgs.id}::text, lower(${text}))
          or ${orgs.id} in (select ${m.orgId} from ${from(m)} join ${from(a)} on ${a.principalId} = ${m.principalId}
            where ${a.kind} in ('wallet', 'email') and ${a.publicSubject} = lower(${text}) and ${m.status} = 'active'))
      ${way.order} limit ${limit}`,
  ),
);
