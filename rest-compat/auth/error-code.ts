import type { ErrorEnvelope } from '../../core/errors.ts';

/** What of INVALID_AUTH it was, by the reason in its details. */
const invalidAuth: Readonly<Record<string, string>> = {
  password: 'invalid_credentials',
  password_needed: 'reauthentication_needed',
  link: 'otp_expired',
  code: 'otp_expired',
  refresh_token: 'refresh_token_not_found',
  session_ended: 'session_not_found',
};

const byCode: Readonly<Record<string, string>> = {
  AUTH_REQUIRED: 'no_authorization',
  INVALID_AUTH: 'bad_jwt',
  VALIDATION_FAILED: 'validation_failed',
  EMAIL_ALREADY_REGISTERED: 'user_already_exists',
  RATE_LIMITED: 'over_request_rate_limit',
  SVC_AUTH_FRESHNESS_REQUIRED: 'reauthentication_needed',
};

/**
 * The member `error_code` of refusals under `/auth/v1`: the name by which published clients of such paths tell refusals
 * apart, which is the code in lower case where they know none.
 */
export function errorCodeOf({ code, details }: Pick<ErrorEnvelope, 'code' | 'details'>): string {
  const { reason, fields } = details as { reason?: unknown; fields?: readonly { reason: string }[] };
  if (code === 'INVALID_AUTH' && typeof reason === 'string' && Object.hasOwn(invalidAuth, reason))
    return invalidAuth[reason]!;
  if (code === 'VALIDATION_FAILED' && fields?.length === 1 && reason === 'weak_password') return 'weak_password';
  return byCode[code] ?? code.toLowerCase();
}

/** A refusal with what clients of `/auth/v1` read besides. */
export function withErrorCode(envelope: ErrorEnvelope) {
  const error_code = errorCodeOf(envelope);
  // Clients read the reasons of a weak password at the top.
  return {
    ...envelope,
    error_code,
    ...(error_code === 'weak_password' ? { weak_password: { reasons: ['length'] } } : {}),
  };
}
