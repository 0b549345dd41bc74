import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type AuthProject, authProject, newEmail } from '../auth/auth-project.ts';
import type { Service } from '../helpers/service.ts';
import { type HostAnswer, type HostCall, hostCall } from './host-call.ts';

export interface HostedProject extends AuthProject {
  readonly host: string;
  readonly origin: string;
  readonly at: HostCall;
  /** A new user with a session in a cookie of the project's host. */
  readonly visitor: () => Promise<{
    readonly email: string;
    readonly password: string;
    readonly cookie: string;
    readonly sessionId: string;
    readonly secret: string;
    /** What its forms carry. */
    readonly csrf: string;
  }>;
}

/** A project with users and a host below `localhost`. */
export async function hostedProject(service: Service, made?: AuthProject): Promise<HostedProject> {
  const project = made ?? (await authProject(service));
  const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    project.projectId,
  ]);
  const { port } = new URL(service.url);
  const host = `p-${row!.public_id}.localhost:${port}`;
  const at = hostCall(service, host);
  return {
    ...project,
    host,
    origin: `http://${host}`,
    at,
    async visitor() {
      const given = { email: newEmail(), password: `pass-${randomUUID()}` };
      const { status, cookie } = await at('POST', '/auth/sign-up', { json: given });
      expect(status).toBe(200);
      const [, sessionId = '', secret = ''] = cookie!.slice(cookie!.indexOf('=') + 1).split('.');
      return {
        ...given,
        cookie: cookie!,
        sessionId,
        secret,
        csrf: csrfOf(await at('GET', '/auth/account', { cookie: cookie!, page: true })),
      };
    },
  };
}

/** What the forms of a page carry. */
export function csrfOf({ text }: HostAnswer): string {
  const found = /name="_csrf" value="([0-9a-f]{32})"/.exec(text)?.[1];
  expect(found).toBeDefined();
  return found!;
}
