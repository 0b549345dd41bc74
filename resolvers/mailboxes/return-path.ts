import type { KeyRing } from '../../core/keys.ts';

const prefix = 'bounces+';
/** Digits of the MAC: 80 bits. What stands before the `@` has 64 characters at most. */
const macDigits = 20;

const macOf = (keys: KeyRing, id: string): string =>
  keys.mac('mail-return-paths', id).toString('hex').slice(0, macDigits);

/**
 * Where a mail goes back to: an address of its own, so that what comes back names it (VERP). The MAC keeps strangers from making
 * such addresses up.
 *
 * @param messageId `msg_…`
 * @param domain of the project's mailboxes
 */
export const returnPathOf = (keys: KeyRing, messageId: string, domain: string): string =>
  `${prefix}${messageId.replace(/^msg_/, '')}.${macOf(keys, messageId)}@${domain}`;

/** The message that an address is the return path of, in whatever letters; undefined for any other address. */
export function messageOfReturnPath(keys: KeyRing, address: string): string | undefined {
  const [, id, mac] = /^bounces\+([0-9a-z]{26})\.([0-9a-f]{20})@/.exec(address.toLowerCase()) ?? [];
  if (id === undefined || mac === undefined) return undefined;
  const messageId = `msg_${id}`;
  return keys.verifyMac('mail-return-paths', messageId, Buffer.from(mac, 'hex')) ? messageId : undefined;
}
