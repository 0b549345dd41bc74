import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import * as account from '../../resolvers/auth/account.ts';
import type { AnyEndpoint } from '../../resolvers/auth/endpoint.ts';
import { getUser } from '../../resolvers/auth/get-user.ts';
import * as bridge from '../../resolvers/auth/hosted/bridge.ts';
import * as testUsers from '../../resolvers/auth/hosted/test-users.ts';
import { getUserById, listUsers } from '../../resolvers/auth/list-users.ts';
import { logout } from '../../resolvers/auth/logout.ts';
import * as passkeys from '../../resolvers/auth/passkeys/manage-passkeys.ts';
import { beginPasskeySignIn, finishPasskeySignIn } from '../../resolvers/auth/passkeys/passkey-sign-in.ts';
import { beginPasskeyRegistration, finishPasskeyRegistration } from '../../resolvers/auth/passkeys/register-passkey.ts';
import { jwks, projectJwtKeys } from '../../resolvers/auth/project-jwt-keys.ts';
import { providers } from '../../resolvers/auth/providers.ts';
import { reauthenticate } from '../../resolvers/auth/reauthenticate.ts';
import { requestLink } from '../../resolvers/auth/request-link.ts';
import type { SessionAnswer } from '../../resolvers/auth/session-answer.ts';
import { setAccountPassword, setPassword } from '../../resolvers/auth/set-password.ts';
import { signup } from '../../resolvers/auth/signup.ts';
import { startSocial } from '../../resolvers/auth/social-start.ts';
import { token } from '../../resolvers/auth/token.ts';
import { updateUser } from '../../resolvers/auth/update-user.ts';
import { verify } from '../../resolvers/auth/verify.ts';
import { authRoutes } from '../../rest-compat/auth/routes.ts';
import { PathTable } from '../../rest-compat/path-table.ts';
import type { Answer, Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { type RowsProject, rowsProject } from '../rows/rows-project.ts';

export const endpoints: readonly AnyEndpoint[] = [
  ...Object.values(account),
  ...Object.values(bridge),
  ...Object.values(testUsers),
  ...Object.values(passkeys),
  beginPasskeySignIn,
  finishPasskeySignIn,
  beginPasskeyRegistration,
  finishPasskeyRegistration,
  getUser,
  getUserById,
  listUsers,
  jwks,
  logout,
  projectJwtKeys,
  providers,
  reauthenticate,
  requestLink,
  setAccountPassword,
  setPassword,
  signup,
  startSocial,
  token,
  updateUser,
  verify,
];

const table = new PathTable(authRoutes);

/** Everything that was given out or given in and that nobody else may ever read: of the service that is tested now. */
const secrets = new Set<string>();
let noted: Service | undefined;

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Body = any;

export interface CallOptions {
  readonly body?: unknown;
  /** Sent as the bearer beside the key. */
  readonly bearer?: string | undefined;
  /** Sent as `apikey`. @default the anon key */
  readonly key?: string | undefined;
}

export interface AuthProject extends RowsProject {
  /** Calls a path of the project's users; what succeeds is exactly what the endpoint documents. */
  readonly auth: (method: string, path: string, options?: CallOptions) => Promise<Answer<Body>>;
  /** Signs a new user up. */
  readonly user: (
    password?: string,
  ) => Promise<{ readonly id: string; readonly email: string; readonly password: string }>;
  readonly signIn: (email: string, password: string) => Promise<Answer<Body>>;
  /** A new user, signed in. */
  readonly signedIn: () => Promise<
    SessionAnswer & {
      readonly id: string;
      readonly email: string;
      readonly password: string;
      readonly sessionId: string;
    }
  >;
  readonly refresh: (refreshToken: string) => Promise<Answer<Body>>;
  /** The latest sign-in mail to an address, once there are so many. */
  readonly mailTo: (
    address: string,
    count?: number,
  ) => Promise<{ readonly token?: string; readonly code?: string; readonly subject: string; readonly text: string }>;
  readonly settings: (set: string) => Promise<unknown>;
}

export const newEmail = () => `${randomUUID()}@example.com`;

/** Notes what of a body nobody else may ever read. */
export function noteSecrets(body: unknown): void {
  for (const [name, value] of Object.entries((body ?? {}) as object))
    if (/password|token(?!_type)|verifier|^(code|nonce)$/.test(name) && typeof value === 'string' && value.length > 6) {
      // The code of a refusal is none.
      if (!/^[A-Z_]+$/.test(value)) secrets.add(value);
    }
}

/** The claims of an access token, unchecked. */
export const claimsOf = (accessToken: string): Record<string, Body> =>
  JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString());

/** A project with users, and with tables of a test's own. */
export async function authProject(service: Service, schema = 'select 1'): Promise<AuthProject> {
  if (noted !== service) secrets.clear();
  noted = service;
  const project = await rowsProject(service, schema);
  const auth: AuthProject['auth'] = async (method, path, { body, bearer, key = project.anonKey } = {}) => {
    noteSecrets(body);
    const headers = { apikey: key, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) };
    const answer = await service.call<Body>(service.actors.nobody, method, path, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status < 300) {
      const { entry: route } = table.match(method, path.split('?')[0]!);
      const { wire } = endpoints.find(({ name }) => name === route.operation)!;
      expect(wire.parse(answer.body)).toStrictEqual(answer.body);
      noteSecrets(answer.body);
    }
    return answer;
  };
  const signIn: AuthProject['signIn'] = (email, password) =>
    auth('POST', '/auth/v1/token?grant_type=password', { body: { email, password } });
  const user: AuthProject['user'] = async (password = `pass-${randomUUID()}`) => {
    const email = newEmail();
    const { status, body } = await auth('POST', '/auth/v1/signup', { body: { email, password } });
    expect(status).toBe(201);
    return { id: body.id, email, password };
  };
  return {
    ...project,
    auth,
    user,
    signIn,
    async signedIn() {
      const made = await user();
      const { status, body } = await signIn(made.email, made.password);
      expect(status).toBe(200);
      return { ...made, ...body, sessionId: claimsOf(body.access_token).session_id };
    },
    refresh: (refreshToken) =>
      auth('POST', '/auth/v1/token?grant_type=refresh_token', { body: { refresh_token: refreshToken } }),
    async mailTo(address, count = 1) {
      const mails = await until(async () => {
        const found = await service.control.sql<{ subject: string; body_text: string }>(
          'select subject, body_text from mail_outbox where recipient = $1 order by created_at desc, id desc',
          [address],
        );
        expect(found).toHaveLength(count);
        return found;
      });
      const { subject, body_text: text } = mails[0]!;
      const link = /[?&]token=([\w-]+)/.exec(text)?.[1];
      const code = /^\d{6}$/m.exec(text)?.[0];
      return { subject, text, ...(link === undefined ? {} : { token: link }), ...(code === undefined ? {} : { code }) };
    },
    settings: (set) => project.sql(`update auth.settings set ${set}`),
  };
}

/** No line of the log holds what nobody may read: to be asked at the end of a file. */
export function expectNoSecretLogged(service: Service): void {
  const log = JSON.stringify(service.logged());
  expect(secrets.size).toBeGreaterThan(0);
  expect([...secrets].filter((secret) => log.includes(secret))).toEqual([]);
  expect(log).not.toMatch(/argon2id|svcr_|svcl_|svco_/);
}
