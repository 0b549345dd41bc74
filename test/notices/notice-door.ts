import { randomUUID } from 'node:crypto';
import { documentedCalls } from '../helpers/documented.ts';
import type { Service } from '../helpers/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** Owners whose operators are told. */
export function noticeDoor(service: Service) {
  const call = documentedCalls(service);
  const { control } = service;

  /** An owner whose operator has a verified address and, unless told otherwise, a passkey. */
  async function told({ passkey = true } = {}) {
    const { wallet, orgId } = await service.owner();
    const email = `${randomUUID()}@example.com`;
    await call(wallet, 'POST', '/agent/v1/contact', { body: { name: 'Ada', email } });
    await control.sql(
      `update operator_contacts set email_verified_at = now(), passkey_bound_at = case when $2 then now() end where email = $1`,
      [email, passkey],
    );
    const ask = (method: string, path: string, body?: object) =>
      call(wallet, method, `/agent/v1${path}`, body && { body });
    return {
      wallet,
      orgId,
      email,
      ask,
      /** @returns the secret */
      async webhook(url: string): Promise<string> {
        await ask('PATCH', '/notifications/preferences', { webhook_url: url });
        return (await ask('POST', '/webhook-secret/rotate', {})).body.webhook_signing_secret;
      },
      notices: async (search = ''): Promise<Any[]> => (await ask('GET', `/notifications${search}`)).body.notifications,
      /** What was mailed but for the link that verifies the address. */
      mails: () =>
        control.sql<{ subject: string; body_text: string }>(
          `select subject, body_text from mail_outbox where recipient = $1 and body_text not like '%/verify-email/%'
           order by created_at, id`,
          [email],
        ),
    };
  }
  return { call, told };
}
