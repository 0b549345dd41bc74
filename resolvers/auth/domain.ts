import { domain } from '../../kernel/run/domain.ts';
import { changeSettings, getSettings } from './change-settings.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { authErrors } from './error-codes.ts';
import { importUsers } from './import-users.ts';
import { demoteUser, promoteUser } from './promote-user.ts';
import { authActions } from './shared/actions.ts';
import { signInMailTask, writeSignInMail } from './sign-in-mail.ts';

export const auth = domain('auth', {
  errors: authErrors,
  actions: authActions,
  operations: [promoteUser, demoteUser, createUser, getSettings, changeSettings, deleteUser, importUsers],
  jobs: [{ task: signInMailTask, run: writeSignInMail }],
});
