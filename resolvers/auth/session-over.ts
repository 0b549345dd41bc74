import { ServiceError } from '../../core/errors.ts';

/** A user's session is no more. What helps is signing the user in: an app's users have no wallets that the code's own advice could be for. */
export const sessionOver = (reason: 'session_ended' | 'refresh_token' = 'session_ended'): ServiceError =>
  new ServiceError('INVALID_AUTH', {
    details: { reason },
    nextActions: [{ type: 'authenticate', why: 'Sign the user in again.' }],
  });

/** Who asks by the key alone for what only a user has. */
export const userMissing = (message?: string): ServiceError =>
  new ServiceError('AUTH_REQUIRED', { ...(message === undefined ? {} : { message }), nextActions: [sendToken] });

const sendToken = { type: 'authenticate', auth: 'access_token', why: 'Send the user’s access token as a bearer.' };
