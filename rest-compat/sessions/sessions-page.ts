import { ServiceError } from '../../core/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { listApprovals, revokeApproval, revokeApprovals } from '../../resolvers/sessions/given-approvals.ts';
import {
  endOneSession,
  endOtherSessions,
  listSessions,
  type ShownSession,
} from '../../resolvers/sessions/own-sessions.ts';
import { type Html, html } from '../hosted/html.ts';
import { button, hidden, momentOf } from '../hosted/page.ts';
import type { Route } from '../route.ts';
import { asVisitor, visitorOf } from './by-browser.ts';
import {
  accountPath,
  approvalActions,
  fromOwnPage,
  pageRoute,
  scripted,
  seeOther,
  sessionsPath,
  toSignIn,
} from './page-parts.ts';

const ways: Readonly<Record<string, string>> = {
  email: 'a mailed link',
  passkey: 'a passkey',
  oauth: 'a social account',
  recovery_code: 'a recovery code',
  loopback_pkce: 'a browser and a passkey',
  device: 'a code that you approved',
};

const at = (moment: Date): Html => momentOf(moment.toISOString());

/** Where a person sees what it has open, and ends it. */
const sessionsPage = pageRoute('GET', sessionsPath, 'pages.sessions', async (ctx, request) => {
  const visitor = await visitorOf(ctx, request);
  if (visitor === undefined || visitor.caller.kind !== 'control_plane') return toSignIn(sessionsPath);
  const own = asVisitor(ctx, visitor);
  const [sessions, approvals] = await Promise.all([execute(listSessions, own, {}), execute(listApprovals, own, {})]);
  const { csrf } = visitor;
  const session = (
    one: ShownSession,
  ): Html => html`<li>${one.client ?? 'A program'}${one.kind === 'operator' && ', only reading'}: signed in ${at(one.beganAt)} by ${ways[one.provenance] ?? one.provenance}, last used ${at(one.lastUsedAt)}
${
  one.current
    ? html`<strong>This one</strong>`
    : button(
        `${sessionsPath}/end`,
        'End',
        csrf,
        [hidden('id', one.id)],
        `End ${one.client ?? 'a program'}, signed in ${one.beganAt.toISOString()}`,
      )
}</li>
`;
  return scripted(
    ctx,
    200,
    'Your sessions',
    html`<p><a href="${accountPath}">Your account</a></p>
<p>A session ends after half an hour without use, and twelve hours after you signed in. If you do not know one, end it, and remove from your account what it began with.</p>
<ul>
${sessions.map(session)}</ul>
${sessions.length > 1 && button(`${sessionsPath}/end-others`, 'End all others', csrf)}
<h2>Write approvals</h2>
${
  approvals.length === 0
    ? html`<p>None is open.</p>`
    : html`<ul>
${approvals.map(
  ({
    id,
    action,
    targetId,
    absoluteExpiresAt,
  }) => html`<li>${approvalActions[action]} ${targetId}, until ${at(absoluteExpiresAt)}
${button(`${sessionsPath}/take-back`, 'Take back', csrf, [hidden('id', id)], `Take back: ${approvalActions[action]} ${targetId}`)}</li>
`,
)}</ul>
${button(`${sessionsPath}/take-back-all`, 'Take back all', csrf)}`
}`,
  );
});

/** A form of the page above, that leads back to it. What is over already needs not be ended. */
const change = (path: string, operation: string, run: (own: Context, id: string) => Promise<unknown>): Route =>
  pageRoute('POST', `${sessionsPath}/${path}`, operation, async (ctx, request) => {
    const visitor = await visitorOf(ctx, request);
    if (visitor === undefined) return toSignIn(sessionsPath);
    fromOwnPage(ctx, request, visitor.csrf);
    const { id } = request.body;
    try {
      await run(asVisitor(ctx, visitor), typeof id === 'string' ? id : '');
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'RESOURCE_NOT_FOUND')) throw error;
    }
    return seeOther(sessionsPath);
  });

/** A person's sessions and write approvals, without a script. */
export const sessionsPages: readonly Route[] = [
  sessionsPage,
  change('end', endOneSession.name, (own, id) => execute(endOneSession, own, { id })),
  change('end-others', endOtherSessions.name, (own) => execute(endOtherSessions, own, {})),
  change('take-back', revokeApproval.name, (own, id) => execute(revokeApproval, own, { id })),
  change('take-back-all', revokeApprovals.name, (own) => execute(revokeApprovals, own, {})),
];
