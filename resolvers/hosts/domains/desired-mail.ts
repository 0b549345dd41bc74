import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalidField } from '../../../core/errors.ts';
import type { DesiredDomain, DesiredMail, ObservedDomain, ReceiveStrategy } from '../../../db/schema/hosts.ts';
import { mailboxSlug } from '../../mailboxes/shared/open-mailbox.ts';

const strategies = ['outbound_only', 'forwarding_mode', 'subdomain_mode', 'full_receive_takeover'] as const;

/** Addresses of one domain. A project has five mailboxes; each may have several addresses. */
const addressesMax = 20;

/** A dot-atom (RFC 5321, section 4.1.2), without the `+` that tells addresses of one mailbox apart. */
const localPart = /^[a-z0-9!#$%&'*/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*/=?^_`{|}~-]+)*$/;

/** What the owner wants of mail below a domain, as clients send it. Contract 03, section 5.3. */
export const mailInput = z.object({
  send: z
    .object({ enabled: z.boolean().optional().describe('Whether mailboxes write from addresses of the domain.') })
    .optional()
    .describe('Mail that goes out. Default: none.'),
  receive: z
    .object({
      enabled: z.boolean().optional().describe('Whether mail to addresses of the domain comes to mailboxes.'),
      strategy: z
        .enum(['auto', ...strategies])
        .optional()
        .describe(
          'How it comes: `full_receive_takeover`, all mail of the domain; `subdomain_mode`, mail of a subdomain of it; `forwarding_mode`, what the present mail server forwards; `outbound_only`, none does. Default: `auto`, all mail where the domain has no mail server yet, and else a subdomain.',
        ),
      resolved_strategy: z.string().max(64).optional().describe('What `auto` came to. The gateway decides it.'),
      observed_mx_fingerprint: z
        .string()
        .max(128)
        .optional()
        .describe('Of the mail servers that were seen. The gateway writes it.'),
      mail_subdomain: z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^(?!-)[a-z0-9-]{1,63}(?<!-)$/, 'must be one label, such as mail')
        .optional()
        .describe('The label below which addresses are in `subdomain_mode`. Default: `mail`.'),
    })
    .optional()
    .describe('Mail that comes in. Default: none.'),
  mailbox_addresses: z
    .object({
      mode: z
        .enum(['primary', 'alias', 'managed', 'none'])
        .optional()
        .describe(
          '`primary`: mailboxes write from these addresses once their key is seen; `alias`: they receive by them alone; `managed` or `none`: there are none. Default: `primary` where there are addresses.',
        ),
      addresses: z
        .array(
          z.object({
            local_part: z
              .string()
              .trim()
              .toLowerCase()
              .min(1)
              .max(64)
              .regex(localPart, 'must be what stands before an @, without a +')
              .describe('What stands before the `@`.'),
            mailbox_slug: mailboxSlug.describe('The mailbox of the project, by its slug.'),
            create_mailbox: z.boolean().optional().describe('Whether the mailbox is made where there is none.'),
          }),
        )
        .max(addressesMax)
        .optional()
        .describe('Which mailbox each address is.'),
    })
    .optional()
    .describe('Addresses of mailboxes below the domain.'),
  activation: z
    .enum(['automatic_when_ready', 'manual'])
    .optional()
    .describe('Whether addresses take effect by themselves once all is right. Default: `automatic_when_ready`.'),
});

/** @throws VALIDATION_FAILED */
export function desiredMail(
  given: z.output<typeof mailInput>,
  domain: string,
  known: DesiredMail | undefined,
): DesiredMail {
  const { send, receive, mailbox_addresses: wanted, activation = 'automatic_when_ready' } = given;
  const addresses = wanted?.addresses ?? [];
  const mode = wanted?.mode ?? (addresses.length > 0 ? 'primary' : 'none');
  const at = 'desired.email.mailbox_addresses';
  if (addresses.length > 0 && (mode === 'none' || mode === 'managed'))
    throw invalidField(`${at}.addresses`, `must be empty where the mode is ${mode}`);
  if (new Set(addresses.map((one) => one.local_part)).size < addresses.length)
    throw invalidField(`${at}.addresses`, 'must name each local part once');
  const strategy = receive?.strategy ?? 'auto';
  const subdomain = receive?.mail_subdomain ?? 'mail';
  if (`${subdomain}.${domain}`.length > nameMax)
    throw invalidField('desired.email.receive.mail_subdomain', 'makes a name that is too long');
  // What `auto` came to stays: the records that follow from it may be set already.
  const { resolved_strategy, observed_mx_fingerprint } = known?.receive ?? {};
  const isKept = strategy === known?.receive.strategy && resolved_strategy !== undefined;
  return {
    send: { enabled: send?.enabled ?? false },
    receive: {
      enabled: (receive?.enabled ?? false) && strategy !== 'outbound_only',
      strategy,
      mail_subdomain: subdomain,
      ...(isKept ? { resolved_strategy } : {}),
      ...(isKept && observed_mx_fingerprint !== undefined ? { observed_mx_fingerprint } : {}),
    },
    mailbox_addresses: {
      mode,
      addresses: addresses.map(({ local_part, mailbox_slug }) => ({ local_part, mailbox_slug })),
    },
    activation,
  };
}

/** Longest name behind an `@`, so that a whole address fits into 320 characters with room for a return path. */
const nameMax = 253;

/** What is wanted of mail; undefined where nothing of it is turned on. */
export const wantedMail = ({ email }: DesiredDomain): DesiredMail | undefined =>
  email !== undefined && (email.send.enabled || email.receive.enabled) ? email : undefined;

/** What comes of a strategy; undefined while a domain whose strategy is `auto` was not looked at. */
export const strategyOf = ({ receive }: DesiredMail): ReceiveStrategy | undefined =>
  !receive.enabled ? 'outbound_only' : receive.strategy === 'auto' ? receive.resolved_strategy : receive.strategy;

/** The name behind the `@` of addresses; undefined while that is not known. */
export function mailNameOf(domain: string, email: DesiredMail): string | undefined {
  const strategy = strategyOf(email);
  if (strategy === undefined) return undefined;
  return strategy === 'subdomain_mode' ? subdomainOf(domain, email) : domain;
}

/** The name that mail comes to in `subdomain_mode`. */
export const subdomainOf = (domain: string, { receive }: DesiredMail): string => `${receive.mail_subdomain}.${domain}`;

/**
 * Decides what `auto` comes to, once: mail servers that a domain has are left alone, and an alias has none beside it.
 *
 * @param mailHost where mail is taken by the gateway
 */
export function resolveStrategy(
  desired: DesiredDomain,
  { mail, alias, beginsZone }: ObservedDomain,
  mailHost: string,
): DesiredDomain {
  const { email, web } = desired;
  if (email === undefined || mail === undefined || !email.receive.enabled) return desired;
  if (email.receive.resolved_strategy !== undefined) return desired;
  const foreign = mail.exchangers.domain.filter((one) => one !== mailHost).sort();
  const isAlias = alias !== null || (web.enabled && !beginsZone);
  const { strategy } = email.receive;
  const resolved: ReceiveStrategy =
    strategy !== 'auto' ? strategy : foreign.length > 0 || isAlias ? 'subdomain_mode' : 'full_receive_takeover';
  const seen =
    foreign.length === 0
      ? {}
      : { observed_mx_fingerprint: `sha256:${createHash('sha256').update(foreign.join('\n')).digest('hex')}` };
  return { ...desired, email: { ...email, receive: { ...email.receive, resolved_strategy: resolved, ...seen } } };
}
