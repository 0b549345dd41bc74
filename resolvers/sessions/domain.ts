import { domain } from '../../kernel/run/domain.ts';
import { listAuthenticators, removeAuthenticator } from './authenticators.ts';
import { closeBrowser, openBrowser, refreshBrowser } from './browser-session.ts';
import { beginClaim, claimWalletOrg } from './claim-wallet-org.ts';
import { beginDevice, decideDevice, deviceToken } from './device-flow.ts';
import { signInErrors } from './error-codes.ts';
import { listApprovals, revokeApproval, revokeApprovals } from './given-approvals.ts';
import { approveLoopback, beginLoopback, getLoopback, loopbackToken } from './loopback.ts';
import { addEmail, verifyEmail } from './more-emails.ts';
import { beginOauth, finishOauth, linkOauth } from './oauth.ts';
import {
  beginEnrolment,
  beginOperatorEnrolment,
  beginStepUp,
  finishEnrolment,
  finishOperatorEnrolment,
  finishStepUp,
} from './own-passkeys.ts';
import {
  getSession,
  refreshOperatorSession,
  refreshSession,
  revokeOperatorSession,
  revokeSession,
} from './own-session.ts';
import { endOneSession, endOtherSessions, listSessions } from './own-sessions.ts';
import { consumeRecoveryCode, issueRecoveryCodes } from './recovery.ts';
import { openLink, sendOperatorLink, sendSignInLink, verifyOperatorLink, verifySignInLink } from './sign-in-by-mail.ts';
import {
  beginOperatorPasskey,
  beginPasskeySignIn,
  finishOperatorPasskey,
  finishPasskeySignIn,
} from './sign-in-by-passkey.ts';
import { approvalToken, askApproval, beginApproval, confirmApproval } from './write-approvals.ts';

export const ceremonies = domain('ceremonies', {
  errors: signInErrors,
  signInFlows: [
    sendSignInLink,
    verifySignInLink,
    openLink,
    beginPasskeySignIn,
    finishPasskeySignIn,
    getSession,
    refreshSession,
    revokeSession,
    listSessions,
    endOneSession,
    endOtherSessions,
    openBrowser,
    refreshBrowser,
    closeBrowser,
    beginOauth,
    linkOauth,
    finishOauth,
    beginEnrolment,
    finishEnrolment,
    beginStepUp,
    finishStepUp,
    listAuthenticators,
    removeAuthenticator,
    addEmail,
    verifyEmail,
    issueRecoveryCodes,
    consumeRecoveryCode,
    beginLoopback,
    getLoopback,
    approveLoopback,
    loopbackToken,
    beginApproval,
    askApproval,
    confirmApproval,
    approvalToken,
    listApprovals,
    revokeApproval,
    revokeApprovals,
    beginDevice,
    deviceToken,
    decideDevice,
    sendOperatorLink,
    verifyOperatorLink,
    beginOperatorPasskey,
    finishOperatorPasskey,
    beginOperatorEnrolment,
    finishOperatorEnrolment,
    refreshOperatorSession,
    revokeOperatorSession,
    beginClaim,
    claimWalletOrg,
  ],
  expires: [
    // Ceremonies are over in minutes; what they led to is in the trail.
    { table: 'ceremony_challenges', when: `expires_at < now() - interval '1 day'` },
    { table: 'mailed_links', when: `expires_at < now() - interval '1 day'` },
    { table: 'device_flows', when: `expires_at < now() - interval '1 day'` },
    { table: 'loopback_flows', when: `expires_at < now() - interval '1 day'` },
    { table: 'oauth_flows', when: `expires_at < now() - interval '1 day'` },
    { table: 'wallet_claims', when: `expires_at < now() - interval '1 day'` },
    { table: 'approval_challenges', when: `expires_at < now() - interval '1 day'` },
    { table: 'sign_in_tries', when: 'window_ends < now()' },
    // After what was begun in them, which ends with them at the latest.
    { table: 'write_approvals', when: `absolute_expires_at < now() - interval '30 days'` },
    { table: 'sessions', when: `absolute_expires_at < now() - interval '31 days'` },
  ],
});
