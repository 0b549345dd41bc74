import type { AnyOperation } from '../kernel/run/operation.ts';
import { listAuthenticators, removeAuthenticator } from './ceremonies/authenticators.ts';
import { closeBrowser, openBrowser, refreshBrowser } from './ceremonies/browser-session.ts';
import { beginClaim, claimWalletOrg } from './ceremonies/claim-wallet-org.ts';
import { beginDevice, decideDevice, deviceToken } from './ceremonies/device-flow.ts';
import { listApprovals, revokeApproval, revokeApprovals } from './ceremonies/given-approvals.ts';
import { approveLoopback, beginLoopback, getLoopback, loopbackToken } from './ceremonies/loopback.ts';
import { addEmail, verifyEmail } from './ceremonies/more-emails.ts';
import { beginOauth, finishOauth, linkOauth } from './ceremonies/oauth.ts';
import {
  beginEnrolment,
  beginOperatorEnrolment,
  beginStepUp,
  finishEnrolment,
  finishOperatorEnrolment,
  finishStepUp,
} from './ceremonies/own-passkeys.ts';
import {
  getSession,
  refreshOperatorSession,
  refreshSession,
  revokeOperatorSession,
  revokeSession,
} from './ceremonies/own-session.ts';
import { endOneSession, endOtherSessions, listSessions } from './ceremonies/own-sessions.ts';
import { consumeRecoveryCode, issueRecoveryCodes } from './ceremonies/recovery.ts';
import {
  openLink,
  sendOperatorLink,
  sendSignInLink,
  verifyOperatorLink,
  verifySignInLink,
} from './ceremonies/sign-in-by-mail.ts';
import {
  beginOperatorPasskey,
  beginPasskeySignIn,
  finishOperatorPasskey,
  finishPasskeySignIn,
} from './ceremonies/sign-in-by-passkey.ts';
import { approvalToken, askApproval, beginApproval, confirmApproval } from './ceremonies/write-approvals.ts';
import { beginContactEnrolment, finishContactEnrolment } from './operator-contact/contact-passkey.ts';

/**
 * How people's credentials come to be, are proven anew and end. Declared and run as operations are; they have no field
 * and no tool, since a person's browser takes part in each, and what they answer is for one client alone.
 */
export const ceremonies: readonly AnyOperation[] = [
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
  beginContactEnrolment,
  finishContactEnrolment,
];
