import { type Envelope, refusal } from '../graph/envelope.ts';
import { type Person, plane, renewed } from './person.ts';

type Body = Readonly<Record<string, unknown>>;

/** Whether this browser supports passkeys on this page. */
export const knowsPasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';

/** Whether the gateway's address is an IP address: passkeys need a host name. */
export const openedByNumber = (): boolean => /^[\d.]+$|^\[/.test(location.hostname);

/** Sends a request to a path of the control plane. @throws an {@link Envelope} */
export async function ask<Answer>(path: string, body: Body, person?: Person): Promise<Answer> {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(person === undefined ? {} : { 'x-svc-csrf': person.csrf }),
  };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined);
  if (response === undefined) throw refusal('NO_ANSWER', 'The gateway did not answer.');
  const said = await response.json().catch(() => ({}));
  if (response.ok) return said as Answer;
  throw {
    ...refusal(String(said.code ?? response.status), String(said.message ?? 'That did not succeed.')),
    retryable: said.retryable === true,
    traceId: typeof said.trace_id === 'string' ? said.trace_id : undefined,
    details: (said.details ?? {}) as Body,
  } satisfies Envelope;
}

interface OptionsAnswer<Options> {
  readonly options: Options;
}

/** Messages for the browser's errors. */
const byBrowser: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: the request was cancelled, or took too long.',
  InvalidStateError: 'This device has a passkey of yours already.',
  SecurityError: 'This browser gives no passkeys to this address.',
};

/** @throws an {@link Envelope} */
async function fromBrowser(met: Promise<Credential | null>): Promise<unknown> {
  try {
    return ((await met) as PublicKeyCredential).toJSON();
  } catch (error) {
    const { name, message } = error as Error;
    throw refusal('NO_PASSKEY', byBrowser[name] ?? message);
  }
}

const shown = ({ options }: OptionsAnswer<PublicKeyCredentialRequestOptionsJSON>) =>
  fromBrowser(navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }));

/** Signs in with a passkey. The session is then stored in a cookie. @throws an {@link Envelope} */
export async function signInByPasskey(): Promise<void> {
  const response = await shown(await ask(`${plane}/session/passkey/options`, {}));
  await ask(`${plane}/sign-in/passkey`, { response });
}

/**
 * Sends a sign-in link by mail. The link returns to this page.
 *
 * @returns the link where nothing is mailed in development; otherwise undefined
 * @throws an {@link Envelope}
 */
export async function mailLink(email: string): Promise<string | undefined> {
  const body = new URLSearchParams({ email, return_to: location.pathname });
  const sent = await fetch(`${plane}/sign-in`, { method: 'POST', body }).catch(() => undefined);
  if (sent?.ok === true) return sent.headers.get('x-svc-unsent-link') ?? undefined;
  const code = sent?.headers.get('x-svc-error-code') ?? 'NO_ANSWER';
  const wait = sent?.headers.get('retry-after');
  const words: Readonly<Record<string, string>> = {
    RATE_LIMITED: `There were many tries. ${wait == null ? 'Try again later.' : `Try again in ${wait} seconds.`}`,
    VALIDATION_FAILED: 'This is no mail address.',
    NO_ANSWER: 'The gateway did not answer.',
  };
  throw refusal(code, words[code] ?? 'The link could not be mailed.');
}

/** Uses a passkey to make the session fresh. @throws an {@link Envelope} */
export async function stepUp(signedIn: Person, opClass: string): Promise<void> {
  const person = await renewed(signedIn);
  const response = await shown(await ask(`${plane}/step-up/options`, { op_class: opClass }, person));
  await ask(`${plane}/step-up/verify`, { response, op_class: opClass }, person);
}

/** Whether the person who is signed in with this browser has a passkey. @throws when the gateway does not answer */
export async function holdsPasskey(): Promise<boolean> {
  const response = await fetch(`${plane}/authenticators`, { headers: { accept: 'application/json' } });
  const { authenticators } = (await response.json()) as { authenticators: readonly { readonly kind: string }[] };
  return authenticators.some(({ kind }) => kind === 'passkey');
}

/** Creates a passkey and registers it for the person. @throws an {@link Envelope} */
export async function addPasskey(signedIn: Person): Promise<void> {
  const person = await renewed(signedIn);
  const { options } = await ask<OptionsAnswer<PublicKeyCredentialCreationOptionsJSON>>(
    `${plane}/passkey/enroll/options`,
    {},
    person,
  );
  const response = await fromBrowser(
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  );
  await ask(`${plane}/passkey/enroll/verify`, { response }, person);
}

/** Approves one action on one target. @returns the approval to send with that action @throws an {@link Envelope} */
export async function approve(signedIn: Person, action: string, target: Body): Promise<string> {
  const person = await renewed(signedIn);
  const verifier = word();
  const state = word();
  const { challenge_id } = await ask<{ readonly challenge_id: string }>(
    `${plane}/write-auth/challenges`,
    { action, ...target, code_challenge: await challengeOf(verifier), state },
    person,
  );
  const response = await shown(await ask(`${plane}/write-auth/options`, { challenge_id }, person));
  const { code } = await ask<{ readonly code: string }>(
    `${plane}/write-auth/verify`,
    { challenge_id, response },
    person,
  );
  const { write_auth_token } = await ask<{ readonly write_auth_token: string }>(`${plane}/write-auth/cli/token`, {
    code,
    code_verifier: verifier,
    state,
  });
  return write_auth_token;
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '');

const word = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

const challengeOf = async (verifier: string) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
