import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { chatBindings, type NoticeState, noticePreferences, notices } from '../../db/schema/notices.ts';
import { computed, pick, type RowOf, setOf, statement } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { eventTypes } from '../../kernel/feeds/event-types.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import type { Context } from '../../kernel/run/context.ts';
import { lookUntil } from '../../kernel/run/look-until.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { eventMail } from './event-mail.ts';
import { keepPreferences } from './preferences.ts';
import { recipientItself } from './recipients.ts';
import { chatsToTest } from './rules/matching-chats.ts';
import { eventText } from './shared/event-text.ts';
import { type Fact, tell, tellChats } from './tell.ts';

/** How long a test waits for what comes of it, in milliseconds. */
const waitMs = 10_000;

export interface NoticeTest {
  /** Names the test. */
  readonly fact: string;
}

/** What came of each notice by now. */
export type NoticeOutcome = readonly SentNotice[];

/** `POST /agent/v1/notifications/test`. Contract 02, section 5.5. */
export const testNotice = mutation({
  name: 'notices.test',
  tool: 'test_notification',
  command: 'contacts test',
  effects: ['openWorld'],
  duration: 'long',
  summary: 'Send the caller’s operator a notice that says it is a test, by everything that is set up; once a minute.',
  access: signedIn('wallet', 'control_plane'),
  input: z.object({
    source: z.string().max(64).optional().describe('`platform` or `app`: what the test pretends to come from.'),
    event_type: z.string().max(64).optional().describe('What it pretends to tell of, for example `deploy_activated`.'),
  }),
  async handler(work, { source = 'platform', event_type: type = 'project_past_due' }): Promise<NoticeTest> {
    if (source !== 'platform' && source !== 'app') throw invalidField('source', 'must be `platform` or `app`');
    if (!/^[a-z][a-z0-9_]{2,63}$/.test(type))
      throw new ServiceError('INVALID_EVENT_TYPE', { details: { field: 'event_type', event_type: type } });
    const principalId = work.principal.principal.id;
    await countTest(work, principalId);
    const [recipient] = await work.rows(recipientItself.with({ principalId }));
    if (recipient!.address === null) throw new ServiceError('OPERATOR_EMAIL_NOT_VERIFIED');
    const id = work.services.newId('evt');
    const fact: Fact = {
      fact: id,
      kind: 'lifecycle_event',
      type,
      class: source === 'app' ? 'app' : (eventTypes.get(type)?.class ?? 'lifecycle'),
      orgId: null,
      projectId: null,
      occurredAt: work.services.now(),
      payload: { note: 'This is a test. Nothing has happened.' },
      nextActions: [],
      isTest: true,
    };
    const event = { ...fact, orgId: principalId, orgName: 'a test', projectName: null };
    await tell(work, fact, [recipient!], {
      urgency: 'mandatory',
      mailFor: (reader) => {
        const { subject, text } = eventMail(event, [], work.services.settings, reader);
        return { subject: `[Test] ${subject}`, text };
      },
    });
    const chats = await work.rows(chatsToTest.with({ principalId, source, type }));
    await tellChats(work, fact, chats, (reader) => `[Test] ${eventText(event, [], reader).join('\n')}`);
    return { fact: id };
  },
  audit: ({ fact }, _input, { principal }) => ({
    action: 'notices.tested',
    object: { kind: 'principal', id: principal.principal.id },
    details: { source_event_id: fact },
  }),
  wire: z.object({
    status: z.enum(['delivered', 'skipped', 'queued']),
    source_event_id: z.string(),
    drained: z.object({
      claimed: z.int(),
      delivered: z.int(),
      skipped: z.int(),
      failed_transient: z.int(),
      failed_permanent: z.int(),
    }),
    chat: z.object({
      destinations: z.array(
        z.object({
          binding_id: z.uuid(),
          label: z.string().nullable(),
          delivered: z.boolean(),
          transient: z.boolean().optional(),
          description: z.string().optional(),
        }),
      ),
    }),
    note: z.string(),
  }),
  toWire: async (test, ctx) => {
    const sent = await outcomeOf(ctx, test);
    return {
      status: statusOf(sent),
      source_event_id: test.fact,
      drained: drainedOf(sent),
      chat: { destinations: chatsOf(sent) },
      note: noteOf(sent),
    };
  },
});

export const statusOf = (sent: NoticeOutcome): 'delivered' | 'queued' | 'skipped' =>
  sent.some(({ state }) => state === 'delivered')
    ? 'delivered'
    : sent.some(({ state }) => state === 'deferred' || state === 'failed_transient')
      ? 'queued'
      : 'skipped';

/** How many notices went how. */
export function drainedOf(sent: NoticeOutcome) {
  const count = (...states: readonly NoticeState[]) => sent.filter(({ state }) => states.includes(state)).length;
  return {
    claimed: sent.length,
    delivered: count('delivered'),
    skipped: count('skipped_disabled', 'skipped_no_recipient'),
    failed_transient: count('failed_transient'),
    failed_permanent: count('failed_permanent'),
  };
}

/** What came of it in each chat. */
export const chatsOf = (sent: NoticeOutcome) =>
  sent
    .filter(({ channel }) => channel === 'chat')
    .map(({ target, label, state, error }) => ({
      binding_id: target,
      label,
      delivered: state === 'delivered',
      ...(state === 'failed_transient' || state === 'deferred' ? { transient: true } : {}),
      ...(error === null ? {} : { description: error }),
    }));

/** What became of each, in a sentence each. */
export const noteOf = (sent: NoticeOutcome): string =>
  sent
    .map(({ channel, state, error }) => {
      const name = channel === 'email' ? 'mail' : channel;
      if (state === 'delivered') return `The ${name} was delivered.`;
      return error === null ? `The ${name} is under way.` : `The ${name}: ${error}`;
    })
    .join(' ');

async function countTest(work: Work, principalId: string): Promise<void> {
  await work.rows(keepPreferences.with({ principalId }));
  const [waited] = await work.rows(countStatement.with({ principalId }));
  assertWithinRate(waited!.seconds);
  await work.rows(testedStatement.with({ principalId }));
}

/** Waits until every notice was tried, or long enough. */
export const outcomeOf = (ctx: Context, { fact }: NoticeTest): Promise<NoticeOutcome> =>
  lookUntil(
    ctx,
    () => ctx.services.db.rows(sentStatement.with({ fact })),
    (sent) => !sent.some(({ state, error }) => state === 'deferred' && error === null),
    { waitMs },
  );

const sentRow = {
  ...pick(notices, 'channel', 'target', 'state', 'error'),
  label: computed<string | null>(
    'text',
    sql`(select ${chatBindings.label} from ${chatBindings}
      where ${notices.channel} = 'chat' and ${chatBindings.id}::text = ${notices.target})`,
  ),
};
type SentNotice = RowOf<typeof sentRow>;

const sentStatement = statement(
  'notices.sent',
  { params: pick(notices, 'fact'), row: sentRow },
  ({ fact }, row) => sql`select ${row} from ${notices} where ${notices.fact} = ${fact} order by ${notices.channel}`,
);

const countStatement = statement(
  'notices.count-test',
  {
    params: pick(noticePreferences, 'principalId'),
    row: {
      seconds: computed<number>(
        'integer',
        sql`greatest(0, ceil(60 - extract(epoch from clock_timestamp() - coalesce(${noticePreferences.testedAt}, '-infinity'))))::int`,
      ),
    },
  },
  ({ principalId }, row) => sql`select ${row} from ${noticePreferences}
    where ${noticePreferences.principalId} = ${principalId} for update`,
);

const testedStatement = statement(
  'notices.tested',
  { params: pick(noticePreferences, 'principalId') },
  ({ principalId }) => sql`update ${noticePreferences} ${setOf(noticePreferences, { testedAt: sql`clock_timestamp()` })}
    where ${noticePreferences.principalId} = ${principalId}`,
);
