import type { AddressInfo } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import { createMailReader, MailBusyError } from '../../engines/mail/inbound/mail-reader.ts';
import { UnreadableMailError } from '../../engines/mail/inbound/read-mail.ts';
import { type Rate, RateLimiter } from '../../kernel/limits/rate-limit.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type Addressee, findAddressee } from '../../resolvers/mailboxes/inbound/addressee.ts';
import { receiveMail } from '../../resolvers/mailboxes/inbound/receive-mail.ts';
import { rawBytesMax } from '../../resolvers/mailboxes/mailbox.ts';
import { bareLineEnds } from './line-endings.ts';

/** Connections at once, and of one network. */
const connectionsMax = 200;
const perNetworkMax = 20;
/** Mails of one network. The machine’s own programs have no limit. */
const mailRate: Rate = { perSecond: 5, burst: 300 };
/** Addresses of one network that do not exist: who guesses is slowed down. */
const unknownRate: Rate = { perSecond: 0.2, burst: 50 };
const recipientsMax = 50;
/** Bytes of mails that are on their way in at once, of all connections. */
const bytesAtOnceMax = 128 * 1024 * 1024;
/** How long a client may be silent, in milliseconds. */
const silenceMs = 60_000;
/** How long mails that are under way may take to end when the server stops, in milliseconds. */
const stopMs = 3_000;

export interface MailListenerOptions {
  readonly host: string;
  readonly port: number;
  /** How the server calls itself. */
  readonly name: string;
  /** Name servers that are asked about senders; undefined: the system's. */
  readonly dnsServers: readonly string[] | undefined;
  /** The certificate for STARTTLS as it is now; undefined: it is not offered. */
  readonly tls: (() => SecureContext) | undefined;
  readonly contextOf: (address: string) => Context;
  readonly log: Logger;
}

export interface MailListener {
  readonly port: number;
  /** Takes no more mail, and lets what is under way end. */
  readonly stop: () => Promise<void>;
}

/** A refusal as SMTP says it. */
class SmtpRefusal extends Error {
  readonly responseCode: number;

  constructor(code: number, text: string) {
    super(text);
    this.responseCode = code;
  }
}

const later = () => new SmtpRefusal(451, '4.3.0 The mail cannot be taken at the moment.');

const isOwn = (address: string): boolean => address === '::1' || address.startsWith('127.');

/** What a session has named so far: whom its mail is for. */
const addresseesOf = new WeakMap<object, Addressee[]>();

/** Takes mail for mailboxes by SMTP. @returns once it listens */
export async function startMailListener(options: MailListenerOptions): Promise<MailListener> {
  const { log, name, tls, contextOf } = options;
  const limiter = new RateLimiter();
  const reader = createMailReader({ name, servers: options.dnsServers });
  const connections = new Map<string, number>();
  let bytesAtOnce = 0;
  const underWay = new Set<Promise<void>>();

  /** Does something for a session, and answers its refusal. */
  const answer = (what: string, work: () => Promise<void>, done: (error?: Error | null) => void): void => {
    void work().then(
      () => done(),
      (error: unknown) => {
        if (error instanceof SmtpRefusal) return done(error);
        // A client that went away is no fault of the server's.
        if ((error as NodeJS.ErrnoException).code === 'ECONNECTION') log.debug({ err: error }, what);
        else log.warn({ err: error }, what);
        done(later());
      },
    );
  };

  async function takeRecipient(address: string, session: SMTPServerSession): Promise<void> {
    const network = networkOf(session.remoteAddress);
    if (limiter.peek(network, unknownRate) > 0) throw new SmtpRefusal(451, '4.7.1 Too many unknown recipients.');
    const found = await findAddressee(contextOf(session.remoteAddress), address);
    if (!('kind' in found)) {
      if (found.code === 550) limiter.take(network, unknownRate);
      throw new SmtpRefusal(found.code, found.text);
    }
    const known = addresseesOf.get(session.envelope) ?? [];
    addresseesOf.set(session.envelope, [...known, found]);
  }

  /** All bytes of a mail. Those of one that is not taken are read as well: the client says no more before it is through. */
  async function readData(stream: SMTPServerDataStream): Promise<Buffer> {
    const isBare = bareLineEnds();
    let chunks: Buffer[] = [];
    let held = 0;
    let refusal: SmtpRefusal | undefined;
    const release = () => {
      bytesAtOnce -= held;
      held = 0;
      chunks = [];
    };
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (refusal !== undefined) continue;
        held += chunk.length;
        bytesAtOnce += chunk.length;
        chunks.push(chunk);
        if (stream.sizeExceeded) refusal = new SmtpRefusal(552, `5.3.4 A mail may have ${rawBytesMax} bytes.`);
        else if (isBare(chunk)) refusal = new SmtpRefusal(550, '5.6.0 Lines have to end with CRLF.');
        else if (bytesAtOnce > bytesAtOnceMax) refusal = new SmtpRefusal(452, '4.3.1 Too much mail comes in at once.');
        if (refusal !== undefined) release();
      }
      if (refusal !== undefined) throw refusal;
      return Buffer.concat(chunks);
    } finally {
      release();
    }
  }

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const { remoteAddress: ip, envelope, hostNameAppearsAs } = session;
    const addressees = addresseesOf.get(envelope) ?? [];
    const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address.replaceAll(/\p{Cc}/gu, '');
    const raw = await readData(stream);
    const network = networkOf(ip);
    try {
      const mail = await reader.read(raw, network);
      const origin = { ip, helo: String(hostNameAppearsAs || ip), sender };
      const authentication = await reader.authenticate(raw, origin, network);
      if (authentication.dmarc === 'fail' && authentication.dmarc_policy === 'reject')
        throw new SmtpRefusal(550, '5.7.1 The domain of the sender has such mail refused (DMARC).');
      const outcome = await receiveMail(contextOf(ip), { sender, addressees, raw, mail, authentication });
      if (outcome === 'not_wanted')
        throw new SmtpRefusal(550, '5.7.1 The mailbox takes answers to its own mail alone.');
    } catch (error) {
      throw asRefusal(error);
    }
  }

  const server = new SMTPServer({
    name,
    banner: 'mail of mailboxes',
    size: rawBytesMax,
    authOptional: true,
    disabledCommands: ['AUTH', ...(tls === undefined ? ['STARTTLS'] : [])],
    disableReverseLookup: true,
    hideDSN: true,
    hideREQUIRETLS: true,
    hideSMTPUTF8: false,
    maxClients: connectionsMax,
    maxRecipients: recipientsMax,
    maxCommandLength: 2_048,
    socketTimeout: silenceMs,
    closeTimeout: stopMs,
    maxAllowedUnauthenticatedCommands: false,
    logger: false,
    onConnect(session, done) {
      if (tls !== undefined) server.secureContext.set('*', tls());
      const network = networkOf(session.remoteAddress);
      const open = (connections.get(network) ?? 0) + 1;
      connections.set(network, open);
      done(open > perNetworkMax ? new SmtpRefusal(421, '4.7.0 Too many connections.') : null);
    },
    onClose(session) {
      const network = networkOf(session.remoteAddress);
      const left = (connections.get(network) ?? 1) - 1;
      if (left > 0) connections.set(network, left);
      else connections.delete(network);
    },
    onMailFrom(_address, session, done) {
      const { remoteAddress } = session;
      const wait = isOwn(remoteAddress) ? 0 : limiter.take(`mail ${networkOf(remoteAddress)}`, mailRate);
      done(wait > 0 ? new SmtpRefusal(451, '4.7.1 Too many mails; try again later.') : null);
    },
    onRcptTo: ({ address }, session, done) =>
      answer('A recipient could not be looked up.', () => takeRecipient(address, session), done),
    onData(stream, session, done) {
      const taken = new Promise<void>((resolve) => {
        answer(
          'A mail could not be taken.',
          () => take(stream, session),
          (error) => {
            done(error);
            resolve();
          },
        );
      });
      underWay.add(taken);
      void taken.then(() => underWay.delete(taken));
    },
  });
  // A client that goes away, or speaks no SMTP, is no fault of the server's.
  server.on('error', (error) => log.debug({ err: error }, 'A connection for mail broke.'));
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(underWay);
      await closed;
      await reader.close();
    },
  };
}

/** Why a mail was not taken, as its sender is told. */
function asRefusal(error: unknown): unknown {
  if (error instanceof UnreadableMailError)
    return new SmtpRefusal(554, `5.6.0 The mail cannot be read: ${error.fault}.`);
  if (error instanceof MailBusyError) return new SmtpRefusal(451, '4.3.2 Too much mail comes in at once.');
  if (error instanceof ServiceError && error.code === 'QUOTA_EXCEEDED')
    return new SmtpRefusal(452, '4.2.2 The mailbox is full.');
  return error;
}
