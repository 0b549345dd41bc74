import type { AnyOperation } from '../../kernel/run/operation.ts';
import { beginContactEnrolment, finishContactEnrolment } from '../operator-contact/contact-passkey.ts';
import { listAuthenticators, removeAuthenticator } from './authenticators.ts';
import { closeBrowser, openBrowser, refreshBrowser } from './browser-session.ts';
import { beginClaim, claimWalletOrg } from './claim-wallet-org.ts';
import { beginDevice, decideDevice, deviceToken } from './device-flow.ts';
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
