import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { mailedLinks } from '../../../db/schema/sign-in-flows.ts';
import { insertInto, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { queueMail } from '../../../kernel/durability/outbox.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { peopleThrottles, signInMinutes } from '../../../kernel/limits/limits.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { countOfNetwork, countTry } from '../tries.ts';

export type LinkPurpose = 'control_plane' | 'operator' | 'add_email' | 'contact_passkey';

export interface MailedLink {
  readonly purpose: LinkPurpose;
  readonly email: string;
  readonly principalId: string | null;
  readonly returnTo: string | null;
}

interface LinkToSend extends MailedLink {
  readonly subject: string;
  /** What the mail says before the link. */
  readonly why: string;
  /** Path of the page that the link leads to. */
  readonly path: string;
}

/** Counts a mail that is to be sent, before anything else is done. @throws RATE_LIMITED */
export async function countMail(ctx: Pick<Context, 'services' | 'request'>, email: string): Promise<void> {
  await countOfNetwork(ctx, peopleThrottles.mailOfNetwork, 'mail-of-network');
  await countTry(ctx, peopleThrottles.mailToAddress, 'mail', email);
}

/** Mails a link that is good once, for fifteen minutes. */
export async function sendLink(work: Work, { subject, why, path, ...link }: LinkToSend): Promise<void> {
  const token = randomBytes(32).toString('base64url');
  const { mailBaseUrl } = work.services.settings;
  await work.rows(insertStatement.with({ ...link, tokenHash: sha256Hex(token), minutes: signInMinutes.link }));
  await queueMail(work, {
    orgId: null,
    to: link.email,
    subject,
    text: [
      why,
      '',
      'If that was you, open this page:',
      `${mailBaseUrl}${path}?token=${token}`,
      '',
      `The link is good once, for ${signInMinutes.link} minutes. If it was not you, nothing needs to be done.`,
    ].join('\n'),
  });
}

/** Uses a link up: of those who race one has it. Undefined for one that is unknown, used, expired or for something else. */
export async function useLink(
  work: Work,
  token: string,
  purposes: readonly LinkPurpose[],
): Promise<MailedLink | undefined> {
  return (await work.rows(useStatement.with({ tokenHash: sha256Hex(token), purposes })))[0];
}

/** What a link is for, for the page that it leads to; using it up is left to the page's button. */
export async function peekLink(
  { services }: Pick<Context, 'services'>,
  token: string,
  purposes: readonly LinkPurpose[],
): Promise<MailedLink | undefined> {
  return (await services.db.rows(peekStatement.with({ tokenHash: sha256Hex(token), purposes })))[0];
}

const columns = pick(mailedLinks, 'purpose', 'email', 'principalId', 'returnTo');
const shown = { tokenHash: mailedLinks.tokenHash, purposes: typed<readonly LinkPurpose[]>('text[]') };
const holds = ({ tokenHash, purposes }: { readonly [Name in keyof typeof shown]: SQL }): SQL =>
  sql`${mailedLinks.tokenHash} = ${tokenHash} and ${mailedLinks.purpose} = any(${purposes}::text[])
    and ${mailedLinks.usedAt} is null and ${mailedLinks.expiresAt} > clock_timestamp()`;

const insertStatement = statement(
  'sessions.link',
  { params: { ...columns, tokenHash: mailedLinks.tokenHash, minutes: typed<number>('integer') } },
  ({ minutes, ...given }) =>
    insertInto(mailedLinks, {
      ...given,
      createdAt: sql`clock_timestamp()`,
      expiresAt: sql`clock_timestamp() + make_interval(mins => ${minutes})`,
    }),
);

const useStatement = statement(
  'sessions.use-link',
  { params: shown, row: columns },
  (given, row) => sql`update ${mailedLinks} ${setOf(mailedLinks, { usedAt: sql`clock_timestamp()` })}
    where ${holds(given)} returning ${row}`,
);

const peekStatement = statement(
  'sessions.peek-link',
  { params: shown, row: columns },
  (given, row) => sql`select ${row} from ${mailedLinks} where ${holds(given)}`,
);
