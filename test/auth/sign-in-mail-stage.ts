import { expect } from 'vitest';
import { until } from '../helpers/until.ts';
import { startMailStage } from '../hosts/mail-stage.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

export const platformSender = 'no-reply@apps.example.net';

/** A mail that no user is signed in by. */
export const letter = (to: string) => ({ to, subject: 'Your export', html: '<p>Ready.</p>' });

/** A gateway whose projects send the mails of sign-in from a mailbox. The mail server has no address that begins with `gone`. */
export async function startSignInMailStage() {
  /** Addresses that the mail server does not take yet. */
  const later = new Set<string>();
  /** Domains that the mail server takes no mail from. */
  const foreign = new Set<string>();
  const stage = await startMailStage({
    onMailFrom: ({ address }, _session, done) =>
      done(foreign.has(address.split('@')[1]!) ? refusal(553, '5.7.1 Not your address.') : null),
    onRcptTo: ({ address }, _session, done) => {
      if (address.startsWith('gone')) done(refusal(550, '5.1.1 No such user.'));
      else done(later.delete(address) ? refusal(450, '4.2.1 Come again.') : null);
    },
  });
  const { service, smtp } = stage;

  /** A project whose mailbox `hello-there` sends the mails of sign-in. */
  async function home(slug = 'hello-there') {
    const owner = await stage.owner();
    const { mail, anonKey, projectId } = owner;
    const { mailbox_id: id, address } = (await mail.create(slug)).body;
    await mail.defaults({ auth_sender_mailbox_id: id });
    const auth = (path: string, body: object) =>
      service.call<Any>(service.actors.apikey(anonKey), 'POST', `/auth/v1/${path}`, { body });
    const ask = async (email: string) => {
      const body = { email, delivery: 'both', redirect_url: 'http://localhost:3000/' };
      expect((await auth('magic-link', body)).status).toBe(200);
    };
    /** Asks for a mail, and reads it where it has arrived. */
    const mailed = async (email: string) => {
      const arrived = () => smtp.taken.filter(({ to, raw }) => to.includes(email) && raw.includes('token'));
      const known = arrived().length;
      await ask(email);
      await until(() => expect(arrived()).toHaveLength(known + 1));
      const { raw, from } = arrived().at(-1)!;
      return { ...read(raw), from, raw };
    };
    const rename = (name: string) =>
      service.control.sql('update projects set name = $1 where id = $2', [name, projectId]);
    return { ...owner, id, address, auth, ask, mailed, rename };
  }

  const outboxOf = (email: string) =>
    service.control.sql<{ id: string; state: string; attempts: number; last_error: string | null; body_text: string }>(
      'select id, state, attempts, last_error, body_text from mail_outbox where recipient = $1',
      [email],
    );

  return { ...stage, later, foreign, home, outboxOf };
}

/** What a person sees of a mail. */
function read(raw: string) {
  const head = raw.split('\r\n\r\n')[0]!.replaceAll(/\r\n[ \t]+/g, ' ');
  const text = raw
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return {
    text,
    sender: /^From: (.*)\r?$/m.exec(head)![1]!,
    mailId: /^Message-ID: <([^>]+)>/m.exec(head)![1]!,
    token: /[?&]token=([\w-]+)/.exec(text)![1]!,
    code: /^\d{6}(?=\r?$)/m.exec(text)![0],
  };
}
