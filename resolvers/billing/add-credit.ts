import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { pick, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { oneLine, orgId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { type Posted, post } from '../ledger/shared/ledger.ts';
import { entryToWire, LedgerEntryWire } from './wire.ts';

/** `POST /orgs/v1/admin/:org_id/credits`: the platform admin puts money into an organization's balance. */
export const addCredit = mutation({
  name: 'billing.addCredit',
  tool: 'admin_add_credit',
  command: 'admin credit',
  summary: 'Add to the prepaid balance of an organization.',
  access: platformAdmin(),
  input: z.object({
    org: orgId,
    amount_usd_micros: z
      .number()
      .int('must be a whole number')
      .min(1)
      .max(1e12)
      .describe('Micro-dollars, 1 to 1,000,000,000,000.'),
    reference: oneLine(200)
      .min(1, 'at least 1 character')
      .optional()
      .describe('What the credit is for, such as an invoice: the same one is credited once.'),
    reason: oneLine(500).optional().describe('Why, for the history; at most 500 characters.'),
  }),
  async handler(work, { org, amount_usd_micros, reference, reason }): Promise<Posted> {
    if ((await work.rows(existsStatement.with({ id: org }))).length === 0) {
      throw new ServiceError('RESOURCE_NOT_FOUND', { details: { org_id: org } });
    }
    const amount = BigInt(amount_usd_micros);
    const posted = await post(work, {
      orgId: org,
      direction: 'credit',
      kind: 'adjustment',
      amount,
      reference: reference === undefined ? undefined : { type: 'credit', id: reference },
      metadata: reason === undefined ? {} : { reason },
    });
    if (posted.entry.amount !== amount) {
      throw new ServiceError('IDEMPOTENCY_KEY_REUSED', {
        message: 'This reference was credited with another amount.',
        details: { reference, amount_usd_micros: Number(posted.entry.amount) },
      });
    }
    return posted;
  },
  audit: ({ entry, replayed }, { reason }) =>
    replayed
      ? undefined
      : {
          action: 'org.credited',
          object: { kind: 'ledger_entry', id: entry.id },
          orgId: entry.orgId,
          details: {
            amount_usd_micros: Number(entry.amount),
            reference: entry.referenceId,
            ...(reason === undefined ? {} : { reason }),
          },
        },
  wire: z.object({ org_id: z.uuid(), entry: LedgerEntryWire }),
  toWire: ({ entry }) => ({ org_id: entry.orgId, entry: entryToWire(entry) }),
});

// Locked as a foreign key would, so that the organization is still there when its entry is written.
const existsStatement = statement(
  'billing.org',
  { params: pick(orgs, 'id') },
  ({ id }) => sql`select from ${orgs} where ${orgs.id} = ${id} for key share`,
);
