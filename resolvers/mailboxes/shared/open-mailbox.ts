import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { mailboxes } from '../../../db/schema/mailboxes.ts';
import { computed, insertInto, pick, statement } from '../../../db/sql.ts';
import { ownerOf, type ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { mailboxesPerProject, mailboxRestDays } from '../../../kernel/limits/limits.ts';
import { mailboxesOf, namedMailbox } from '../find-mailbox.ts';
import type { MailboxRow } from '../mailbox.ts';
import { isReservedSlug } from '../reserved-slugs.ts';

/** What stands before the `@` of a managed address. Contract 02, section 6.2. */
export const mailboxSlug = z
  .string()
  .min(3, 'at least 3 characters')
  .max(63, 'at most 63 characters')
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'must be lower-case letters, digits and hyphens, with no hyphen at an end')
  .refine((slug) => !slug.includes('--'), 'must not have two hyphens together');

/**
 * Makes a mailbox of a project whose row is locked. The first one sends what names none.
 *
 * @throws VALIDATION_FAILED for a reserved slug, SLUG_ALREADY_IN_USE, MAILBOX_LIMIT_REACHED, SLUG_IN_COOLDOWN
 */
export async function openMailbox(work: Work & ProjectScope, slug: string): Promise<MailboxRow> {
  if (isReservedSlug(slug)) throw invalidField('slug', 'is reserved');
  const known = await mailboxesOf(work.rows, work);
  if (known.some((one) => one.slug === slug)) throw new ServiceError('SLUG_ALREADY_IN_USE', { details: { slug } });
  if (known.length >= mailboxesPerProject)
    throw new ServiceError('MAILBOX_LIMIT_REACHED', {
      message: `Project mailbox limit reached (${mailboxesPerProject}).`,
      details: { limit: mailboxesPerProject, used: known.length },
    });
  const owner = ownerOf(work);
  const [rests] = await work.rows(restsStatement.with({ projectId: owner.projectId, slug }));
  if (rests !== undefined)
    throw new ServiceError('SLUG_IN_COOLDOWN', { details: { slug, until: rests.until.toISOString() } });
  const id = work.services.newId('mbx');
  await work.rows(
    insertStatement.with({ ...owner, id, slug, isDefaultOutbound: known.every((one) => !one.isDefaultOutbound) }),
  );
  return namedMailbox(work.rows, work, id);
}

/**
 * Sees to it that the mailboxes exist that addresses are to be of.
 *
 * @throws MAILBOX_NOT_FOUND for one that is not to be made, and as {@link openMailbox}
 */
export async function ensureMailboxes(
  work: Work & ProjectScope,
  wanted: readonly { readonly slug: string; readonly isMade: boolean }[],
): Promise<void> {
  const known = new Set((await mailboxesOf(work.rows, work)).map(({ slug }) => slug));
  for (const { slug, isMade } of wanted) {
    if (known.has(slug)) continue;
    if (!isMade) throw new ServiceError('MAILBOX_NOT_FOUND', { details: { mailbox: slug } });
    await openMailbox(work, slug);
    known.add(slug);
  }
}

const rest = sql`make_interval(days => ${sql.raw(String(mailboxRestDays))})`;

const restsStatement = statement(
  'mailboxes.rests',
  {
    params: pick(mailboxes, 'projectId', 'slug'),
    row: { until: computed<Date>('timestamp with time zone', sql`${mailboxes.deletedAt} + ${rest}`) },
  },
  (given, row) => sql`select ${row} from ${mailboxes} where ${mailboxes.projectId} = ${given.projectId}
    and ${mailboxes.slug} = ${given.slug} and ${mailboxes.deletedAt} > now() - ${rest}
    order by ${mailboxes.deletedAt} desc limit 1`,
);

const insertStatement = statement(
  'mailboxes.insert',
  { params: pick(mailboxes, 'orgId', 'projectId', 'id', 'slug', 'isDefaultOutbound') },
  (given) => insertInto(mailboxes, given),
);
