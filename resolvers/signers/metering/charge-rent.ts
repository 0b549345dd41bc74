import { advisoryLock } from '../../../db/advisory-lock.ts';
import { sql } from '../../../db/drizzle.ts';
import { ledgerEntries, orgBalances } from '../../../db/schema/orgs.ts';
import { signers } from '../../../db/schema/signers.ts';
import { computed, insertSelect, setOf, statement } from '../../../db/sql.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import type { Task } from '../../../kernel/run/task.ts';
import { signerEvents } from '../event-types.ts';

/** The job that takes the day's rent of all signers. */
export const chargeRentTask = 'charge_signer_rent';

/**
 * Takes the rent of every signer that has not paid for today, in UTC, of all organizations by one statement. A day that no
 * gateway ran is paid with the next one. What a balance does not cover suspends its signers, the newest first; what it
 * covers again makes them active. The time of a suspension costs nothing.
 */
export const chargeRent: Task = ({ ctx }) =>
  unitOfWork(ctx, async (work) => {
    // Of nodes that come together the second sees what the first has taken: its statement begins later.
    await work.rows(advisoryLock.with({ key: 'signers:rent' }));
    for (const { orgId, projectId, isPaid, count, signerIds } of await work.rows(rentStatement.with({}))) {
      const type = isPaid ? signerEvents.signers_reactivated : signerEvents.signers_suspended;
      work.append(appendEvent({ orgId, projectId, type, payload: { count, signer_ids: [...signerIds] } }));
    }
  });

/** A day of one signer, in micro-dollars. */
const rent = sql.raw('40000');

const today = sql`(now() at time zone 'UTC')::date`;
const lastPaid = sql`coalesce(${signers.lastRentDebitedOn}, (${signers.createdAt} at time zone 'UTC')::date - 1)`;

/** Answers how many signers of each project were suspended or are active again. */
const rentStatement = statement(
  'signers.charge-rent',
  {
    row: {
      orgId: computed<string>('uuid', sql`changed.org_id`),
      projectId: computed<string>('text', sql`changed.project_id`),
      isPaid: computed<boolean>('boolean', sql`changed.is_paid`),
      count: computed<number>('integer', sql`count(*)::int`),
      signerIds: computed<readonly string[]>('text[]', sql`(array_agg(changed.id order by changed.id))[1:20]`),
    },
  },
  (_none, row) => sql`with due as materialized (
      select ${signers.id} as id, ${signers.orgId} as org_id, ${signers.status} as status,
        case when ${signers.status} = 'active' then greatest(1, ${today} - ${lastPaid}) else 1 end as days,
        ${signers.createdAt} as created_at
      from ${signers} where ${signers.status} <> 'deleted'
        and (${signers.lastRentDebitedOn} is null or ${signers.lastRentDebitedOn} < ${today})
    ), locked as materialized (
      select ${orgBalances.orgId} as org_id, ${orgBalances.available} as available, ${orgBalances.held} as held,
        ${orgBalances.promotional} as promotional, ${orgBalances.entries} as entries
      from ${orgBalances} where ${orgBalances.orgId} in (select org_id from due) order by ${orgBalances.orgId} for update
    ), ordered as (
      select due.*, due.days * ${rent} as amount, locked.available, locked.held, locked.promotional, locked.entries,
        sum(due.days * ${rent}) over places as upto, row_number() over places as place
      from due left join locked on locked.org_id = due.org_id
      window places as (partition by due.org_id order by due.status = 'active' desc, due.created_at, due.id)
    ), judged as materialized (
      select ordered.*, coalesce(upto <= available, false) as is_paid from ordered
    ), moved as (
      update ${orgBalances} ${setOf(orgBalances, {
        available: sql`${orgBalances.available} - total.amount`,
        promotional: sql`greatest(${orgBalances.promotional} - total.amount, 0)`,
        entries: sql`${orgBalances.entries} + total.entries`,
      })} from (
        select org_id, sum(amount)::bigint as amount, count(*) as entries from judged where is_paid group by org_id
      ) total where ${orgBalances.orgId} = total.org_id
    ), entered as (
      ${insertSelect(
        ledgerEntries,
        {
          orgId: sql`org_id`,
          seq: sql`entries + place`,
          id: sql`'led_' || left(md5(id || ${today}::text), 26)`,
          direction: sql`'debit'`,
          kind: sql`'signer_rental'`,
          amount: sql`amount`,
          availableAfter: sql`available - upto`,
          heldAfter: sql`held`,
          promotional: sql`least(amount, greatest(promotional - (upto - amount), 0))`,
          referenceType: sql`'signer_day'`,
          referenceId: sql`id || ':' || ${today}::text`,
          metadata: sql`json_build_object('signer_id', id, 'days', days)::jsonb`,
        },
        sql`from judged where is_paid`,
      )}
    ), changed as (
      update ${signers} ${setOf(signers, {
        lastRentDebitedOn: sql`case when judged.is_paid then ${today} else ${signers.lastRentDebitedOn} end`,
        status: sql`case when judged.is_paid then 'active' else 'suspended' end`,
        suspendedAt: sql`case when judged.is_paid then null else coalesce(${signers.suspendedAt}, now()) end`,
      })} from judged where ${signers.id} = judged.id and ${signers.status} <> 'deleted'
        and (judged.is_paid or judged.status = 'active')
      returning ${signers.id} as id, ${signers.orgId} as org_id, ${signers.projectId} as project_id,
        judged.is_paid as is_paid, judged.status = 'suspended' as was_suspended
    )
    select ${row} from changed where changed.is_paid = changed.was_suspended
    group by changed.org_id, changed.project_id, changed.is_paid`,
);
