import type { MailAuthentication } from '../../../engines/mail/inbound/mail-authentication.ts';
import type { ReadMail } from '../../../engines/mail/inbound/read-mail.ts';
import type { Addressee } from './addressee.ts';

/** A mail that has come in. */
export interface InboundMail {
  /** Sender of the envelope; empty for none. */
  readonly sender: string;
  readonly addressees: readonly Addressee[];
  /** As it came, without anything added. */
  readonly raw: Buffer;
  readonly mail: ReadMail;
  readonly authentication: MailAuthentication;
}
