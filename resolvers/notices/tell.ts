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
  /** `mandatory` is mailed whatever somebody wants. */
  readonly urgency: 'mandatory' | 'critical' | 'ordinary';
  readonly type: string;
  readonly orgId: string | null;
  readonly projectId: string | null;
  readonly isTest: boolean;
  /** As it is posted, but for the id of the notice. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** As somebody reads it. */
  readonly mailFor: (recipient: Recipient) => { readonly subject: string; readonly text: string };
}

/** The same as a chat shows it. */
export type ChatFact = Omit<Fact, 'mailFor' | 'urgency'> & { readonly textFor: (reader: MatchingChat) => string };

/** Tells it in chats, in the transaction of the caller's. */
export async function tellChats(work: Work, fact: ChatFact, chats: readonly MatchingChat[]): Promise<void> {
  for (const chat of chats) {
    const payload = { ...fact.payload, text: fact.textFor(chat) };
    const how = { channel: 'chat', target: chat.bindingId, state: 'deferred', error: null } as const;
    const id = await insert(work, { ...fact, payload }, { principalId: chat.principalId, address: null }, how);
    if (id !== undefined) await wakeNotices(work, id);
  }
}

/** Mails that an address is sent in an hour beyond those that it has to get. */
const mailsAnHour = 20;

/**
 * Tells whoever wants to know, by mail and by webhook, in the transaction of the caller's. One address gets one mail, whoever
 * it stands for.
 */
export async function tell(work: Work, fact: Fact, recipients: readonly Recipient[]): Promise<void> {
  const mailed = new Set<string>();
  for (const recipient of recipients) {
    if (!isWanted(fact, recipient)) continue;
    const { address } = recipient;
    if (address !== null && !mailed.has(address)) {
      mailed.add(address);
      await mail(work, fact, recipient, address);
    }
    if (recipient.hasWebhook && recipient.webhook) await post(work, fact, recipient);
  }
  if (recipients.every(({ address }) => address === null)) await noteUnreachable(work, fact, recipients);
}

function isWanted({ urgency, kind }: Fact, { lifecycleEvents, thresholdAlerts }: Recipient): boolean {
  if (urgency === 'mandatory' || kind === 'digest') return true;
  if (kind === 'threshold_alert') return thresholdAlerts === 'immediate';
  return lifecycleEvents === 'all' || (lifecycleEvents === 'critical_only' && urgency === 'critical');
}

async function mail(work: Work, fact: Fact, recipient: Recipient, address: string): Promise<void> {
  const { urgency, isTest } = fact;
  if (urgency !== 'mandatory' && !recipient.email)
    return note(work, fact, recipient, 'skipped_disabled', 'Its reader wants no notices by mail.');
  if (urgency !== 'mandatory' && !isTest) {
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
  const mailId = await queueMail(work, { orgId: fact.orgId, to: address, ...fact.mailFor(recipient) });
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

/** @returns its id; undefined where it was told already */
async function insert(
  work: Work,
  { fact, kind, type, orgId, projectId, isTest, payload }: Omit<Fact, 'mailFor' | 'urgency'>,
  { principalId, address }: Pick<Recipient, 'principalId' | 'address'>,
  how: Pick<Row, 'channel' | 'target' | 'state' | 'error'>,
): Promise<string | undefined> {
  const id = work.services.newId('ntf');
  const [made] = await work.rows(
    insertStatement.with({
      id,
      principalId,
      fact,
      kind,
      recipientEmail: address,
      eventType: type,
      orgId,
      projectId,
      isTest,
      payload: JSON.stringify(payload),
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
