export type DomainStatus = 'action_required' | 'waiting' | 'active' | 'needs_repair' | 'failed';
export type CheckStatus = 'unknown' | 'pending' | 'passed' | 'failed' | 'drifted' | 'blocked';
export type RecordStatus = 'unknown' | 'missing' | 'present' | 'conflict';

/** A record that the owner sets. */
export interface WantedRecord {
  readonly id: string;
  readonly purpose: 'ownership' | 'routing' | 'mail_signature' | 'mail_routing' | 'mail_policy';
  readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'ALIAS' | 'MX';
  readonly name: string;
  readonly value: string;
  /** Of a mail server among others. */
  readonly priority?: number;
  readonly status: RecordStatus;
  /** Whether something that is wanted of the domain does not work without it. */
  readonly required: boolean;
}

export type WebCheck = 'ownership' | 'routing' | 'binding' | 'certificate';
type MailCheck = 'mail_binding' | 'dkim' | 'spf' | 'dmarc' | 'mail_routing' | 'mailbox_addresses';

export interface DomainCheck {
  readonly id: WebCheck | MailCheck;
  readonly status: CheckStatus;
  readonly blocking: boolean;
  readonly reasonCode?: string;
  readonly summary: string;
  readonly blockedBy?: readonly string[];
}

/** How a check stands before anything was seen. @param silent whether no name server gave an answer */
export const unseen = (silent: boolean, what: string) =>
  silent
    ? ({
        status: 'unknown',
        reasonCode: 'dns_unavailable',
        summary: 'No name server gave an answer. The gateway asks again by itself.',
      } as const)
    : ({ status: 'unknown', reasonCode: 'not_checked', summary: `${what} was not looked at yet.` } as const);

export interface Judgement {
  readonly status: DomainStatus;
  readonly records: readonly WantedRecord[];
  readonly checks: readonly DomainCheck[];
}
