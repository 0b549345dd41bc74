import { parentPort } from 'node:worker_threads';
import type { MailAuthentication, MailOrigin } from './mail-authentication.ts';
import { type MailFault, type ReadMail, readMail, UnreadableMailError } from './read-mail.ts';

/** A thread reads a mail, or asks the domains of one. */
export type MailTask =
  | { readonly kind: 'read'; readonly raw: Uint8Array }
  | {
      readonly kind: 'authenticate';
      readonly raw: Uint8Array;
      readonly origin: MailOrigin;
      readonly name: string;
      readonly servers: readonly string[] | undefined;
    };

export type MailAnswer =
  | { readonly mail: ReadMail }
  | { readonly fault: MailFault }
  | { readonly authentication: MailAuthentication | null };

async function answer(task: MailTask): Promise<MailAnswer> {
  const raw = Buffer.from(task.raw.buffer, task.raw.byteOffset, task.raw.byteLength);
  if (task.kind === 'read') {
    try {
      return { mail: await readMail(raw) };
    } catch (error) {
      return { fault: error instanceof UnreadableMailError ? error.fault : 'unreadable' };
    }
  }
  try {
    const { authenticateMail } = await import('./authenticate-mail.ts');
    return { authentication: await authenticateMail(raw, task.origin, task.name, task.servers) };
  } catch {
    return { authentication: null };
  }
}

parentPort!.on('message', async (task: MailTask) => parentPort!.postMessage(await answer(task)));
