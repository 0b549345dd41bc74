import type { Transporter } from 'nodemailer';
import type { MailSignature } from './dkim.ts';

export interface MailToSend {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /**
   * Names the mail for good: one that is sent again after a crash has the same `Message-ID`, by which mailboxes know it
   * for the same. Without an `@` it is completed with the domain of the installation's sender.
   */
  readonly id?: string | undefined;
  /** @default the sender of the installation */
  readonly from?: { readonly name: string; readonly address: string };
  /** Where mail that cannot be delivered goes back to. @default the address of the sender */
  readonly returnPath?: string;
  readonly html?: string;
  readonly attachments?: readonly MailAttachment[];
  /** `Message-ID` of the mail that this one answers, without its brackets. */
  readonly inReplyTo?: string | undefined;
  /** `Message-ID` of each mail of the thread, the first one first, without their brackets. */
  readonly references?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether servers that can are asked to tell of the delivery, and not of failures alone (RFC 3461). @default false */
  readonly tellsDelivery?: boolean;
  /** What it is signed with; undefined: the mail server signs what it sends. */
  readonly signature?: MailSignature | undefined;
}

export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** A mail that the mail server has taken. */
export interface TakenMail {
  /** What the server calls it, where its answer says so. */
  readonly providerMessageId: string | null;
}

/** Sends mail by SMTP. */
export interface Mailer {
  /** False without a server: {@link send} then refuses, and mail stays in the outbox. */
  readonly configured: boolean;
  /** @throws MailError */
  readonly send: (message: MailToSend) => Promise<TakenMail>;
  readonly close: () => void;
}

export interface MailerOptions {
  /** `smtp://` or `smtps://`, with user and password if the server wants them. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
  readonly log: { readonly debug: (facts: Record<string, unknown>, message: string) => void };
  /** Longest wait for each answer of the server, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
}

/** Why a mail was not sent, in words that hold no secret and can be stored. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** Whether the server will never take this mail, so that another attempt is in vain. */
  readonly permanent: boolean;
  /** Whether the server says that there is no such recipient, so that no other mail reaches it either. */
  readonly noSuchRecipient: boolean;

  constructor(message: string, { permanent = false, noSuchRecipient = false } = {}) {
    super(message);
    this.permanent = permanent;
    this.noSuchRecipient = noSuchRecipient;
  }
}

export function createMailer({ smtpUrl, from, log, timeoutMs = 10_000 }: MailerOptions): Mailer {
  if (smtpUrl === undefined) {
    const send = async () => {
      throw new MailError('No mail server is configured; set SMTP_URL.');
    };
    return { configured: false, send, close: () => {} };
  }
  /** Of the sender, whose mails are named under it. */
  const domain = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'svc-gateway.invalid';
  const messageIdOf = (id: string) => (id.includes('@') ? id : `${id}@${domain}`);
  let transport: Promise<Transporter> | undefined;
  // Loaded on first use: most installations send no mail.
  const connect = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url: smtpUrl,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      // Text comes from members: it names no files and no addresses to fetch.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return {
    configured: true,
    send: async ({ to, subject, text, id, html, attachments = [], inReplyTo, references = [], ...more }) => {
      try {
        transport ??= connect();
        // As an object, so that a recipient with a comma in it is not read as two.
        const taken = await (await transport).sendMail({
          from: more.from ?? from,
          to: { name: '', address: to },
          subject,
          text,
          ...(html === undefined ? {} : { html }),
          attachments: [...attachments],
          ...(id === undefined ? {} : { messageId: `<${messageIdOf(id)}>` }),
          ...(inReplyTo === undefined ? {} : { inReplyTo: `<${inReplyTo}>` }),
          references: references.map((one) => `<${one}>`),
          ...(more.headers === undefined ? {} : { headers: { ...more.headers } }),
          ...(more.returnPath === undefined ? {} : { envelope: { from: more.returnPath, to: [to] } }),
          ...(more.tellsDelivery === true
            ? { dsn: { return: 'headers', notify: ['success', 'failure'], recipient: to } as const }
            : {}),
          ...(more.signature === undefined ? {} : { dkim: signing(more.signature) }),
        });
        return { providerMessageId: queuedAs(String(taken.response ?? '')) };
      } catch (error) {
        const { code, responseCode } = error as MailFault;
        log.debug({ code, responseCode }, 'The mail server did not take a mail.');
        const fault = error as MailFault;
        throw new MailError(explain(fault), {
          permanent: isPermanent(fault),
          noSuchRecipient: isNoSuchRecipient(fault),
        });
      }
    },
    close: () => void transport?.then((open) => open.close()),
  };
}

/** What servers on the way may change is not signed: a changed name or trace must not break the signature. */
const signing = ({ domain, selector, privateKey }: MailSignature) => ({
  domainName: domain,
  keySelector: selector,
  privateKey,
  skipFields: 'message-id:date',
});

/** What a server calls a mail that it has taken: `250 2.0.0 Ok: queued as 9A3F2C12`, `250 Ok 0100018f-…`. */
const queuedAs = (response: string): string | null =>
  /^250[ -](?:2\.\d+\.\d+ )?ok:?(?: id=| queued as)? ?<?((?=[\w.@-]*\d)[\w.@-]{8,200})>?\s*$/i.exec(response)?.[1] ??
  null;

interface MailFault {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
  /** What the server said. */
  readonly response?: string;
}

/**
 * A refusal of the recipient itself, as mail that comes back would tell it later: by its status (RFC 3463), or by its code where
 * there is none. A server that does not relay, or that wants a login, says nothing of the recipient.
 */
function isNoSuchRecipient({ code, command, responseCode = 0, response = '' }: MailFault): boolean {
  if (code !== 'EENVELOPE' || command !== 'RCPT TO') return false;
  const status = /^\d{3}[ -](5\.\d{1,3}\.\d{1,3})/.exec(response)?.[1];
  if (status !== undefined) return /^5\.(1\.(0|1|2|3|6|10)|2\.1)$/.test(status);
  return [550, 551, 553].includes(responseCode) && !/relay|authent|login|denied|block|spam/i.test(response);
}

/** What the server says of this very mail, not of who sends it. */
const isPermanent = ({ code, responseCode }: MailFault): boolean =>
  (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500;

// The messages of the library and of the server are left out: they may repeat the credentials or the recipient.
function explain({ code, responseCode }: MailFault): string {
  const answer = responseCode === undefined ? '' : ` (${responseCode})`;
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return `The mail server refused the credentials of SMTP_URL${answer}.`;
    case 'EENVELOPE':
      return `The mail server refused the sender or the recipient${answer}.`;
    case 'EMESSAGE':
      return `The mail server refused the message${answer}.`;
    case 'ETLS':
      return 'No secure connection to the mail server could be made.';
    case 'ECONNECTION':
    case 'ECONNREFUSED':
    case 'ECONNRESET':
    case 'EDNS':
    case 'ENOTFOUND':
    case 'ESOCKET':
    case 'ETIMEDOUT':
      return 'The mail server cannot be reached.';
    default:
      return `The mail could not be sent${answer}.`;
  }
}
