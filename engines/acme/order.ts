import { generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { AcmeError } from './acme-error.ts';
import type { AcmeAnswer, AcmeSession } from './acme-session.ts';
import { signingRequest } from './signing-request.ts';

/** Where the proof of a host is put, for the authority to find it by plain HTTP. RFC 8555, section 8.3. */
export interface ChallengeBoard {
  readonly put: (token: string, answer: string) => Promise<void>;
  readonly remove: (token: string) => Promise<void>;
}

export interface IssuedCertificate {
  /** The certificate and those that it rests on, in PEM. */
  readonly chain: string;
  /** In PEM (PKCS #8). */
  readonly privateKey: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface OrderOptions {
  readonly session: AcmeSession;
  /** Address of the account. */
  readonly account: string;
  readonly host: string;
  readonly board: ChallengeBoard;
  readonly signal: AbortSignal;
  /** Longest pause between two looks at what the authority does, in seconds. @default 10 */
  readonly pauseSecondsMax?: number;
}

/** Looks at an order, or at a proof, before it is given up. */
const looksMax = 30;

const newKey = promisify(generateKeyPair);

/** A new key of P-256, which every authority takes. */
export const newCertificateKey = async (): Promise<KeyObject> =>
  (await newKey('ec', { namedCurve: 'prime256v1' })).privateKey;

/** Registers an account, or finds the one that the key has. @returns its address */
export async function registerAccount(session: AcmeSession, email: string | undefined): Promise<string> {
  const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
  const asked = { termsOfServiceAgreed: true, ...contact };
  const { location } = await session.post(session.directory.newAccount, asked, undefined);
  if (location === undefined) throw new AcmeError('malformedAnswer', 'The authority named no account.');
  return location;
}

const status = z.enum(['pending', 'processing', 'ready', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']);
const problem = z.looseObject({ type: z.string().optional(), detail: z.string().optional() }).optional();
const orderShape = z.looseObject({
  status,
  authorizations: z.array(z.string()).max(10),
  finalize: z.string(),
  certificate: z.string().optional(),
  error: problem,
});
const authorizationShape = z.looseObject({
  status,
  challenges: z
    .array(z.looseObject({ type: z.string(), url: z.string(), token: z.string().optional(), error: problem }))
    .max(20),
});

/** Orders a certificate for one host, and proves the host on the way. @throws AcmeError, GuardedFetchError */
export async function orderCertificate(options: OrderOptions): Promise<IssuedCertificate> {
  const { session, account, host } = options;
  const asked = { identifiers: [{ type: 'dns', value: host }] };
  const made = await session.post(session.directory.newOrder, asked, account);
  const orderUrl = made.location;
  if (orderUrl === undefined) throw new AcmeError('malformedAnswer', 'The authority named no order.');
  const order = read(orderShape, made);
  for (const url of order.authorizations) await proveHost(options, url);
  const key = await newCertificateKey();
  const ready = await settled(options, orderUrl, orderShape, ({ status: now }) => now !== 'pending');
  if (ready.status === 'ready')
    await session.post(order.finalize, { csr: signingRequest(host, key).toString('base64url') }, account);
  const done = await settled(options, orderUrl, orderShape, ({ status: now }) => now === 'valid' || now === 'invalid');
  if (done.status !== 'valid' || done.certificate === undefined) throw failureOf(done.error, 'The order was refused.');
  const { text } = await session.post(done.certificate, undefined, account);
  return checked(host, text, key);
}

async function proveHost(options: OrderOptions, url: string): Promise<void> {
  const { session, account, board } = options;
  const authorization = read(authorizationShape, await session.post(url, undefined, account));
  if (authorization.status === 'valid') return;
  const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
  const token = challenge?.token;
  if (challenge === undefined || token === undefined || !/^[A-Za-z0-9_-]{16,256}$/.test(token))
    throw new AcmeError('malformedAnswer', 'The authority offers no proof by HTTP.');
  await board.put(token, `${token}.${session.thumbprint}`);
  try {
    await session.post(challenge.url, {}, account);
    const ended = await settled(options, url, authorizationShape, ({ status: now }) => now !== 'pending');
    if (ended.status !== 'valid') {
      const tried = ended.challenges.find(({ type }) => type === 'http-01');
      throw failureOf(tried?.error, 'The authority did not find the proof.');
    }
  } finally {
    await board.remove(token);
  }
}

/** Looks at something of the authority's until it has come far enough. */
async function settled<Shape extends { readonly status: string }>(
  { session, account, signal, pauseSecondsMax = 10 }: OrderOptions,
  url: string,
  shape: z.ZodType<Shape>,
  isSettled: (found: Shape) => boolean,
): Promise<Shape> {
  for (let looks = 1; ; looks++) {
    const answer = await session.post(url, undefined, account);
    const found = read(shape, answer);
    if (isSettled(found)) return found;
    if (looks === looksMax) throw new AcmeError('timeout', 'The authority has not come to an end.');
    const seconds = Math.min(answer.retryAfterSeconds ?? Math.min(looks, 5), pauseSecondsMax);
    await delay(seconds * 1000, undefined, { signal });
  }
}

function read<Shape>(shape: z.ZodType<Shape>, { body }: Pick<AcmeAnswer, 'body'>): Shape {
  const { success, data } = shape.safeParse(body);
  if (!success) throw new AcmeError('malformedAnswer', 'The authority gave an answer of another form.');
  return data;
}

function failureOf(given: z.output<typeof problem>, otherwise: string): AcmeError {
  const type = given?.type?.replace(/^urn:ietf:params:acme:error:/, '').slice(0, 64) ?? 'refused';
  return new AcmeError(type, (given?.detail ?? otherwise).replace(/\p{Cc}+/gu, ' ').slice(0, 300));
}

/** What is kept has to be for the host and the key: anything else would break every connection. */
function checked(host: string, chain: string, key: KeyObject): IssuedCertificate {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(chain);
  } catch {
    throw new AcmeError('malformedAnswer', 'The authority gave no certificate.');
  }
  if (leaf.checkHost(host) === undefined || !leaf.checkPrivateKey(key))
    throw new AcmeError('malformedAnswer', 'The authority gave a certificate for something else.');
  return {
    chain,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    notBefore: new Date(leaf.validFrom),
    notAfter: new Date(leaf.validTo),
  };
}
