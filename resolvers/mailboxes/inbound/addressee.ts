import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { mailAddresses, mailDomains } from '../../../db/schema/mail-domains.ts';
import { mailboxes, mailboxMessages } from '../../../db/schema/mailboxes.ts';
import { projects } from '../../../db/schema/projects.ts';
import { computed, orNull, pick, type RowOf, statement } from '../../../db/sql.ts';
import { refuseWhileClosed } from '../../../kernel/access/lifecycle.ts';
import { findProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Context, Services } from '../../../kernel/run/context.ts';
import { type SentMail, sentColumns } from '../feedback.ts';
import { isSignInMail, mailOfReturnPath } from '../return-path.ts';
import { mailHostOf } from '../shared/mail-domain.ts';
import { signInMailStatement } from '../sign-in-feedback.ts';

/** Whom a mail that comes in is for. */
export type Addressee =
  | { readonly kind: 'mailbox'; readonly mailbox: AddressedMailbox }
  /** What comes back of a mail. */
  | { readonly kind: 'return_path'; readonly sent: SentMail }
  /** What comes back of a mail of sign-in, of which no mailbox shows anything. */
  | { readonly kind: 'sign_in_return_path'; readonly sent: SentMail }
  /** Complaints of any mail, for providers that want one address for all of them. */
  | { readonly kind: 'feedback' };

export type ReturnedMail = Extract<Addressee, { readonly sent: SentMail }>;

/** Why a mail is not taken for an address, as SMTP says it. */
export interface NotTaken {
  readonly code: 450 | 550;
  /** With its enhanced status (RFC 3463). */
  readonly text: string;
}

const mailboxColumns = {
  projectId: projects.id,
  orgId: projects.orgId,
  ...orNull(pick(mailboxes, 'id', 'slug', 'status')),
};

interface Found extends RowOf<typeof mailboxColumns> {
  readonly isActive: boolean;
}

export interface AddressedMailbox {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly address: string;
  /** False for an address of an own domain that has not taken effect: tests of it are all that it takes. */
  readonly isActive: boolean;
}

const unknown: NotTaken = { code: 550, text: '5.1.1 There is no such mailbox.' };
const elsewhere: NotTaken = { code: 550, text: '5.7.1 This server does not relay mail.' };
const suspended: NotTaken = { code: 550, text: '5.7.1 The mailbox is suspended.' };
const closed: NotTaken = { code: 450, text: '4.2.1 The mailbox takes no mail at the moment.' };

/** Finds out whom an address of an envelope is. Never tells more of a project than whether one of its mailboxes takes mail. */
export async function findAddressee(ctx: Context, address: string): Promise<Addressee | NotTaken> {
  const { services } = ctx;
  const mailDomain = mailHostOf(services).toLowerCase();
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at).toLowerCase();
  const domain = address.slice(at + 1).toLowerCase();
  if (domain === mailDomain && local === 'feedback') return { kind: 'feedback' };
  // `name+anything` is `name`.
  const name = local.replace(/\+.*$/s, '');
  if (!domain.endsWith(`.${mailDomain}`)) {
    const [own] = await services.db.rows(findOwnStatement.with({ mailDomain: domain, localPart: name }));
    return own === undefined ? elsewhere : mailboxIn(ctx, own, `${name}@${domain}`);
  }
  if (local.startsWith('bounces+')) return returnPath(ctx, address);
  const publicId = domain.slice(0, -mailDomain.length - 1);
  const [found] = await services.db.rows(findStatement.with({ publicId, slug: name }));
  return found === undefined ? unknown : mailboxIn(ctx, { ...found, isActive: true }, `${name}@${domain}`);
}

async function mailboxIn(ctx: Context, found: Found, address: string): Promise<Addressee | NotTaken> {
  if (found.id === null) return unknown;
  if (found.status === 'suspended') return suspended;
  const { id, orgId, projectId, isActive } = found;
  if (!(await isOpen(ctx, projectId))) return closed;
  return { kind: 'mailbox', mailbox: { id, orgId, projectId, address, isActive } };
}

/** Whether the project may change at the moment: it is ready, not put away, and its organization has a lease. */
async function isOpen({ services }: Context, projectId: string): Promise<boolean> {
  try {
    refuseWhileClosed(await findProjectTarget(services, projectId));
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

async function returnPath({ services }: Context, address: string): Promise<Addressee | NotTaken> {
  const id = mailOfReturnPath(services.keys, address);
  return (id === undefined ? undefined : await returnedMail(services, id)) ?? unknown;
}

/** A mail as what comes back of it is taken. @param id `msg_…`, or `mail_…` of a mail of sign-in */
export async function returnedMail({ db }: Pick<Services, 'db'>, id: string): Promise<ReturnedMail | undefined> {
  const isSignIn = isSignInMail(id);
  const [sent] = await db.rows((isSignIn ? signInMailStatement : sentStatement).with({ id }));
  return sent === undefined ? undefined : { kind: isSignIn ? 'sign_in_return_path' : 'return_path', sent };
}

const findStatement = statement(
  'mailboxes.addressed',
  { params: { publicId: projects.publicId, slug: mailboxes.slug }, row: mailboxColumns },
  ({ publicId, slug }, row) => sql`select ${row} from ${projects}
    left join ${mailboxes} on ${mailboxes.projectId} = ${projects.id} and ${mailboxes.slug} = ${slug}
      and ${mailboxes.deletedAt} is null
    where ${projects.publicId} = ${publicId} and ${projects.deletedAt} is null`,
);

// The name of a domain that is a project's is known, whatever stands before the `@`.
const findOwnStatement = statement(
  'mailboxes.addressed-below-domain',
  {
    params: { mailDomain: mailDomains.name, localPart: mailAddresses.localPart },
    row: {
      ...mailboxColumns,
      isActive: computed<boolean>('boolean', sql`${mailDomains.receives} and ${mailAddresses.activatedAt} is not null`),
    },
  },
  ({ mailDomain, localPart }, row) => sql`select ${row} from ${mailDomains}
    join ${projects} on ${projects.id} = ${mailDomains.projectId} and ${projects.orgId} = ${mailDomains.orgId}
    left join ${mailAddresses} on ${mailAddresses.mailDomain} = ${mailDomains.name} and ${mailAddresses.localPart} = ${localPart}
    left join ${mailboxes} on ${mailboxes.id} = ${mailAddresses.mailboxId} and ${mailboxes.deletedAt} is null
    where ${mailDomains.name} = ${mailDomain} and ${projects.deletedAt} is null`,
);

const sentStatement = statement(
  'mailboxes.sent',
  { params: pick(mailboxMessages, 'id'), row: sentColumns },
  ({ id }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.id} = ${id} and ${mailboxMessages.direction} = 'outbound'`,
);
