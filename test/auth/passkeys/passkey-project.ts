import { expect } from 'vitest';
import type { Answer, Service } from '../../helpers/service.ts';
import { type AuthProject, authProject, type CallOptions } from '../auth-project.ts';
import { type NewDeviation, SoftwareAuthenticator } from './software-authenticator.ts';

export const origin = 'http://localhost:3000';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Body = any;

export interface PasskeyProject extends AuthProject {
  readonly begin: (bearer: string | undefined, app_origin?: string) => Promise<Answer<Body>>;
  readonly finish: (bearer: string | undefined, body: object) => Promise<Answer<Body>>;
  readonly beginLogin: (body?: object, options?: CallOptions) => Promise<Answer<Body>>;
  readonly finishLogin: (body: object) => Promise<Answer<Body>>;
  /** Makes a user a passkey, by the doors. */
  readonly register: (
    bearer: string,
    options?: { readonly signCount?: number; readonly origin?: string; readonly deviation?: NewDeviation },
  ) => Promise<{ readonly key: SoftwareAuthenticator; readonly record: Body }>;
  /** Signs in with a passkey, by the doors. */
  readonly login: (key: SoftwareAuthenticator, app_origin?: string) => Promise<Answer<Body>>;
}

/** A project whose users have passkeys. */
export async function passkeyProject(service: Service, schema?: string): Promise<PasskeyProject> {
  const project = await authProject(service, schema);
  const { auth } = project;
  const path = (last: string) => `/auth/v1/passkeys/${last}`;
  const begin: PasskeyProject['begin'] = (bearer, app_origin = origin) =>
    auth('POST', path('register/options'), { bearer, body: { app_origin } });
  const finish: PasskeyProject['finish'] = (bearer, body) => auth('POST', path('register/verify'), { bearer, body });
  const beginLogin: PasskeyProject['beginLogin'] = (body = {}, options = {}) =>
    auth('POST', path('login/options'), { body: { app_origin: origin, ...body }, ...options });
  const finishLogin: PasskeyProject['finishLogin'] = (body) => auth('POST', path('login/verify'), { body });
  return {
    ...project,
    begin,
    finish,
    beginLogin,
    finishLogin,
    async register(bearer, { signCount = 0, origin: at = origin, deviation } = {}) {
      const key = new SoftwareAuthenticator(at, { signCount });
      const asked = await begin(bearer, at);
      expect(asked.status).toBe(200);
      const made = await finish(bearer, key.create(asked.body, deviation));
      expect([made.status, made.text]).toEqual([201, expect.any(String)]);
      return { key, record: made.body };
    },
    async login(key, app_origin = origin) {
      const asked = await beginLogin({ app_origin });
      expect(asked.status).toBe(200);
      return finishLogin(key.get(asked.body));
    },
  };
}
