import { expect, test } from 'vitest';
import { z } from 'zod';
import { registry } from '../../resolvers/index.ts';
import { authRoutes } from '../../rest-compat/auth/routes.ts';
import { signInRoutes } from '../../rest-compat/sessions/routes.ts';

/** Copied by hand from the contract: method, path, status of success. Contract 01, sections 5.13 and 5.14; 04, 3.6. */
const documented = [
  'POST /ci/v1/token-exchange 200',
  'POST /agent/v1/control-plane/session/email 200',
  'POST /agent/v1/control-plane/session/email/verify 200',
  'POST /agent/v1/control-plane/session/passkey/options 200',
  'POST /agent/v1/control-plane/session/passkey/verify 200',
  'POST /agent/v1/control-plane/recovery/consume 200',
  'POST /agent/v1/control-plane/recovery/issue 201',
  'GET /agent/v1/control-plane/session 200',
  'POST /agent/v1/control-plane/session/refresh 200',
  'POST /agent/v1/control-plane/session/revoke 200',
  'POST /agent/v1/control-plane/session/browser 200',
  'POST /agent/v1/control-plane/session/browser/refresh 200',
  'POST /agent/v1/control-plane/session/browser/revoke 200',
  'POST /agent/v1/control-plane/passkey/enroll/options 200',
  'POST /agent/v1/control-plane/passkey/enroll/verify 201',
  'POST /agent/v1/control-plane/step-up/options 200',
  'POST /agent/v1/control-plane/step-up/verify 200',
  'GET /agent/v1/control-plane/authenticators 200',
  'DELETE /agent/v1/control-plane/authenticators/:id 200',
  'POST /agent/v1/control-plane/emails 200',
  'POST /agent/v1/control-plane/emails/verify 200',
  'GET /agent/v1/control-plane/cli/authorize 200',
  'GET /agent/v1/control-plane/cli/authorize/:flow_id 200',
  'POST /agent/v1/control-plane/cli/approve 200',
  'POST /agent/v1/control-plane/cli/token 200',
  'POST /agent/v1/control-plane/write-auth/challenges 201',
  'POST /agent/v1/control-plane/write-auth/verify 201',
  'POST /agent/v1/control-plane/write-auth/cli/token 201',
  'GET /agent/v1/control-plane/write-auth/sessions 200',
  'POST /agent/v1/control-plane/write-auth/sessions/:id/revoke 200',
  'POST /agent/v1/control-plane/write-auth/sessions/revoke-all 200',
  'POST /agent/v1/operator/session/device 200',
  'POST /agent/v1/operator/session/device/token 200',
  'POST /agent/v1/operator/session/device/approve 200',
  'POST /agent/v1/operator/session/email 200',
  'POST /agent/v1/operator/session/email/verify 200',
  'POST /agent/v1/operator/session/passkey/options 200',
  'POST /agent/v1/operator/session/passkey/verify 200',
  'POST /agent/v1/operator/session/passkey/enroll/options 200',
  'POST /agent/v1/operator/session/passkey/enroll/verify 201',
  'POST /agent/v1/operator/session/refresh 200',
  'POST /agent/v1/operator/session/revoke 204',
  'POST /agent/v1/operator/claim-wallet-org/challenge 201',
  'POST /agent/v1/operator/claim-wallet-org 200',
  'GET /agent/v1/control-plane/oauth/:provider/start 200',
  'GET /agent/v1/control-plane/oauth/:provider/callback 200',
  'POST /agent/v1/control-plane/oauth/:provider/link 200',
  'POST /agent/v1/contact/passkey/register/options 200',
  'POST /agent/v1/contact/passkey/register/verify 201',
];

test('every documented path of sign-in is served, with its status', () => {
  const served = new Set(signInRoutes.map(({ method, path, status }) => `${method} ${path} ${status}`));
  expect(documented.filter((path) => !served.has(path))).toEqual([]);
});

test('what is for people or for users of a project has a path; every declaration has a name and a summary of its own', () => {
  const { clients, people, projectUsers } = registry;
  const routed = new Set([...signInRoutes, ...authRoutes].map(({ operation }) => operation));
  // The pages of a project's host send their forms to paths of their own.
  const ofPages = /^auth\.hosted/;
  const named = [...people, ...projectUsers].filter(({ name }) => !ofPages.test(name));
  expect(named.filter(({ name }) => !routed.has(name)).map(({ name }) => name)).toEqual([]);
  const all = [...clients, ...people, ...projectUsers];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  const described = [...clients, ...people];
  expect(new Set(described.map(({ summary }) => summary)).size).toBe(described.length);
});

test('every path of a project’s users leads to an endpoint or an operation that is declared', () => {
  const declared = new Set([...registry.projectUsers, ...registry.clients].map(({ name }) => name));
  // Providers send browsers back to the callback; no client asks it for anything.
  const ofClients = authRoutes.filter(({ singleUse }) => singleUse !== true);
  expect(ofClients.filter(({ operation }) => !declared.has(operation)).map(({ path }) => path)).toEqual([]);
});

test('every input of a sign-in is described, and what is secret says so', () => {
  for (const { name, input } of registry.people) {
    const { properties = {} } = z.toJSONSchema(z.object(input.shape), { io: 'input' });
    for (const [field, shape] of Object.entries(properties)) {
      const { description, secret } = shape as { description?: string; secret?: boolean };
      expect([name, field, description]).toEqual([name, field, expect.stringMatching(/\.$/)]);
      if (/^(token|code|code_verifier|device_code|browser|authorization)$/.test(field))
        expect([name, field, secret]).toEqual([name, field, true]);
    }
  }
});
