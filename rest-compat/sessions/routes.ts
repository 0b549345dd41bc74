import { exchangeToken } from '../../resolvers/ci/exchange-token.ts';
import { beginContactEnrolment, finishContactEnrolment } from '../../resolvers/operator-contact/contact-passkey.ts';
import { listAuthenticators, removeAuthenticator } from '../../resolvers/sessions/authenticators.ts';
import { closeBrowser, openBrowser, refreshBrowser } from '../../resolvers/sessions/browser-session.ts';
import { beginClaim, claimWalletOrg } from '../../resolvers/sessions/claim-wallet-org.ts';
import { beginDevice, decideDevice, deviceToken } from '../../resolvers/sessions/device-flow.ts';
import { listApprovals, revokeApproval, revokeApprovals } from '../../resolvers/sessions/given-approvals.ts';
import { approveLoopback, getLoopback, loopbackToken } from '../../resolvers/sessions/loopback.ts';
import { addEmail, verifyEmail } from '../../resolvers/sessions/more-emails.ts';
import {
  beginEnrolment,
  beginOperatorEnrolment,
  beginStepUp,
  finishEnrolment,
  finishOperatorEnrolment,
  finishStepUp,
} from '../../resolvers/sessions/own-passkeys.ts';
import {
  getSession,
  refreshOperatorSession,
  refreshSession,
  revokeOperatorSession,
  revokeSession,
} from '../../resolvers/sessions/own-session.ts';
import { endOneSession, endOtherSessions, listSessions } from '../../resolvers/sessions/own-sessions.ts';
import { consumeRecoveryCode, issueRecoveryCodes } from '../../resolvers/sessions/recovery.ts';
import {
  sendOperatorLink,
  sendSignInLink,
  verifyOperatorLink,
  verifySignInLink,
} from '../../resolvers/sessions/sign-in-by-mail.ts';
import {
  beginOperatorPasskey,
  beginPasskeySignIn,
  finishOperatorPasskey,
  finishPasskeySignIn,
} from '../../resolvers/sessions/sign-in-by-passkey.ts';
import {
  approvalToken,
  askApproval,
  beginApproval,
  confirmApproval,
} from '../../resolvers/sessions/write-approvals.ts';
import type { RestRequest } from '../rest-request.ts';
import { type Route, route } from '../route.ts';
import { byBrowser, userAgentOf } from './by-browser.ts';
import { sessionPages } from './pages.ts';
import { socialRoutes } from './social-pages.ts';

const plane = '/agent/v1/control-plane';
const operator = '/agent/v1/operator';

/** An answer without a body. */
const silent = (one: Route): Route => ({
  ...one,
  status: 204,
  run: async (ctx, request) => {
    await one.run(ctx, request);
    return { status: 204, headers: {}, body: '' };
  },
});

/** The body may be a form, as clients of RFC 8628 send it. */
const orForm = (one: Route): Route => ({ ...one, form: true });

/** No credential is looked at: what the request holds says who it is from. */
const open = { withoutCredential: true } as const;

/** The credential that ends itself: every client sends it already, so none is told of it. */
const authorization = { make: ({ headers }: RestRequest) => headers?.authorization };

/** Paths of people's sessions. Contract 01, section 5.14. */
const sessionRoutes: readonly Route[] = [
  route('POST', `${plane}/session/email`, 200, sendSignInLink, { return_to: null }, open),
  route('POST', `${plane}/session/email/verify`, 200, verifySignInLink, {}, open),
  route('POST', `${plane}/session/passkey/options`, 200, beginPasskeySignIn, {}, open),
  route('POST', `${plane}/session/passkey/verify`, 200, finishPasskeySignIn, {}, open),
  byBrowser(route('GET', `${plane}/session`, 200, getSession)),
  route('POST', `${plane}/session/refresh`, 200, refreshSession),
  route('POST', `${plane}/session/revoke`, 200, revokeSession, { authorization }, open),
  route('POST', `${plane}/session/browser`, 200, openBrowser, { client: { make: userAgentOf } }),
  byBrowser(route('POST', `${plane}/session/browser/refresh`, 200, refreshBrowser, { client: { make: userAgentOf } })),
  byBrowser(route('POST', `${plane}/session/browser/revoke`, 200, closeBrowser)),
  byBrowser(route('GET', `${plane}/sessions`, 200, listSessions)),
  byBrowser(route('POST', `${plane}/sessions/:id/revoke`, 200, endOneSession)),
  byBrowser(route('POST', `${plane}/sessions/revoke-others`, 200, endOtherSessions)),
  byBrowser(route('POST', `${plane}/passkey/enroll/options`, 200, beginEnrolment)),
  byBrowser(route('POST', `${plane}/passkey/enroll/verify`, 201, finishEnrolment)),
  byBrowser(route('POST', `${plane}/step-up/options`, 200, beginStepUp)),
  byBrowser(route('POST', `${plane}/step-up/verify`, 200, finishStepUp)),
  byBrowser(route('GET', `${plane}/authenticators`, 200, listAuthenticators)),
  byBrowser(route('DELETE', `${plane}/authenticators/:id`, 200, removeAuthenticator)),
  byBrowser(route('POST', `${plane}/emails`, 200, addEmail)),
  byBrowser(route('POST', `${plane}/emails/verify`, 200, verifyEmail)),
  byBrowser(route('POST', `${plane}/recovery/issue`, 201, issueRecoveryCodes)),
  route('POST', `${plane}/recovery/consume`, 200, consumeRecoveryCode, {}, open),
];

/** By which a workflow of CI gets its bearer. Contract 03, section 9.2. */
const workflowRoutes: readonly Route[] = [
  route('POST', '/ci/v1/token-exchange', 200, exchangeToken, { project: ['body project_id', 'body project'] }, open),
];

/** Paths by which a command line signs in, and has single changes approved. Contract 01, section 5.14. */
const commandRoutes: readonly Route[] = [
  byBrowser(route('GET', `${plane}/cli/authorize/:flow_id`, 200, getLoopback)),
  byBrowser(route('POST', `${plane}/cli/approve`, 200, approveLoopback)),
  route('POST', `${plane}/cli/token`, 200, loopbackToken, {}, open),
  byBrowser(route('POST', `${plane}/write-auth/challenges`, 201, beginApproval)),
  byBrowser(route('POST', `${plane}/write-auth/options`, 200, askApproval)),
  byBrowser(route('POST', `${plane}/write-auth/verify`, 201, confirmApproval)),
  route('POST', `${plane}/write-auth/cli/token`, 201, approvalToken, {}, open),
  byBrowser(route('GET', `${plane}/write-auth/sessions`, 200, listApprovals)),
  byBrowser(route('POST', `${plane}/write-auth/sessions/:id/revoke`, 200, revokeApproval)),
  byBrowser(route('POST', `${plane}/write-auth/sessions/revoke-all`, 200, revokeApprovals)),
];

/** Paths of operators' sessions, which only read. Contract 01, section 5.13. */
const operatorRoutes: readonly Route[] = [
  orForm(route('POST', `${operator}/session/device`, 200, beginDevice, {}, open)),
  orForm(route('POST', `${operator}/session/device/token`, 200, deviceToken, {}, open)),
  byBrowser(route('POST', `${operator}/session/device/approve`, 200, decideDevice)),
  route('POST', `${operator}/session/email`, 200, sendOperatorLink, { return_to: null }, open),
  route('POST', `${operator}/session/email/verify`, 200, verifyOperatorLink, {}, open),
  route('POST', `${operator}/session/passkey/options`, 200, beginOperatorPasskey, {}, open),
  route('POST', `${operator}/session/passkey/verify`, 200, finishOperatorPasskey, {}, open),
  byBrowser(route('POST', `${operator}/session/passkey/enroll/options`, 200, beginOperatorEnrolment)),
  byBrowser(route('POST', `${operator}/session/passkey/enroll/verify`, 201, finishOperatorEnrolment)),
  route('POST', `${operator}/session/refresh`, 200, refreshOperatorSession),
  silent(route('POST', `${operator}/session/revoke`, 204, revokeOperatorSession, { authorization }, open)),
  byBrowser(route('POST', `${operator}/claim-wallet-org/challenge`, 201, beginClaim)),
  byBrowser(route('POST', `${operator}/claim-wallet-org`, 200, claimWalletOrg)),
  route('POST', '/agent/v1/contact/passkey/register/options', 200, beginContactEnrolment, {}, open),
  route('POST', '/agent/v1/contact/passkey/register/verify', 201, finishContactEnrolment, {}, open),
];

/** Every path of sign-in and sessions, with the pages that a person's browser meets. */
export const signInRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...commandRoutes,
  ...workflowRoutes,
  ...operatorRoutes,
  ...socialRoutes,
  ...sessionPages,
];
