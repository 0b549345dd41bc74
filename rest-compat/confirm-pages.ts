import type { z } from 'zod';
import { ServiceError } from '../core/errors.ts';
import { asRefusal } from '../kernel/run/as-refusal.ts';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { acknowledgeByToken } from '../resolvers/escalations/acknowledge-by-token.ts';
import { ackPath } from '../resolvers/escalations/page-mail.ts';
import { confirmEmail } from '../resolvers/operator-contact/confirm-email.ts';
import { confirmPath } from '../resolvers/operator-contact/send-challenge.ts';
import { type Html, html } from './hosted/html.ts';
import { alertOf, hidden, page } from './hosted/page.ts';
import type { RestRequest } from './rest-request.ts';
import type { RestAnswer, Route } from './route.ts';

/** What a mailed link leads to. */
interface Confirmation {
  /** Of the operation, whose own path takes the token as JSON. */
  readonly path: string;
  readonly title: string;
  readonly question: string;
  readonly button: string;
  readonly operation: string;
  /** Does it. @returns what the page says then */
  readonly confirm: (ctx: Context, token: string) => Promise<Html>;
}

const confirmations: readonly Confirmation[] = [
  {
    path: ackPath,
    title: 'Acknowledge an escalation',
    question: 'Say that you are looking at it. Nobody else is paged for it then.',
    button: 'I am looking at it',
    operation: acknowledgeByToken.name,
    async confirm(ctx, token) {
      const { escalation, changed } = await execute(acknowledgeByToken, ctx, { token });
      const { status, reason, acknowledgedByEmail } = escalation;
      const by = acknowledgedByEmail === null ? '' : ` by ${acknowledgedByEmail}`;
      return html`<p role="status">${changed ? 'Thank you: it is acknowledged.' : `It was ${status} before${status === 'acknowledged' ? by : ''}.`}</p>
<p>Escalation ${escalation.id}</p>
<blockquote>${reason}</blockquote>`;
    },
  },
  {
    path: confirmPath,
    title: 'Confirm your address',
    question: 'Confirm that notices about what you run may be sent to this address.',
    button: 'Confirm',
    operation: confirmEmail.name,
    async confirm(ctx, token) {
      const { email } = await execute(confirmEmail, ctx, { token } satisfies z.input<typeof confirmEmail.input>);
      return html`<p role="status">Thank you: notices will be sent to ${email}.</p>`;
    },
  },
];

/** Only its own page may say where one came from, and only to this host: the address holds what confirms. */
const secretive = { 'referrer-policy': 'no-referrer' };

/**
 * The page that a link leads to changes nothing when it is opened: scanners of mail follow links. It asks nothing of the
 * database either, and works without a script.
 */
const ask = ({ path, title, question, button, operation }: Confirmation): Route => ({
  method: 'GET',
  path,
  operation,
  status: 200,
  run: async (_ctx, { query }) =>
    page(
      200,
      title,
      html`<h1>${title}</h1>
<p>${question}</p>
<form method="post" action="${path}/form">
${hidden('token', query.token ?? '')}
<button>${button}</button>
</form>`,
      secretive,
    ),
});

/** What the page's form is sent to. Refusals are pages too, for the person who reads them. */
const answer = ({ path, title, operation, confirm }: Confirmation): Route => ({
  method: 'POST',
  path: `${path}/form`,
  operation,
  status: 200,
  form: true,
  async run(ctx, { body }: RestRequest): Promise<RestAnswer> {
    try {
      const said = await confirm(ctx, String(body.token ?? ''));
      return page(200, title, html`<h1>${title}</h1>\n${said}`, secretive);
    } catch (error) {
      const refusal = asRefusal(error);
      if (!(refusal instanceof ServiceError)) throw error;
      const headers = { ...secretive, 'x-svc-error-code': refusal.code };
      return page(refusal.row.status, title, html`<h1>${title}</h1>\n${alertOf(refusal.message)}`, headers);
    }
  },
});

/** Pages for people who come by a mailed link. They are no operations: each asks, and sends one. */
export const confirmPages: readonly Route[] = confirmations.flatMap((one) => [ask(one), answer(one)]);
