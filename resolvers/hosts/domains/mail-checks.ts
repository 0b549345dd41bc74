import { strategyOf } from './desired-mail.ts';
import { type DomainCheck, type RecordStatus, unseen } from './judgement.ts';
import { dkimStatus, exchangerStatus, type MailRecordFacts, policyRecords } from './mail-records.ts';
import type { HeldMail, ReceiveTest } from './mail-standing.ts';
import { isProven } from './proof.ts';

/** Everything that the mail of a domain is judged by. */
export interface MailFacts extends MailRecordFacts {
  /** Null before mail of the domain is the project's. */
  readonly mail: HeldMail | null;
  readonly receiveTests: readonly ReceiveTest[];
  /** Whether the installation takes mail at all. */
  readonly receivesMail: boolean;
  readonly unanswered: boolean;
}

/** What has to hold for the mail of a domain, in the order in which it comes about. */
export function mailChecks(facts: MailFacts): DomainCheck[] {
  const { email } = facts;
  const checks: DomainCheck[] = [holdingCheck(facts)];
  if (email.send.enabled) checks.push(signatureCheck(facts), ...policyChecks(facts));
  if (email.receive.enabled) checks.push(receivingCheck(facts));
  if (email.mailbox_addresses.addresses.length > 0) checks.push(addressesCheck(facts));
  return checks;
}

/** Whether mail comes here now: by its mail servers, or, where those forward it, by tests. */
export function comesHere(facts: MailFacts): boolean {
  const { email, receivesMail } = facts;
  if (!email.receive.enabled || !receivesMail) return false;
  return strategyOf(email) === 'forwarding_mode' ? isForwarded(facts) : exchangerStatus(facts) === 'present';
}

/** Whether mail that the gateway sends carries a signature that receivers can check. */
export const isSigned = (facts: MailFacts): boolean => facts.email.send.enabled && dkimStatus(facts) === 'present';

/** Every address that is wanted was tested, and forwards to the mailbox that it is. */
function isForwarded({ email, receiveTests }: MailFacts): boolean {
  const { addresses } = email.mailbox_addresses;
  const passed = new Set(receiveTests.filter((one) => one.status === 'passed').map((one) => one.localPart));
  return addresses.length > 0 && addresses.every((one) => passed.has(one.local_part));
}

function holdingCheck({ mail, observed, token }: MailFacts): DomainCheck {
  const base = { id: 'mail_binding', blocking: true } as const;
  if (mail !== null) return { ...base, status: 'passed', summary: 'Mail of the domain is the project’s.' };
  if (observed !== null && isProven(observed, token))
    return {
      ...base,
      status: 'failed',
      reasonCode: 'bound_elsewhere',
      summary: 'Mail of the domain is another project’s, or another domain’s of this one.',
    };
  return { ...base, status: 'blocked', blockedBy: ['ownership'], summary: 'Waits for the proof of the owner.' };
}

/** What is said of a record that a check is of. */
interface Said {
  readonly present: string;
  readonly missing: string;
  readonly conflict: string;
  /** Why a record that is there is not the right one, for programs. */
  readonly conflictCode: string;
}

/** How a check of one record stands. @param wasRight whether what is wrong now has drifted */
function byRecord(
  base: Pick<DomainCheck, 'id' | 'blocking'>,
  seen: RecordStatus,
  { unanswered }: MailFacts,
  wasRight: boolean,
  said: Said,
): DomainCheck {
  switch (seen) {
    case 'unknown':
      return { ...base, ...unseen(unanswered, mailOf) };
    case 'present':
      return { ...base, status: 'passed', summary: said.present };
    case 'missing':
      return {
        ...base,
        status: wasRight ? 'drifted' : 'pending',
        reasonCode: 'record_missing',
        summary: said.missing,
      };
    case 'conflict':
      return {
        ...base,
        status: wasRight ? 'drifted' : 'failed',
        reasonCode: said.conflictCode,
        summary: said.conflict,
      };
  }
}

const mailOf = 'The mail of the domain';

const signatureCheck = (facts: MailFacts): DomainCheck =>
  byRecord({ id: 'dkim', blocking: true }, dkimStatus(facts), facts, facts.mail?.sendsSince != null, {
    present: 'The key that mail is signed with is there.',
    missing: 'The key that mail is signed with is not there.',
    conflict: 'The name of the key has another text, several texts, or one with quotes in it.',
    conflictCode: 'another_record',
  });

const policyChecks = (facts: MailFacts): DomainCheck[] =>
  policyRecords(facts).map(({ id, status }) =>
    byRecord({ id: id as 'spf' | 'dmarc', blocking: false }, status, facts, false, {
      present: 'The policy says that such mail is the domain’s.',
      missing: 'The domain has no such policy.',
      conflict: 'The policy leaves this out, or there are several, of which none counts.',
      conflictCode: 'another_record',
    }),
  );

function receivingCheck(facts: MailFacts): DomainCheck {
  const { email, observed, receivesMail, mail, name } = facts;
  const base = { id: 'mail_routing', blocking: true } as const;
  if (!receivesMail)
    return {
      ...base,
      status: 'blocked',
      reasonCode: 'provider_not_configured',
      summary: 'This gateway takes no mail: its operator sets MAIL_LISTEN.',
    };
  const strategy = strategyOf(email);
  if (strategy === undefined) return { ...base, ...unseen(facts.unanswered, mailOf) };
  if (strategy === 'forwarding_mode')
    return isForwarded(facts)
      ? { ...base, status: 'passed', summary: 'The tests of all addresses have arrived.' }
      : {
          ...base,
          status: 'pending',
          reasonCode: 'test_missing',
          summary: `Have the mail server of ${name} forward each address to its mailbox, then test each of them.`,
        };
  if (strategy === 'full_receive_takeover' && observed?.alias != null)
    return {
      ...base,
      status: 'failed',
      reasonCode: 'alias_in_the_way',
      summary: 'The domain is an alias, beside which no mail server stands. Set its addresses in place of the alias.',
    };
  return byRecord(base, exchangerStatus(facts), facts, mail?.receives === true, {
    present: 'Mail comes to the gateway.',
    missing: 'There is no mail server yet.',
    conflict: 'Mail goes to another server, or to one beside the gateway.',
    conflictCode: 'leads_elsewhere',
  });
}

function addressesCheck({ email, mail }: MailFacts): DomainCheck {
  const base = { id: 'mailbox_addresses', blocking: false } as const;
  if (mail === null)
    return { ...base, status: 'blocked', blockedBy: ['mail_binding'], summary: 'Wait for the proof of the owner.' };
  const wanted = email.mailbox_addresses.addresses;
  const known = new Map(mail.addresses.map((one) => [one.localPart, one]));
  const missing = wanted.filter((one) => !known.has(one.local_part)).map((one) => one.local_part);
  if (missing.length > 0)
    return {
      ...base,
      status: 'failed',
      reasonCode: 'mailbox_missing',
      summary: `No mailbox for: ${missing.join(', ')}. It was deleted, or the address is another project’s.`,
    };
  if (mail.addresses.every((one) => one.activatedAt !== null))
    return { ...base, status: 'passed', summary: 'The addresses are active.' };
  return email.activation === 'manual'
    ? { ...base, status: 'pending', reasonCode: 'activation_manual', summary: 'The addresses wait to be activated.' }
    : { ...base, status: 'pending', reasonCode: 'not_ready', summary: 'The addresses wait until all is right.' };
}
