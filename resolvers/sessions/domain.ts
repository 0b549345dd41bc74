import { isPast } from '../../db/intervals.ts';
import { sessions as sessionsTable, writeApprovals } from '../../db/schema/identity.ts';
import {
  approvalChallenges,
  ceremonyChallenges,
  deviceFlows,
  loopbackFlows,
  mailedLinks,
  oauthFlows,
  signInTries,
  walletClaims,
} from '../../db/schema/sign-in-flows.ts';
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

export const sessions = domain('sessions', {
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
    // A sign-in is over in minutes; what they led to is in the trail.
    { table: ceremonyChallenges, when: isPast(ceremonyChallenges.expiresAt, '1 day') },
    { table: mailedLinks, when: isPast(mailedLinks.expiresAt, '1 day') },
    { table: deviceFlows, when: isPast(deviceFlows.expiresAt, '1 day') },
    { table: loopbackFlows, when: isPast(loopbackFlows.expiresAt, '1 day') },
    { table: oauthFlows, when: isPast(oauthFlows.expiresAt, '1 day') },
    { table: walletClaims, when: isPast(walletClaims.expiresAt, '1 day') },
    { table: approvalChallenges, when: isPast(approvalChallenges.expiresAt, '1 day') },
    { table: signInTries, when: isPast(signInTries.windowEnds) },
    // After what was begun in them, which ends with them at the latest.
    { table: writeApprovals, when: isPast(writeApprovals.absoluteExpiresAt, '30 days') },
    { table: sessionsTable, when: isPast(sessionsTable.absoluteExpiresAt, '31 days') },
  ],
});
