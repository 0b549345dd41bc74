import { listAuthenticators, removeAuthenticator } from '../../resolvers/ceremonies/authenticators.ts';
import { closeBrowser, openBrowser, refreshBrowser } from '../../resolvers/ceremonies/browser-session.ts';
import { beginClaim, claimWalletOrg } from '../../resolvers/ceremonies/claim-wallet-org.ts';
import { beginDevice, decideDevice, deviceToken } from '../../resolvers/ceremonies/device-flow.ts';
import { listApprovals, revokeApproval, revokeApprovals } from '../../resolvers/ceremonies/given-approvals.ts';
import { approveLoopback, getLoopback, loopbackToken } from '../../resolvers/ceremonies/loopback.ts';
import { addEmail, verifyEmail } from '../../resolvers/ceremonies/more-emails.ts';
import {
  beginEnrolment,
  beginOperatorEnrolment,
  beginStepUp,
  finishEnrolment,
  finishOperatorEnrolment,
  finishStepUp,
} from '../../resolvers/ceremonies/own-passkeys.ts';
import {
  getSession,
  refreshOperatorSession,
  refreshSession,
  revokeOperatorSession,
  revokeSession,
} from '../../resolvers/ceremonies/own-session.ts';
import { endOneSession, endOtherSessions, listSessions } from '../../resolvers/ceremonies/own-sessions.ts';
import { consumeRecoveryCode, issueRecoveryCodes } from '../../resolvers/ceremonies/recovery.ts';
import {
  sendOperatorLink,
  sendSignInLink,
  verifyOperatorLink,
  verifySignInLink,
} from '../../resolvers/ceremonies/sign-in-by-mail.ts';
import {
  beginOperatorPasskey,
  beginPasskeySignIn,
  finishOperatorPasskey,
  finishPasskeySignIn,
} from '../../resolvers/ceremonies/sign-in-by-passkey.ts';
import {
  approvalToken,
  askApproval,
  beginApproval,
  confirmApproval,
} from '../../resolvers/ceremonies/write-approvals.ts';
import { beginContactEnrolment, finishContactEnrolment } from '../../resolvers/operator-contact/contact-passkey.ts';
import { type Route, route } from '../route.ts';
import { byBrowser, userAgentOf } from './by-browser.ts';
import { ceremonyPages } from './pages.ts';
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

/** Nobody's credential is looked at: what the request holds says who it is from. */
const open = { withoutCredential: true } as const;

/** Paths of people's sessions. Contract 01, section 5.14. */
const sessionRoutes: readonly Route[] = [
  route('POST', `${plane}/session/email`, 200, sendSignInLink, ({ body }) => ({ email: body.email }), open),
  route('POST', `${plane}/session/email/verify`, 200, verifySignInLink, ({ body }) => ({ token: body.token }), open),
  route(
    'POST',
    `${plane}/session/passkey/options`,
    200,
    beginPasskeySignIn,
    ({ body }) => ({ email: body.email, purpose: body.purpose }),
    open,
  ),
  route(
    'POST',
    `${plane}/session/passkey/verify`,
    200,
    finishPasskeySignIn,
    ({ body }) => ({ email: body.email, response: body.response }),
    open,
  ),
  byBrowser(route('GET', `${plane}/session`, 200, getSession, () => ({}))),
  route('POST', `${plane}/session/refresh`, 200, refreshSession, () => ({})),
  route(
    'POST',
    `${plane}/session/revoke`,
    200,
    revokeSession,
    ({ headers }) => ({ authorization: headers?.authorization }),
    open,
  ),
  route('POST', `${plane}/session/browser`, 200, openBrowser, (request) => ({ client: userAgentOf(request) })),
  byBrowser(
    route('POST', `${plane}/session/browser/refresh`, 200, refreshBrowser, (request) => ({
      client: userAgentOf(request),
    })),
  ),
  byBrowser(route('POST', `${plane}/session/browser/revoke`, 200, closeBrowser, () => ({}))),
  byBrowser(route('GET', `${plane}/sessions`, 200, listSessions, () => ({}))),
  byBrowser(route('POST', `${plane}/sessions/:id/revoke`, 200, endOneSession, ({ params }) => ({ id: params.id }))),
  byBrowser(route('POST', `${plane}/sessions/revoke-others`, 200, endOtherSessions, () => ({}))),
  byBrowser(route('POST', `${plane}/passkey/enroll/options`, 200, beginEnrolment, () => ({}))),
  byBrowser(
    route('POST', `${plane}/passkey/enroll/verify`, 201, finishEnrolment, ({ body }) => ({
      response: body.response,
      label: body.label,
    })),
  ),
  byBrowser(route('POST', `${plane}/step-up/options`, 200, beginStepUp, ({ body }) => ({ op_class: body.op_class }))),
  byBrowser(
    route('POST', `${plane}/step-up/verify`, 200, finishStepUp, ({ body }) => ({
      response: body.response,
      op_class: body.op_class,
      object_kind: body.object_kind,
      object_id: body.object_id,
    })),
  ),
  byBrowser(route('GET', `${plane}/authenticators`, 200, listAuthenticators, () => ({}))),
  byBrowser(
    route('DELETE', `${plane}/authenticators/:id`, 200, removeAuthenticator, ({ params }) => ({ id: params.id })),
  ),
  byBrowser(route('POST', `${plane}/emails`, 200, addEmail, ({ body }) => ({ email: body.email }))),
  byBrowser(route('POST', `${plane}/emails/verify`, 200, verifyEmail, ({ body }) => ({ token: body.token }))),
  byBrowser(route('POST', `${plane}/recovery/issue`, 201, issueRecoveryCodes, () => ({}))),
  route('POST', `${plane}/recovery/consume`, 200, consumeRecoveryCode, ({ body }) => ({ code: body.code }), open),
];

/** Paths by which a command line signs in, and has single changes approved. Contract 01, section 5.14. */
const commandRoutes: readonly Route[] = [
  byBrowser(
    route('GET', `${plane}/cli/authorize/:flow_id`, 200, getLoopback, ({ params }) => ({ flow_id: params.flow_id })),
  ),
  byBrowser(route('POST', `${plane}/cli/approve`, 200, approveLoopback, ({ body }) => ({ flow_id: body.flow_id }))),
  route(
    'POST',
    `${plane}/cli/token`,
    200,
    loopbackToken,
    ({ body }) => ({
      code: body.code,
      code_verifier: body.code_verifier,
      redirect_uri: body.redirect_uri,
      state: body.state,
    }),
    open,
  ),
  byBrowser(
    route('POST', `${plane}/write-auth/challenges`, 201, beginApproval, ({ body }) => ({
      action: body.action,
      org_id: body.org_id,
      project_id: body.project_id,
      cli_redirect_uri: body.cli_redirect_uri,
      code_challenge: body.code_challenge,
      state: body.state,
    })),
  ),
  byBrowser(
    route('POST', `${plane}/write-auth/options`, 200, askApproval, ({ body }) => ({
      challenge_id: body.challenge_id,
    })),
  ),
  byBrowser(
    route('POST', `${plane}/write-auth/verify`, 201, confirmApproval, ({ body }) => ({
      challenge_id: body.challenge_id,
      response: body.response,
    })),
  ),
  route(
    'POST',
    `${plane}/write-auth/cli/token`,
    201,
    approvalToken,
    ({ body }) => ({ code: body.code, code_verifier: body.code_verifier, state: body.state }),
    open,
  ),
  byBrowser(route('GET', `${plane}/write-auth/sessions`, 200, listApprovals, () => ({}))),
  byBrowser(
    route('POST', `${plane}/write-auth/sessions/:id/revoke`, 200, revokeApproval, ({ params }) => ({ id: params.id })),
  ),
  byBrowser(route('POST', `${plane}/write-auth/sessions/revoke-all`, 200, revokeApprovals, () => ({}))),
];

/** Paths of operators' sessions, which only read. Contract 01, section 5.13. */
const operatorRoutes: readonly Route[] = [
  orForm(
    route(
      'POST',
      `${operator}/session/device`,
      200,
      beginDevice,
      ({ body }) => ({ client_name: body.client_name, client_id: body.client_id, scope: body.scope }),
      open,
    ),
  ),
  orForm(
    route(
      'POST',
      `${operator}/session/device/token`,
      200,
      deviceToken,
      ({ body }) => ({ device_code: body.device_code, grant_type: body.grant_type, client_id: body.client_id }),
      open,
    ),
  ),
  byBrowser(
    route('POST', `${operator}/session/device/approve`, 200, decideDevice, ({ body }) => ({
      user_code: body.user_code,
      decision: body.decision,
    })),
  ),
  route('POST', `${operator}/session/email`, 200, sendOperatorLink, ({ body }) => ({ email: body.email }), open),
  route(
    'POST',
    `${operator}/session/email/verify`,
    200,
    verifyOperatorLink,
    ({ body }) => ({ token: body.token }),
    open,
  ),
  route(
    'POST',
    `${operator}/session/passkey/options`,
    200,
    beginOperatorPasskey,
    ({ body }) => ({ email: body.email, purpose: body.purpose }),
    open,
  ),
  route(
    'POST',
    `${operator}/session/passkey/verify`,
    200,
    finishOperatorPasskey,
    ({ body }) => ({ email: body.email, response: body.response }),
    open,
  ),
  byBrowser(route('POST', `${operator}/session/passkey/enroll/options`, 200, beginOperatorEnrolment, () => ({}))),
  byBrowser(
    route('POST', `${operator}/session/passkey/enroll/verify`, 201, finishOperatorEnrolment, ({ body }) => ({
      response: body.response,
      label: body.label,
    })),
  ),
  route('POST', `${operator}/session/refresh`, 200, refreshOperatorSession, () => ({})),
  silent(
    route(
      'POST',
      `${operator}/session/revoke`,
      204,
      revokeOperatorSession,
      ({ headers }) => ({ authorization: headers?.authorization }),
      open,
    ),
  ),
  byBrowser(
    route('POST', `${operator}/claim-wallet-org/challenge`, 201, beginClaim, ({ body }) => ({ wallet: body.wallet })),
  ),
  byBrowser(
    route('POST', `${operator}/claim-wallet-org`, 200, claimWalletOrg, ({ body }) => ({
      org_id: body.org_id,
      display_name: body.display_name,
    })),
  ),
  route(
    'POST',
    '/agent/v1/contact/passkey/register/options',
    200,
    beginContactEnrolment,
    ({ body }) => ({ token: body.token, app_origin: body.app_origin }),
    open,
  ),
  route(
    'POST',
    '/agent/v1/contact/passkey/register/verify',
    201,
    finishContactEnrolment,
    ({ body }) => ({
      token: body.token,
      challenge_id: body.challenge_id,
      response: body.response,
      label: body.label,
    }),
    open,
  ),
];

/** Every path of the ceremonies, with the pages that a person's browser meets. */
export const ceremonyRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...commandRoutes,
  ...operatorRoutes,
  ...socialRoutes,
  ...ceremonyPages,
];
