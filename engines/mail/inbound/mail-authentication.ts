/** Who sent a mail, as the connection and the envelope tell it. */
export interface MailOrigin {
  /** Address of the client. */
  readonly ip: string;
  /** How it called itself. */
  readonly helo: string;
  /** Sender of the envelope; empty for none. */
  readonly sender: string;
}

/** `pass`, `fail`, `softfail`, `neutral`, `none`, `policy`, `temperror` or `permerror`. RFC 8601, section 2.7. */
export type Verdict = string;

/** What the domains of a mail say of it. */
export interface MailAuthentication {
  readonly spf: Verdict;
  readonly dkim: Verdict;
  readonly dmarc: Verdict;
  /** What the domain of `From` wants done with mail that fails: `none`, `quarantine` or `reject`; null where it does not say. */
  readonly dmarc_policy: string | null;
  /** The domain of `From`. */
  readonly from_domain: string | null;
  /** Domains whose signatures hold. */
  readonly signed_by: readonly string[];
}

/** The same where nobody could be asked in time. */
export const unknownAuthentication: MailAuthentication = {
  spf: 'temperror',
  dkim: 'temperror',
  dmarc: 'temperror',
  dmarc_policy: null,
  from_domain: null,
  signed_by: [],
};
