import type { NextAction } from '../../core/error-codes.ts';
import { sql } from '../../db/drizzle.ts';
import { type NoticeKind, type NoticeState, notices } from '../../db/schema/notices.ts';
import { computed, insertInto, pick, setOf, statement, typed } from '../../db/sql.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Recipient } from './recipients.ts';
import type { MatchingChat } from './rules/matching-chats.ts';
import { wakeNotices } from './wake.ts';

/** What people are told. */
export interface Fact {
  /** Tells it from every other fact, for good: nobody is told it twice by one channel. */
  readonly fact: string;
  readonly kind: NoticeKind;
  readonly type: string;
  readonly class: string;
  readonly orgId: string | null;
  readonly projectId: string | null;
  readonly occurredAt: Date;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly nextActions: readonly NextAction[];
  /** Whether it only tries the channels out. @default false */
  readonly isTest?: true;
}

/** How people are told. */
export interface Telling {
  /** `mandatory` is mailed whatever somebody wants. */
  readonly urgency: 'mandatory' | 'critical' | 'ordinary';
  /** The fact as somebody reads it. */
  readonly mailFor: (recipient: Recipient) => { readonly subject: string; readonly text: string };
}

/** A fact as it is posted, but for the id of the notice. Contract 02, section 5.8. */
const postedFact = ({ type, class: eventClass, orgId, projectId, occurredAt, payload, nextActions, isTest }: Fact) => ({
  type,
  class: eventClass,
  occurred_at: occurredAt.toISOString(),
  project_id: projectId,
  organization_id: orgId,
  payload,
  next_actions: nextActions,
  is_test: isTest === true,
});

/** Tells it in chats, in the transaction of the caller's. @param textFor the fact as a chat shows it */
export async function tellChats(
  work: Work,
  fact: Fact,
  chats: readonly MatchingChat[],
  textFor: (reader: MatchingChat) => string,
): Promise<void> {
  for (const chat of chats) {
    const how = { channel: 'chat', target: chat.bindingId, state: 'deferred', error: null } as const;
    const reader = { principalId: chat.principalId, address: null };
    const id = await insert(work, fact, reader, how, { text: textFor(chat) });
    if (id !== undefined) await wakeNotices(work, id);
  }
}

/** Mails that an address is sent in an hour beyond those that it has to get. */
const mailsAnHour = 20;

/**
 * Tells whoever wants to know, by mail and by webhook, in the transaction of the caller's. One address gets one mail, whoever
 * it stands for.
 */
export async function tell(work: Work, fact: Fact, recipients: readonly Recipient[], telling: Telling): Promise<void> {
  const mailed = new Set<string>();
  for (const recipient of recipients) {
    if (!isWanted(fact, telling, recipient)) continue;
    const { address } = recipient;
    if (address !== null && !mailed.has(address)) {
      mailed.add(address);
      await mail(work, fact, telling, recipient, address);
    }
    if (recipient.hasWebhook && recipient.webhook) await post(work, fact, recipient);
  }
  if (recipients.every(({ address }) => address === null)) await noteUnreachable(work, fact, recipients);
}

function isWanted({ kind }: Fact, { urgency }: Telling, { lifecycleEvents, thresholdAlerts }: Recipient): boolean {
  if (urgency === 'mandatory' || kind === 'digest') return true;
  if (kind === 'threshold_alert') return thresholdAlerts === 'immediate';
  return lifecycleEvents === 'all' || (lifecycleEvents === 'critical_only' && urgency === 'critical');
}

async function mail(
  work: Work,
  fact: Fact,
  { urgency, mailFor }: Telling,
  recipient: Recipient,
  address: string,
): Promise<void> {
  if (urgency !== 'mandatory' && !recipient.email)
    return note(work, fact, recipient, 'skipped_disabled', 'Its reader wants no notices by mail.');
  if (urgency !== 'mandatory' && fact.isTest !== true) {
    const [sent] = await work.rows(lastHourStatement.with({ target: address }));
    if (sent!.count >= mailsAnHour)
      return note(
        work,
        fact,
        recipient,
        'skipped_disabled',
        `More than ${mailsAnHour} notices an hour are not mailed.`,
      );
  }
  const id = await insert(work, fact, recipient, { channel: 'email', target: address, state: 'deferred', error: null });
  if (id === undefined) return;
  const mailId = await queueMail(work, { orgId: fact.orgId, to: address, ...mailFor(recipient) });
  await work.rows(mailedStatement.with({ id, mailId }));
}

async function post(work: Work, fact: Fact, recipient: Recipient): Promise<void> {
  const target = recipient.principalId;
  const id = await insert(work, fact, recipient, { channel: 'webhook', target, state: 'deferred', error: null });
  if (id !== undefined) await wakeNotices(work, id);
}

const note = async (work: Work, fact: Fact, recipient: Recipient, state: NoticeState, error: string): Promise<void> =>
  void (await insert(work, fact, recipient, { channel: 'email', target: recipient.address!, state, error }));

/** Nobody could be told by mail: each of them finds that in its own log. */
async function noteUnreachable(work: Work, fact: Fact, recipients: readonly Recipient[]): Promise<void> {
  const error = 'Nobody who answers for it has a mail address that is verified.';
  for (const recipient of recipients) {
    const target = recipient.principalId;
    const missing = { ...fact, kind: 'missing_verified_recipient' as const };
    await insert(work, missing, recipient, { channel: 'skipped', target, state: 'skipped_no_recipient', error });
  }
}

type Row = Parameters<typeof insertStatement.with>[0];

/**
 * @param more of the payload, for one channel
 * @returns its id; undefined where it was told already
 */
async function insert(
  work: Work,
  fact: Fact,
  { principalId, address }: Pick<Recipient, 'principalId' | 'address'>,
  how: Pick<Row, 'channel' | 'target' | 'state' | 'error'>,
  more: object = {},
): Promise<string | undefined> {
  const [made] = await work.rows(
    insertStatement.with({
      id: work.services.newId('ntf'),
      principalId,
      fact: fact.fact,
      kind: fact.kind,
      recipientEmail: address,
      eventType: fact.type,
      orgId: fact.orgId,
      projectId: fact.projectId,
      isTest: fact.isTest === true,
      payload: JSON.stringify({ ...postedFact(fact), ...more }),
      ...how,
    }),
  );
  return made?.id;
}

const insertStatement = statement(
  'notices.insert',
  {
    params: pick(
      notices,
      'id',
      'principalId',
      'fact',
      'kind',
      'channel',
      'target',
      'recipientEmail',
      'eventType',
      'orgId',
      'projectId',
      'isTest',
      'payload',
      'state',
      'error',
    ),
    row: pick(notices, 'id'),
  },
  (given, row) =>
    sql`${insertInto(notices, {
      ...given,
      dueAt: sql`case when ${given.channel} in ('webhook', 'chat') then now() end`,
    })} on conflict do nothing returning ${row}`,
);

const mailedStatement = statement(
  'notices.mailed',
  { params: { id: notices.id, mailId: typed<string>('text') } },
  ({ id, mailId }) => sql`update ${notices} ${setOf(notices, { mailId })} where ${notices.id} = ${id}`,
);

const lastHourStatement = statement(
  'notices.mails-of-hour',
  { params: pick(notices, 'target'), row: { count: computed<number>('integer', sql`count(*)::int`) } },
  ({ target }, row) => sql`select ${row} from ${notices} where ${notices.channel} = 'email'
    and ${notices.target} = ${target} and ${notices.createdAt} > now() - interval '1 hour' and ${notices.mailId} is not null`,
);
