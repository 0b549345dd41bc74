import { createThreads, ThreadEndedError, ThreadsBusyError } from '../../../core/threads.ts';
import { type MailAuthentication, type MailOrigin, unknownAuthentication } from './mail-authentication.ts';
import type { MailAnswer, MailTask } from './mail-worker.ts';
import { type MailFault, type ReadMail, UnreadableMailError } from './read-mail.ts';

/** Too much mail comes in at once: it may be sent again. */
export class MailBusyError extends Error {
  override readonly name = 'MailBusyError';
}

/** Reads mail of strangers beside the event loop. */
export interface MailReader {
  /**
   * @param party whose mail it is: parties take turns
   * @throws UnreadableMailError, MailBusyError
   */
  readonly read: (raw: Buffer, party: string) => Promise<ReadMail>;
  /** What the domains of a mail say of it; `temperror` where they do not say it in time. Never throws. */
  readonly authenticate: (raw: Buffer, origin: MailOrigin, party: string) => Promise<MailAuthentication>;
  readonly close: () => Promise<void>;
}

export interface MailReaderOptions {
  /** Of this mail server. */
  readonly name: string;
  /** Name servers that are asked; undefined: the system's. */
  readonly servers: readonly string[] | undefined;
}

/** Threads start with the first mail. Those that read are apart from those that wait for name servers. */
export function createMailReader({ name, servers }: MailReaderOptions): MailReader {
  const program = new URL('./mail-worker.ts', import.meta.url);
  const readers = createThreads<MailTask, MailAnswer>({
    program,
    most: 2,
    waitingMax: 64,
    shareMax: 16,
    workMs: 60_000,
    memoryMb: 512,
  });
  const askers = createThreads<MailTask, MailAnswer>({
    program,
    most: 4,
    waitingMax: 64,
    shareMax: 16,
    waitMs: 4_000,
    workMs: 8_000,
    memoryMb: 256,
  });
  return {
    async read(raw, party) {
      const answer = await readers.ask({ kind: 'read', raw }, party).catch((error: unknown): { fault: MailFault } => {
        if (error instanceof ThreadsBusyError) throw new MailBusyError('Too much mail waits to be read.');
        // It took too much memory, or too long.
        if (error instanceof ThreadEndedError) return { fault: 'unreadable' };
        throw error;
      });
      if ('mail' in answer) return answer.mail;
      throw new UnreadableMailError('fault' in answer ? answer.fault : 'unreadable');
    },
    async authenticate(raw, origin, party) {
      try {
        const answer = await askers.ask({ kind: 'authenticate', raw, origin, name, servers }, party);
        return ('authentication' in answer ? answer.authentication : null) ?? unknownAuthentication;
      } catch {
        return unknownAuthentication;
      }
    },
    close: async () => void (await Promise.all([readers.close(), askers.close()])),
  };
}
