import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { type GuardedFetch, GuardedFetchError } from '../../core/guarded-fetch.ts';

/** What a token of CI says of the workflow that shows it. */
export interface WorkflowClaims {
  readonly subject: string;
  readonly event: string | null;
  readonly repositoryId: string | null;
}

/** A token is none of the issuer's, is for another audience, or is over. */
export class SubjectTokenError extends Error {
  override readonly name = 'SubjectTokenError';
}

/** The issuer cannot be asked for its keys now. */
export class IssuerAwayError extends Error {
  override readonly name = 'IssuerAwayError';
}

export interface CiIssuerOptions {
  /** As tokens name it. The operator's choice, never a tenant's. */
  readonly issuer: string;
  readonly fetch: GuardedFetch;
}

/** The provider of CI whose tokens are exchanged. */
export interface CiIssuer {
  readonly issuer: string;
  /** @throws SubjectTokenError, IssuerAwayError */
  readonly verify: (token: string, audience: string, now: Date) => Promise<WorkflowClaims>;
}

/** How long keys are believed, and how soon they may be asked for again because a token names one that is not there. */
const keysMs = 10 * 60_000;
const againMs = 30_000;
/** By how much the clock of the issuer may be off, in seconds. */
const skewSeconds = 30;
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

type Keys = ReturnType<typeof createLocalJWKSet>;

/** @param options whose keys are found by OpenID Connect discovery */
export function createCiIssuer({ issuer, fetch }: CiIssuerOptions): CiIssuer {
  let known: { readonly keys: Promise<Keys>; readonly at: number } | undefined;
  const ask = async (url: string): Promise<unknown> => {
    const response = await fetch(url, {});
    if (response.status !== 200) throw new IssuerAwayError(`The issuer answered ${response.status}.`);
    return response.json();
  };
  async function load(): Promise<Keys> {
    try {
      const said = (await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)) as Record<
        string,
        unknown
      >;
      if (said.issuer !== issuer || typeof said.jwks_uri !== 'string')
        throw new IssuerAwayError('The issuer calls itself otherwise, or names no keys.');
      return createLocalJWKSet((await ask(said.jwks_uri)) as JSONWebKeySet);
    } catch (cause) {
      if (cause instanceof IssuerAwayError) throw cause;
      const why = cause instanceof GuardedFetchError ? cause.message : 'Its answer could not be read.';
      throw new IssuerAwayError(why, { cause });
    }
  }
  function keysOf(maxAge: number): Promise<Keys> {
    const now = performance.now();
    if (known === undefined || now - known.at > maxAge) {
      const asked = { keys: load(), at: now };
      known = asked;
      // A failure is nothing to remember.
      asked.keys.catch(() => {
        if (known === asked) known = undefined;
      });
    }
    return known.keys;
  }
  return {
    issuer,
    async verify(token, audience, currentDate) {
      refuseOthers(token, issuer);
      const check = async (maxAge: number) =>
        jwtVerify(token, await keysOf(maxAge), {
          issuer,
          audience,
          algorithms,
          currentDate,
          clockTolerance: skewSeconds,
          requiredClaims: ['sub', 'exp'],
        });
      try {
        const { payload } = await check(keysMs).catch((error: unknown) => {
          // Keys are changed from time to time.
          if (error instanceof errors.JWKSNoMatchingKey) return check(againMs);
          throw error;
        });
        return claimsOf(payload);
      } catch (error) {
        if (error instanceof errors.JOSEError) throw new SubjectTokenError(error.code);
        throw error;
      }
    },
  };
}

/** What is no token of the issuer’s by its own words asks nobody for keys. */
function refuseOthers(token: string, issuer: string): void {
  let named: unknown;
  try {
    named = decodeJwt(token).iss;
  } catch {
    throw new SubjectTokenError('ERR_JWT_INVALID');
  }
  if (named !== issuer) throw new SubjectTokenError('ERR_ISSUER_UNKNOWN');
}

/** GitHub's names of what is asked for beside the subject. */
function claimsOf({ sub, event_name: event, repository_id: repositoryId }: JWTPayload): WorkflowClaims {
  return {
    subject: sub!,
    event: typeof event === 'string' ? event : null,
    repositoryId: typeof repositoryId === 'string' || typeof repositoryId === 'number' ? String(repositoryId) : null,
  };
}
