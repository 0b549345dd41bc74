import { ServiceError } from '../../core/errors.ts';

/**
 * A user's session has ended, and the user has to sign in. The advice of the code itself is for wallets, which an app's
 * users do not have.
 */
export const sessionOver = (reason: 'session_ended' | 'refresh_token' = 'session_ended'): ServiceError =>
  new ServiceError('INVALID_AUTH', {
    details: { reason },
    nextActions: [{ type: 'authenticate', why: 'Sign the user in again.' }],
  });

/** A user's access token has expired. Whether its session stands is for the refresh to say. */
export const tokenExpired = (): ServiceError =>
  new ServiceError('INVALID_AUTH', {
    message: 'The user’s access token has expired.',
    details: { reason: 'token_expired' },
    nextActions: [{ type: 'authenticate', why: 'Refresh the user’s token.' }],
  });

/** The refusal for a key alone, where a user is needed. */
export const userMissing = (message?: string): ServiceError =>
  new ServiceError('AUTH_REQUIRED', { ...(message === undefined ? {} : { message }), nextActions: [sendToken] });

const sendToken = { type: 'authenticate', auth: 'access_token', why: 'Send the user’s access token as a bearer.' };
