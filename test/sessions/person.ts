import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { SoftwareAuthenticator } from '../auth/passkeys/software-authenticator.ts';
import { type Actor, nobody, withHeaders } from '../helpers/actors.ts';
import type { Answer, Service } from '../helpers/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
export type Body = any;

export const plane = '/agent/v1/control-plane';
export const operator = '/agent/v1/operator';

let count = 0;
/** An address that nobody has had yet. */
export const freshEmail = (): string => `person-${++count}-${randomBytes(4).toString('hex')}@example.com`;

/** A verifier of PKCE with its challenge. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** People who sign in by the doors that people use. */
export function peopleOf(service: Service) {
  const { control } = service;
  const post = (actor: Actor, path: string, body: object = {}, headers: Record<string, string> = {}) =>
    service.call<Body>(actor, 'POST', path, { body, headers });

  /** The text of the newest mail to an address. */
  async function mailTo(email: string): Promise<string> {
    const [mail] = await control.sql<{ body_text: string }>(
      'select body_text from mail_outbox where recipient = $1 order by created_at desc, id desc limit 1',
      [email],
    );
    return mail!.body_text;
  }

  /** The token of the newest link that was mailed to an address. */
  const tokenOf = async (email: string): Promise<string> => /\?token=([\w-]+)/.exec(await mailTo(email))![1]!;

  async function linkFor(email: string, path = `${plane}/session/email`): Promise<string> {
    expect((await post(nobody, path, { email })).status).toBe(200);
    return tokenOf(email);
  }

  /** Signs in by mail. */
  async function byMail(email = freshEmail()) {
    const { status, body } = await post(nobody, `${plane}/session/email/verify`, { token: await linkFor(email) });
    expect([status, body]).toEqual([200, expect.objectContaining({ amr: ['email'] })]);
    return personOf(email, body);
  }

  function personOf(email: string, body: Body) {
    const token: string = body.control_plane_session_token;
    return {
      email,
      token,
      principalId: body.principal_id as string,
      ...withHeaders({ authorization: `Bearer ${token}` }),
    };
  }

  /** Makes a person a passkey. */
  async function enrol(person: Actor, key = new SoftwareAuthenticator(service.url)) {
    const asked = await post(person, `${plane}/passkey/enroll/options`);
    expect([asked.status, asked.text]).toEqual([200, expect.any(String)]);
    const kept = await post(person, `${plane}/passkey/enroll/verify`, {
      response: key.create({ challenge_id: '', ...asked.body }).response,
    });
    expect([kept.status, kept.text]).toEqual([201, expect.any(String)]);
    return key;
  }

  /** Has a session count as fresh. */
  async function stepUp(person: Actor, key: SoftwareAuthenticator): Promise<Answer<Body>> {
    const asked = await post(person, `${plane}/step-up/options`);
    return post(person, `${plane}/step-up/verify`, { response: key.get({ challenge_id: '', ...asked.body }).response });
  }

  /** Somebody with a passkey, freshly shown. */
  async function withPasskey(email = freshEmail()) {
    const person = await byMail(email);
    const key = await enrol(person);
    expect((await stepUp(person, key)).status).toBe(200);
    return { ...person, key };
  }

  /** Signs in by a passkey. */
  async function byPasskey(email: string, key: SoftwareAuthenticator, path = `${plane}/session/passkey`) {
    const asked = await post(nobody, `${path}/options`, { email });
    expect(asked.status).toBe(200);
    return post(nobody, `${path}/verify`, { email, response: key.get({ challenge_id: '', ...asked.body }).response });
  }

  /** The browser of a person: the cookie of its session, and the word that its pages carry. */
  async function browserOf(person: Actor, headers: Record<string, string> = {}): Promise<Actor> {
    const answer = await post(person, `${plane}/session/browser`, {}, headers);
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    return withHeaders({ cookie, origin: service.url, 'x-svc-csrf': answer.body.csrf_token });
  }

  /** Signs an operator in by mail. */
  async function operatorByMail(email = freshEmail()) {
    const token = await linkFor(email, `${operator}/session/email`);
    const { body } = await post(nobody, `${operator}/session/email/verify`, { token });
    const bearer: string = body.operator_session_token;
    return { email, token: bearer, body, ...withHeaders({ authorization: `Bearer ${bearer}` }) };
  }

  return {
    post,
    mailTo,
    tokenOf,
    linkFor,
    byMail,
    enrol,
    stepUp,
    withPasskey,
    byPasskey,
    browserOf,
    operatorByMail,
    personOf,
  };
}

export type { SoftwareAuthenticator };
