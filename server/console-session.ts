import type { Context } from '../kernel/run/context.ts';
import { findBrowserSession } from '../resolvers/sessions/browser-session.ts';
import { invitesWaiting } from '../resolvers/sessions/people.ts';
import type { Exchange } from './exchange.ts';
import { jsonType, sendAnswer } from './respond.ts';

/**
 * Gives the console's own pages the person who is signed in with their browser, and the CSRF token of their requests. No
 * person is an ordinary answer, too: most visitors have never signed in.
 *
 * A browser may send the cookie along for a page of a project's host, too, which is of the same site: no other origin
 * may read the answer, and a browser that says where a request is from gets nothing for it.
 */
export async function answerConsoleSession(ctx: Context, { request, response }: Exchange): Promise<void> {
  const { cookie, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if (cookie !== undefined) ctx.chargeAddress();
  const found = site === 'same-origin' ? await findBrowserSession(ctx.services, cookie) : undefined;
  const person =
    found === undefined
      ? null
      : {
          csrf_token: found.csrf,
          principal_id: found.caller.principal.id,
          display_name: found.caller.principal.displayName,
          email: found.caller.email,
          reads_only: found.caller.kind === 'operator',
          expires_at: found.caller.expiresAt.toISOString(),
          waiting_for_passkey: (await invitesWaiting(ctx.services.db, found.caller.principal.id)).map((invite) => ({
            org_id: invite.orgId,
            display_name: invite.displayName,
            role: invite.role,
            expires_at: invite.expiresAt?.toISOString() ?? null,
          })),
        };
  sendAnswer(response, {
    status: 200,
    headers: { 'content-type': jsonType, 'cache-control': 'no-store' },
    body: JSON.stringify({ person }),
  });
}
