import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { autoRecharges } from '../../db/schema/checkouts.ts';
import { allOf, excluded, insertInto, nameOf, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockBalance } from '../ledger/shared/ledger.ts';
import { findRecharge } from './auto-recharge.ts';
import { rechargeIfLow } from './recharge.ts';
import { checkoutActions } from './shared/actions.ts';
import { emailPack } from './shared/email-pack.ts';

/** Credits below which a pack is bought where nobody says otherwise. */
const usualThreshold = 2_000;

/** `PATCH /orgs/v1/:org_id/billing/auto-recharge`. Contract 04, section 1.4. */
export const setAutoRecharge = mutation({
  name: 'billing.setAutoRecharge',
  tool: 'set_auto_recharge',
  command: 'billing auto-recharge',
  effects: ['idempotent', 'openWorld'],
  summary: 'Have mail credits bought when they run low, from the balance or with the saved card; or no longer.',
  path: 'PATCH /orgs/v1/:org_id/billing/auto-recharge',
  access: onOrg(checkoutActions['org:auto_recharge:write'], ({ org }: { org: string }) => org),
  input: z.object({
    org: orgId,
    enabled: z.boolean().describe('Whether packs are bought. Where credits are low already, one is bought at once.'),
    threshold: z
      .int('must be a whole number')
      .min(0)
      .max(Number(emailPack.credits))
      .optional()
      .describe(`Credits below which a pack is bought: as it was unless named, at first ${usualThreshold}.`),
  }),
  async handler(work, { enabled, threshold }): Promise<Recharge> {
    const { id } = work.org;
    const { available } = await lockBalance(work, id);
    const before = await findRecharge(work.rows, id);
    const hasCard = before?.paymentMethodId != null && work.services.cards !== undefined;
    if (enabled && !hasCard && available < emailPack.price) {
      throw new ServiceError('INVALID_STATE', {
        message: 'Nothing could pay for a pack: add to the balance, or save a card with a checkout.',
        details: { required_usd_micros: Number(emailPack.price), available_usd_micros: Number(available) },
      });
    }
    const wanted = threshold === undefined ? (before?.threshold ?? BigInt(usualThreshold)) : BigInt(threshold);
    const [row] = await work.rows(setStatement.with({ orgId: id, enabled, threshold: wanted }));
    if (enabled) await rechargeIfLow(work, id);
    return row!;
  },
  audit: ({ orgId: org, enabled, threshold }) => ({
    action: 'auto_recharge.changed',
    object: { kind: 'organization', id: org },
    details: { enabled, threshold: Number(threshold) },
  }),
  wire: z.object({
    status: z.literal('ok'),
    org_id: z.uuid(),
    enabled: z.boolean(),
    threshold: z.int().nullable(),
  }),
  toWire: ({ orgId: org, enabled, threshold }) => ({
    status: 'ok' as const,
    org_id: org,
    enabled,
    threshold: threshold === null ? null : Number(threshold),
  }),
});

const rechargeRow = allOf(autoRecharges);

export type Recharge = RowOf<typeof rechargeRow>;

const setStatement = statement(
  'checkouts.set-recharge',
  {
    params: {
      orgId: autoRecharges.orgId,
      enabled: autoRecharges.enabled,
      threshold: typed<bigint>('bigint'),
    },
    row: rechargeRow,
  },
  (given, row) => sql`${insertInto(autoRecharges, given)} on conflict (${nameOf(autoRecharges.orgId)}) do update
    ${setOf(autoRecharges, {
      enabled: excluded(autoRecharges.enabled),
      threshold: excluded(autoRecharges.threshold),
      stoppedBecause: sql`null`,
      updatedAt: sql`now()`,
    })} returning ${row}`,
);
