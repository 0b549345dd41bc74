import { domain } from '../../kernel/run/domain.ts';
import {
  accountIdentities,
  accountSecurity,
  accountSessions,
  revokeSession,
  signOutEverywhere,
  unlinkIdentity,
} from './account.ts';
import { changeSettings, getSettings } from './change-settings.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { endUserSessions } from './end-user-sessions.ts';
import { authErrors } from './error-codes.ts';
import { getProjectUser } from './get-project-user.ts';
import { getUser } from './get-user.ts';
import { endSession, sessionFromIdentity } from './hosted/bridge.ts';
import { confirmCode } from './hosted/code.ts';
import { hostedReAuth, hostedSignIn, hostedSignUp } from './hosted/sign-in.ts';
import { makeTestUser, readTestEmails, startTestSession } from './hosted/test-users.ts';
import { importUsers } from './import-users.ts';
import { listProjectUsers } from './list-project-users.ts';
import { getUserById, listUsers } from './list-users.ts';
import { logout } from './logout.ts';
import { accountPasskeys, deletePasskey, passkeys, removeAccountPasskey } from './passkeys/manage-passkeys.ts';
import { beginPasskeySignIn, finishPasskeySignIn } from './passkeys/passkey-sign-in.ts';
import { beginPasskeyRegistration, finishPasskeyRegistration } from './passkeys/register-passkey.ts';
import { jwks, projectJwtKeys } from './project-jwt-keys.ts';
import { demoteUser, promoteUser } from './promote-user.ts';
import { providers } from './providers.ts';
import { reauthenticate } from './reauthenticate.ts';
import { requestLink } from './request-link.ts';
import { sendUserLink } from './send-user-link.ts';
import { setAccountPassword, setPassword } from './set-password.ts';
import { authActions } from './shared/actions.ts';
import { signInMailTask, writeSignInMail } from './sign-in-mail.ts';
import { signup } from './signup.ts';
import { startSocial } from './social-start.ts';
import { token } from './token.ts';
import { updateProjectUser } from './update-project-user.ts';
import { updateUser } from './update-user.ts';
import { verify } from './verify.ts';

export const auth = domain('auth', {
  errors: authErrors,
  actions: authActions,
  operations: [
    listProjectUsers,
    getProjectUser,
    updateProjectUser,
    endUserSessions,
    sendUserLink,
    promoteUser,
    demoteUser,
    createUser,
    getSettings,
    changeSettings,
    deleteUser,
    importUsers,
  ],
  endpoints: [
    accountSecurity,
    accountSessions,
    revokeSession,
    signOutEverywhere,
    accountIdentities,
    unlinkIdentity,
    getUser,
    sessionFromIdentity,
    endSession,
    confirmCode,
    hostedSignIn,
    hostedSignUp,
    hostedReAuth,
    makeTestUser,
    startTestSession,
    readTestEmails,
    listUsers,
    getUserById,
    logout,
    passkeys,
    accountPasskeys,
    deletePasskey,
    removeAccountPasskey,
    beginPasskeySignIn,
    finishPasskeySignIn,
    beginPasskeyRegistration,
    finishPasskeyRegistration,
    projectJwtKeys,
    jwks,
    providers,
    reauthenticate,
    requestLink,
    setPassword,
    setAccountPassword,
    signup,
    startSocial,
    token,
    updateUser,
    verify,
  ],
  jobs: [{ task: signInMailTask, run: writeSignInMail }],
});
