import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxes } from '../../db/schema/mailboxes.ts';
import { computed, insertInto, pick, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject, ownerOf } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mailboxesPerProject, mailboxRestDays } from '../../kernel/limits/limits.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { mailboxesOf, namedMailbox } from './find-mailbox.ts';
import { type Mailbox, MailboxWire, mailboxToWire, shownMailbox } from './mailbox.ts';
import { isReservedSlug } from './reserved-slugs.ts';
import { mailboxActions } from './shared/actions.ts';

/** `POST /mailboxes/v1`. Contract 02, section 6.2. */
export const createMailbox = mutation({
  name: 'email.createMailbox',
  tool: 'create_mailbox',
  command: 'email create',
  summary: 'Make a mailbox of a project. The first one sends what names none.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:write']),
  lifecycle: 'owned',
  input: z.object({
    project: itsProject,
    slug: z
      .string()
      .min(3, 'at least 3 characters')
      .max(63, 'at most 63 characters')
      .regex(
        /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
        'must be lower-case letters, digits and hyphens, with no hyphen at an end',
      )
      .refine((slug) => !slug.includes('--'), 'must not have two hyphens together')
      .describe('What stands before the `@`, 3 to 63 characters.')
      .meta({ examples: ['hello-there'] }),
  }),
  async handler(work, { slug }): Promise<Mailbox> {
    if (isReservedSlug(slug)) throw invalidField('slug', 'is reserved');
    await lockProjectFor(work, mailboxActions['project:mail:write']);
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
    return shownMailbox(work, await namedMailbox(work.rows, work, id));
  },
  audit: ({ id, address }, _input, { project }) => ({
    action: 'mailbox.created',
    object: { kind: 'mailbox', id },
    details: { project_id: project.id, address },
  }),
  wire: MailboxWire,
  toWire: mailboxToWire,
});

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
