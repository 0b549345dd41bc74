import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';
import type { Statement } from '../../../db/pool.ts';
import { queueMail } from '../../../kernel/durability/outbox.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { ceremonyMinutes, ceremonyThrottles } from '../../../kernel/limits/limits.ts';
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
  await countOfNetwork(ctx, ceremonyThrottles.mailOfNetwork, 'mail-of-network');
  await countTry(ctx, ceremonyThrottles.mailToAddress, 'mail', email);
}

/** Mails a link that is good once, for fifteen minutes. */
export async function sendLink(work: Work, { subject, why, path, ...link }: LinkToSend): Promise<void> {
  const token = randomBytes(32).toString('base64url');
  const { mailBaseUrl } = work.services.settings;
  await work.rows(insertStatement, [
    sha256Hex(token),
    link.purpose,
    link.email,
    link.principalId,
    link.returnTo,
    ceremonyMinutes.link,
  ]);
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
      `The link is good once, for ${ceremonyMinutes.link} minutes. If it was not you, nothing needs to be done.`,
    ].join('\n'),
  });
}

/** Uses a link up: of those who race one has it. Undefined for one that is unknown, used, expired or for something else. */
export async function useLink(
  work: Work,
  token: string,
  purposes: readonly LinkPurpose[],
): Promise<MailedLink | undefined> {
  return (await work.rows<MailedLink>(useStatement, [sha256Hex(token), purposes]))[0];
}

/** What a link is for, for the page that it leads to; using it up is left to the page's button. */
export async function peekLink(
  { services }: Pick<Context, 'services'>,
  token: string,
  purposes: readonly LinkPurpose[],
): Promise<MailedLink | undefined> {
  return (await services.db.rows<MailedLink>(peekStatement, [sha256Hex(token), purposes]))[0];
}

const columns = 'purpose, email, principal_id as "principalId", return_to as "returnTo"';
const holds = 'token_hash = $1 and purpose = any($2::text[]) and used_at is null and expires_at > clock_timestamp()';

const insertStatement: Statement = {
  name: 'ceremonies.link',
  text: `insert into mailed_links (token_hash, purpose, email, principal_id, return_to, created_at, expires_at)
    values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp() + make_interval(mins => $6))`,
};

const useStatement: Statement = {
  name: 'ceremonies.use-link',
  text: `update mailed_links set used_at = clock_timestamp() where ${holds} returning ${columns}`,
};

const peekStatement: Statement = {
  name: 'ceremonies.peek-link',
  text: `select ${columns} from mailed_links where ${holds}`,
};
