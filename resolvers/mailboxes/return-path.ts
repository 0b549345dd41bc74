import type { KeyRing } from '../../core/keys.ts';
import type { MailToSend } from '../../engines/mail/mailer.ts';
import type { Services } from '../../kernel/run/context.ts';
import { domainOfProject } from './shared/mail-domain.ts';

const prefix = 'bounces+';
/** Digits of the MAC: 80 bits. What stands before the `@` has 64 characters at most. */
const macDigits = 20;

const macOf = (keys: KeyRing, id: string): string =>
  keys.mac('mail-return-paths', id).toString('hex').slice(0, macDigits);

/**
 * Where a mail goes back to: an address of its own, so that what comes back names it (VERP). The MAC keeps strangers from making
 * such addresses up.
 *
 * @param id `msg_…`, or `mail_…` of a mail of sign-in
 * @param domain of the project's mailboxes
 */
const returnPathOf = (keys: KeyRing, id: string, domain: string): string =>
  `${prefix}${id.replace(/^msg_/, '')}.${macOf(keys, id)}@${domain}`;

/**
 * The mail that an address is the return path of, in whatever letters; undefined for any other address.
 *
 * @returns `msg_…`, or `mail_…` of a mail of sign-in
 */
export function mailOfReturnPath(keys: KeyRing, address: string): string | undefined {
  const [, name, mac] = /^bounces\+((?:mail_)?[0-9a-z]{26})\.([0-9a-f]{20})@/.exec(address.toLowerCase()) ?? [];
  if (name === undefined || mac === undefined) return undefined;
  const id = isSignInMail(name) ? name : `msg_${name}`;
  return keys.verifyMac('mail-return-paths', id, Buffer.from(mac, 'hex')) ? id : undefined;
}

/** Whether an id is one of the outbox, and not of a message. */
export const isSignInMail = (id: string): boolean => id.startsWith('mail_');

/**
 * Where what comes back of a mail goes to, and what servers tell of it (RFC 3461, RFC 9477). Nothing where no mail comes in.
 *
 * @param id `msg_…`, or `mail_…` of a mail of sign-in
 * @param publicId of the project
 */
export function comingBack(
  { keys, settings }: Pick<Services, 'keys' | 'settings'>,
  id: string,
  publicId: string,
): Pick<MailToSend, 'returnPath' | 'tellsDelivery' | 'headers'> {
  if (!settings.receivesMail) return {};
  const returnPath = returnPathOf(keys, id, domainOfProject({ settings }, publicId));
  return {
    returnPath,
    tellsDelivery: true,
    headers: { 'CFBL-Address': `${returnPath}; report=arf`, 'CFBL-Feedback-ID': id },
  };
}
